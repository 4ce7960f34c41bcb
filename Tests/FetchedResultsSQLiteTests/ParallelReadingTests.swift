import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import RandomLaws
import Synchronization
import Testing

@Suite("Several readers of one file")
struct ParallelReadingTests {
  private let folder: StoreFolder
  private let model: ManagedObjectModel
  private let author: EntityDescription
  private let book: EntityDescription

  init() throws {
    folder = StoreFolder()
    author = try EntityDescription(
      name: "Author", attributes: [.init("round", .integer64, default: 0)],
      relationships: [.toMany("books", "Book", inverse: "author")])
    book = try EntityDescription(
      name: "Book", attributes: [.init("title", .string), .init("round", .integer64, default: 0)],
      relationships: [.toOne("author", "Author", inverse: "books")])
    model = try ManagedObjectModel(entities: [author, book])
  }

  private func container(mostTasks: Int = 16) throws -> PersistentContainer {
    try PersistentContainer(
      managedObjectModel: model, sqliteStoreAt: folder.file(), durability: .off,
      maximumBackgroundTasks: mostTasks)
  }

  /// A place where statements wait for each other.
  private final class Meeting: Sendable {
    private let present = Mutex<Set<Int>>([])
    private let expected: Int

    init(of expected: Int) { self.expected = expected }

    /// Whether as many as expected were there at the same time.
    var isComplete: Bool { present.withLock { $0.count >= expected } }

    /// Waits in the middle of a statement until all others are in the middle of theirs.
    func wait(_ number: Int) {
      let isNew = present.withLock { $0.insert(number).inserted }
      guard isNew else { return }
      let end = ContinuousClock.now + .seconds(20)
      while !isComplete, .now < end { Thread.sleep(forTimeInterval: 0.001) }
    }
  }

  @Test("fetches of three contexts overlap, also while another program writes")
  func overlap() async throws {
    let container = try container()
    let book = book
    try await container.performBackgroundTask { context in
      for number in 0..<2_000 { context.insert(book)["title"] = .string("Book \(number % 7)") }
      try context.save()
    }
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: folder.file().path, configuration: configuration)
    try await other.writeWithoutTransaction {
      try $0.execute(sql: "BEGIN IMMEDIATE; DELETE FROM ZBOOK")
    }
    let meeting = Meeting(of: 3)

    let counts = try await withThrowingTaskGroup(of: Int.self, returning: [Int].self) { group in
      for number in 0..<3 {
        group.addTask {
          try await container.performBackgroundTask { context in
            let check = StopCheck {
              meeting.wait(number)
              return false
            }
            return try check.watching {
              try context.fetch(
                FetchRequest(
                  entity: book, predicate: try FetchPredicate(format: "title CONTAINS '3'"))
              ).count
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }

    #expect(meeting.isComplete)
    #expect(counts == [286, 286, 286])
  }

  /// Counts tasks that run at the same time.
  private final class Tally: Sendable {
    private let state = Mutex((running: 0, most: 0, isOver: false))

    var most: Int { state.withLock { $0.most } }

    var isOver: Bool {
      get { state.withLock { $0.isOver } }
      set { state.withLock { $0.isOver = newValue } }
    }

    func begin() {
      state.withLock {
        $0.running += 1
        $0.most = max($0.most, $0.running)
      }
    }

    func end() { state.withLock { $0.running -= 1 } }
  }

  /// Saves books of one author, and returns the author's identity.
  private func saveBooks(_ count: Int, in container: PersistentContainer) async throws -> ObjectID {
    let (author, book) = (author, book)
    return try await container.performBackgroundTask { context in
      let writer = context.insert(author)
      for _ in 0..<count {
        let object = context.insert(book)
        object["title"] = "Emma"
        object["author"] = .object(writer.objectID)
      }
      try context.save()
      return writer.objectID
    }
  }

  /// What a reader does.
  enum Reading: CaseIterable {
    case whole, refreshing, inBatches, sortedByRelated, prefetching, filteredByRelated
    case filteredInMemory, dictionaries, controller, controllerOfObjects, controllerRefreshing
    case controllerPrefetching, refreshingAll, merging, listing
  }

  /// Saves into the file through another connection.
  private final class OtherProgram: Sendable {
    private let queue: DatabaseQueue
    private let sql: String
    private let saves = Mutex(0)

    init(_ path: String, saving sql: String = OtherProgram.books) throws {
      queue = try DatabaseQueue(path: path)
      self.sql = sql
    }

    /// Changes all objects, and replaces a book by a new one.
    static let books = """
      UPDATE ZAUTHOR SET ZROUND = ZROUND + 1, Z_OPT = Z_OPT + 1;
      UPDATE ZBOOK SET ZROUND = ZROUND + 1, Z_OPT = Z_OPT + 1;
      DELETE FROM ZBOOK WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZBOOK);
      INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZAUTHOR, ZROUND, ZTITLE)
      SELECT MAX(Z_PK) + 1, MAX(Z_ENT), 1, MAX(ZAUTHOR), MAX(ZROUND), 'Emma' FROM ZBOOK;
      """

    /// Adds a transaction to the history, with one change.
    static let transaction = """
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP)
      SELECT MAX(Z_PK) + 1, 16002, 1, 0 FROM ATRANSACTION;
      INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
      SELECT MAX(Z_PK) + 1, 16001, 1, 1, MAX(ZENTITY), MAX(ZENTITYPK),
        (SELECT MAX(Z_PK) FROM ATRANSACTION) FROM ACHANGE;
      """

    /// Saves, the first few times that it is called.
    func save() {
      guard
        saves.withLock({ saves in
          saves += 1
          return saves <= 20
        })
      else { return }
      do {
        try queue.write { [sql] in try $0.execute(sql: sql) }
      } catch {
        Issue.record("the other program cannot save: \(error)")
      }
    }
  }

  @Test("a fetch never sees half of a save of another program", arguments: Reading.allCases)
  private func wholeSavesOfAnother(_ reading: Reading) async throws {
    let container = try container()
    let (author, book) = (author, book)
    _ = try await saveBooks(600, in: container)
    let other = try OtherProgram(folder.file().path)

    for attempt in 0..<3 {
      let rounds = try await container.performBackgroundTask { context in
        let check = StopCheck {
          other.save()
          return false
        }
        return try check.watching { try Self.rounds(in: context, author, book, reading) }
      }
      #expect(rounds.count == 1, "attempt \(attempt)")
    }
  }

  @Test("each transaction of a history has its changes, although another program saves meanwhile")
  func wholeTransactions() async throws {
    let container = try PersistentContainer(
      managedObjectModel: model, sqliteStoreAt: folder.file(), tracksHistory: true,
      durability: .off)
    _ = try await saveBooks(600, in: container)
    let other = try OtherProgram(folder.file().path, saving: OtherProgram.transaction)

    let (read, counted) = try await container.performBackgroundTask { context in
      let observed = try ObservedHistory(
        after: PersistentHistoryToken(
          storeID: context.persistentStoreCoordinator.store.identifier, transactionNumber: 0),
        in: context)
      let check = StopCheck {
        other.save()
        return false
      }
      return try check.watching {
        let read = try context.fetchHistory().map(\.changes.count)
        try observed.update()
        return (read, observed.takeTransactions().map(\.changes.count))
      }
    }

    // The other program has saved by then.
    #expect(counted.count > 1)
    for counts in [read, counted] {
      #expect(counts.first == 601)
      #expect(counts.dropFirst().allSatisfy { $0 == 1 })
    }
  }

  @Test("rows that are read by several statements are of one state")
  func manyRows() async throws {
    let container = try container()
    let book = book
    _ = try await saveBooks(1_500, in: container)
    let other = try OtherProgram(folder.file().path)

    let versions = try await container.performBackgroundTask { context in
      let check = StopCheck {
        other.save()
        return false
      }
      let rows = try check.watching {
        try context.persistentStoreCoordinator.store.rows(Array(1...1_500), in: book)
      }
      return Set(rows.map { $0?.version })
    }

    #expect(versions == [1])
  }

  @Test("a fault and its lists are of one state")
  func faultWithLists() throws {
    let store = FailingStore(
      try SQLiteStore(model: model, path: folder.file().path, name: "library.sqlite"))
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model, store: store)
    let context = ManagedObjectContext(coordinator: coordinator)
    let writer = context.insert(author)
    for title in ["Dune", "Emma"] {
      let object = context.insert(book)
      object["title"] = .string(title)
      object["author"] = .object(writer.objectID)
    }
    try context.save()
    context.refresh(writer, mergeChanges: false)
    let sibling = ManagedObjectContext(coordinator: coordinator)
    let copy = try #require(sibling.findObject(with: writer.objectID))
    copy["round"] = 1
    try sibling.save()
    let other = try OtherProgram(
      folder.file().path,
      saving: "UPDATE ZAUTHOR SET ZROUND = 2, Z_OPT = Z_OPT + 1; DELETE FROM ZBOOK WHERE Z_PK = 1")

    store.didReadRow = { other.save() }
    let round = writer["round"]
    store.didReadRow = nil

    #expect(round == 1)
    guard case .list(let books) = writer["books"] else {
      Issue.record("the author has no list of books")
      return
    }
    #expect(books.count == 2)
  }

  @Test("the rows of a batch and the objects that they lead to are of one state")
  func batchWithPrefetched() async throws {
    let container = try container()
    let book = book
    _ = try await saveBooks(600, in: container)
    let other = try OtherProgram(folder.file().path)

    let (own, related) = try await container.performBackgroundTask { context in
      var request = FetchRequest(entity: book, sortDescriptors: [FetchSortDescriptor(key: "title")])
      request.fetchBatchSize = 300
      request.relationshipKeyPathsForPrefetching = ["author"]
      let controller = try FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      try controller.performFetch()
      let check = StopCheck {
        other.save()
        return false
      }
      return try check.watching {
        let first = try #require(controller.fetchedObjects?.first)
        let writer = first["author"].objectID.flatMap(context.findObject(with:))
        return (first["round"], writer?["round"])
      }
    }

    #expect(own == related)
  }

  @Test("a fetch never sees half of a save")
  func wholeSaves() async throws {
    let container = try container()
    let (author, book) = (author, book)
    let authorID = try await saveBooks(40, in: container)
    let tally = Tally()

    try await withThrowingTaskGroup(of: Void.self) { group in
      for reader in 0..<3 {
        group.addTask {
          while !tally.isOver {
            for reading in Reading.allCases {
              let rounds = try await container.performBackgroundTask { context in
                try Self.rounds(in: context, author, book, reading)
              }
              #expect(rounds.count == 1, "reader \(reader), \(reading)")
            }
          }
        }
      }
      defer { tally.isOver = true }
      for _ in LawSeeds(seconds: 1.2, atLeast: 50) {
        // Every save changes all objects, and replaces a book.
        try await container.performBackgroundTask { context in
          let writer = try #require(context.findObject(with: authorID))
          let books = try context.fetch(FetchRequest(entity: book))
          let round = try #require(writer["round"].int) + 1
          for object in books.dropFirst() { object["round"] = .int(round) }
          books.first.map(context.delete)
          let new = context.insert(book)
          new["title"] = "Emma"
          new["author"] = .object(authorID)
          new["round"] = .int(round)
          writer["round"] = .int(round)
          try context.save()
        }
      }
      tally.isOver = true
      try await group.waitForAll()
    }
  }

  /// The rounds of a fetch's objects, and how many there are: one value for whole saves.
  private static func rounds(
    in context: ManagedObjectContext, _ author: EntityDescription, _ book: EntityDescription,
    _ reading: Reading
  ) throws -> Set<String> {
    var request = FetchRequest(entity: book)
    var isPrefetched = false
    switch reading {
    case .whole: break
    case .refreshing:
      _ = try context.fetch(request)
      request.shouldRefreshRefetchedObjects = true
    case .filteredInMemory:
      request.predicate = try FetchPredicate(format: "round + 1 > round")
    case .inBatches: request.fetchBatchSize = 7
    case .sortedByRelated: request.sortDescriptors = [FetchSortDescriptor(key: "author.round")]
    case .prefetching:
      request.relationshipKeyPathsForPrefetching = ["author"]
      isPrefetched = true
    case .filteredByRelated:
      request.predicate = try FetchPredicate(format: "author.round == round")
    case .dictionaries:
      request.propertiesToFetch = ["round", "author.round"].map { FetchedProperty($0) }
      let found = try context.fetchDictionaries(request)
      return Set(
        found.flatMap { [$0["round"], $0["author.round"]] }.map {
          "\($0 ?? .null) of \(found.count)"
        })
    case .controller, .controllerOfObjects, .controllerRefreshing, .controllerPrefetching:
      if reading == .controllerRefreshing {
        _ = try context.fetch(request)
        request.shouldRefreshRefetchedObjects = true
      }
      isPrefetched = reading == .controllerPrefetching
      if isPrefetched { request.relationshipKeyPathsForPrefetching = ["author"] }
      request.sortDescriptors = [FetchSortDescriptor(key: isPrefetched ? "round" : "author.round")]
      request.returnsObjectsAsFaults = reading == .controller
      let controller = try FetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      try controller.performFetch()
      let objects = controller.fetchedObjects.map(Array.init) ?? []
      let rounds = Set(objects.map { "\($0["round"]) of \(objects.count)" })
      return isPrefetched ? rounds.union(roundsOfAuthors(of: objects, in: context)) : rounds
    case .refreshingAll, .merging:
      var books = try context.fetch(request)
      if reading == .refreshingAll {
        context.refreshAllObjects()
      } else {
        ManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [.updatedObjects: books.map(\.objectID)], into: [context])
      }
      books.removeAll(where: \.isDeleted)
      return Set(books.map { "\($0["round"]) of \(books.count)" })
    case .listing:
      let books = context.registeredObjects(of: book)
      return Set(books.map { "\($0["round"]) of \(books.count)" })
    }
    let books = try context.fetch(request)
    let rounds = Set(books.map { "\($0["round"]) of \(books.count)" })
    return isPrefetched ? rounds.union(roundsOfAuthors(of: books, in: context)) : rounds
  }

  /// The rounds of the authors that books lead to, in the form of ``rounds(in:_:_:_:)``.
  private static func roundsOfAuthors(
    of books: [ManagedObject], in context: ManagedObjectContext
  ) -> Set<String> {
    Set(
      books.map { object in
        let writer = object["author"].objectID.flatMap(context.findObject(with:))
        return "\(writer?["round"] ?? .null) of \(books.count)"
      })
  }

  @Test("tasks that begin at the same time share a few connections")
  func manyTasks() async throws {
    let container = try container(mostTasks: 4)
    let book = book
    let tally = Tally()
    let meeting = Meeting(of: 4)

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask {
          try await container.performBackgroundTask { context in
            tally.begin()
            defer { tally.end() }
            meeting.wait(number)
            if number.isMultiple(of: 3) {
              context.insert(book)["title"] = "Emma"
              try context.save()
            } else {
              _ = try context.count(for: FetchRequest(entity: book))
            }
          }
        }
      }
      try await group.waitForAll()
    }

    #expect(tally.most == 4)
    let count = try await container.performBackgroundTask {
      try $0.count(for: FetchRequest(entity: book))
    }
    #expect(count == 100)
  }
}
