import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import Testing

/// Core Data's tables of a store's history, and the changes that contexts take over from them.
@Suite("persistent history")
struct HistoryTests {
  private let folder = StoreFolder()

  private func context(
    _ author: String? = nil, tracksHistory: Bool = true
  ) throws -> ManagedObjectContext {
    let context = try folder.context(SharedFilePlace.model(), tracksHistory: tracksHistory)
    context.transactionAuthor = author
    context.environment.now = { Date(timeIntervalSinceReferenceDate: 1000) }
    return context
  }

  /// Saves an insert, an update and a delete, each in a separate transaction.
  private func writeThreeTransactions(_ context: ManagedObjectContext) throws {
    let object = context.insert(try context.entity("First"))
    try object.setValue(.int(1), forKey: "rank")
    try context.save()
    try object.setValue("a", forKey: "name")
    try object.setValue(.int(2), forKey: "rank")
    try context.save()
    context.delete(object)
    try context.save()
  }

  @Test("a save writes Core Data's rows of a transaction, its changes and its texts")
  func tables() throws {
    let context = try context("app")
    context.name = "view"
    let second = try context.entity("Second")
    context.insert(second)
    try writeThreeTransactions(context)

    // The numbers of the entities are First 1, Part 2, Second 3. `name` and `rank` are bits 7 and
    // 6.
    #expect(
      try folder.lines(
        "SELECT Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS FROM ACHANGE"
      )
        == [
          "1|16001|0|3|1|1|nil", "2|16001|0|1|1|1|nil", "3|16001|1|1|1|2|c0", "4|16001|2|1|1|3|nil",
        ])
    #expect(
      try folder.lines(
        "SELECT Z_PK, Z_ENT, ZTIMESTAMP, a.ZNAME, c.ZNAME, ZAUTHOR FROM ATRANSACTION t "
          + "JOIN (SELECT Z_PK AS k, ZNAME FROM ATRANSACTIONSTRING) a ON a.k = t.ZAUTHORTS "
          + "JOIN (SELECT Z_PK AS k, ZNAME FROM ATRANSACTIONSTRING) c ON c.k = t.ZCONTEXTNAMETS")
        == (1...3).map { "\($0)|16002|1000.0|app|view|nil" })
    #expect(
      try folder.lines(
        "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
        == ["16001|CHANGE|0|4", "16002|TRANSACTION|0|3", "16003|TRANSACTIONSTRING|0|3"])
  }

  @Test("a store without history has no tables, and asking for it is an error in Core Data's words")
  func untracked() throws {
    let context = try context(tracksHistory: false)
    try writeThreeTransactions(context)
    #expect(try folder.lines("SELECT name FROM sqlite_master WHERE name LIKE 'A%'") == [])
    #expect(throws: StoreError.noHistory(store: "library.sqlite")) { try context.fetchHistory() }
    #expect(throws: StoreError.noHistory(store: "library.sqlite")) {
      try context.deleteHistory(before: nil)
    }
    #expect(throws: StoreError.noHistory(store: "library.sqlite")) { try context.mergeHistory() }
    #expect(throws: StoreError.noHistory(store: "library.sqlite")) {
      _ = try ObservedHistory(in: context)
    }
    #expect(context.persistentStoreCoordinator.currentPersistentHistoryToken == nil)

    let error = StoreError.unusable(
      store: "library.sqlite",
      reason: "it keeps no history yet, and a history begins only in a store that is not read-only")
    #expect(throws: error) {
      try folder.coordinator(SharedFilePlace.model(), isReadOnly: true, tracksHistory: true)
    }
  }

  @Test("a file that has a history keeps it, whoever opens it")
  func kept() throws {
    try writeThreeTransactions(try context("app"))
    let later = try context("later", tracksHistory: false)
    #expect(later.persistentStoreCoordinator.tracksPersistentHistory)
    try writeThreeTransactions(later)
    #expect(
      try later.fetchHistory().map(\.author) == ["app", "app", "app", "later", "later", "later"])
  }

  @Test("an existing file without a history begins one")
  func begun() throws {
    try writeThreeTransactions(try context(tracksHistory: false))
    let later = try context()
    #expect(try later.fetchHistory() == [])
    try writeThreeTransactions(later)
    #expect(try later.fetchHistory().map(\.transactionNumber) == [1, 2, 3])
  }

  @Test("a history has the saves of contexts that were there before another one began it")
  func joined() throws {
    let early = try context("early", tracksHistory: false)
    early.automaticallyMergesChangesFromParent = true
    try writeThreeTransactions(early)
    let sync = try ObservedHistory(in: try context("late"))
    #expect(try !sync.update())
    try writeThreeTransactions(early)
    #expect(try sync.update())
    #expect(sync.takeTransactions().map(\.author) == ["early", "early", "early"])

    early.insert(try early.entity("First"))
    try early.save()
    try early.execute(
      BatchDeleteRequest(fetchRequest: FetchRequest(entity: try early.entity("First"))))
    #expect(try sync.update())
    #expect(sync.takeTransactions().map(\.changes.count) == [1, 1])
    let reader = try context(tracksHistory: false)
    let histories = try [reader, early].map { try $0.fetchHistory().map(\.transactionNumber) }
    #expect(histories == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]])
  }

  @Test("history is fetched after a token, which can be kept, and by its author")
  func fetched() throws {
    let app = try context("app")
    let widget = try context("widget")
    try writeThreeTransactions(app)
    let all = try app.fetchHistory()
    #expect(all.map { $0.changes.map(\.changeType) } == [[.insert], [.update], [.delete]])
    #expect(all.map { $0.changes[0].updatedProperties } == [nil, ["name", "rank"], nil])
    #expect(all[0].changes[0].changedObjectID.description == "First/1")
    #expect(all[0].timestamp == Date(timeIntervalSinceReferenceDate: 1000))
    #expect(all[0].processID == ProcessInfo.processInfo.processName)
    let kept = try JSONDecoder().decode(
      PersistentHistoryToken.self, from: JSONEncoder().encode(all[1].token))
    #expect(try widget.fetchHistory(after: kept).map(\.transactionNumber) == [3])
    try writeThreeTransactions(widget)
    #expect(
      try app.fetchHistory(after: kept, author: "widget").map(\.transactionNumber) == [4, 5, 6])
    #expect(app.persistentStoreCoordinator.currentPersistentHistoryToken?.transactionNumber == 6)
    // A token of another store is not valid for this one.
    let other = PersistentHistoryToken(storeID: "other", transactionNumber: 0)
    #expect(try app.fetchHistory(after: other) == [])
  }

  @Test("what is deleted before a token is gone, and an older token has expired")
  func deleted() throws {
    let app = try context("app")
    try writeThreeTransactions(app)
    let all = try app.fetchHistory()
    #expect(try app.deleteHistory(before: all[2].token) == 2)
    #expect(try app.fetchHistory().map(\.transactionNumber) == [3])
    #expect(try folder.lines("SELECT ZTRANSACTIONID FROM ACHANGE") == ["3"])
    #expect(try app.fetchHistory(after: all[1].token).map(\.transactionNumber) == [3])
    #expect(throws: StoreError.historyTokenExpired(store: "library.sqlite")) {
      try app.fetchHistory(after: all[0].token)
    }
    #expect(try app.deleteHistory(before: nil) == 1)
    #expect(try app.fetchHistory(after: all[2].token) == [])
    // Numbers are never reused.
    try writeThreeTransactions(app)
    #expect(try app.fetchHistory(after: all[2].token).map(\.transactionNumber) == [4, 5, 6])
  }

  @Test("a merge of a history that has expired fails once, and the next one begins after it")
  func mergedAfterExpiry() throws {
    let app = try context("app")
    let widget = try context("widget")
    try writeThreeTransactions(widget)
    #expect(try widget.deleteHistory(before: nil) == 3)
    #expect(throws: StoreError.historyTokenExpired(store: "library.sqlite")) {
      try app.mergeHistory()
    }
    #expect(try app.mergeHistory() == [])
    try writeThreeTransactions(widget)
    #expect(try app.mergeHistory().map(\.transactionNumber) == [4, 5, 6])
  }

  @Test("a save that is refused leaves no transaction")
  func refused() throws {
    let one = try context("one")
    let two = try context("two")
    let object = one.insert(try one.entity("First"))
    try one.save()
    let same = try #require(two.object(entity: try two.entity("First"), number: 1))
    try object.setValue(.int(5), forKey: "rank")
    try one.save()
    try same.setValue(.int(6), forKey: "rank")
    #expect(throws: MergeConflictError.self) { try two.saveThrowingCause() }
    #expect(try one.fetchHistory().map(\.author) == ["one", "one"])
  }

  @Test("controllers follow what another coordinator saved after its history is merged")
  func merged() throws {
    let widget = try context("widget")
    let place = try SharedFilePlace(
      "app", on: try folder.coordinator(SharedFilePlace.model()), looksAtRows: true)
    for number in 1...3 {
      try widget.insert(try widget.entity("First")).setValue(.int(Int64(number)), forKey: "rank")
    }
    try widget.save()
    try #require(widget.object(entity: try widget.entity("First"), number: 2))
      .setValue(.int(6), forKey: "rank")
    widget.delete(try #require(widget.object(entity: try widget.entity("First"), number: 1)))
    try widget.save()
    place.context.processPendingChanges()
    #expect(place.controllers[0].fetchedObjects?.isEmpty == true)

    #expect(try place.context.mergeHistory(author: "nobody") == [])
    try widget.insert(try widget.entity("First")).setValue(.int(4), forKey: "rank")
    try widget.save()
    #expect(try place.context.mergeHistory(author: "widget").map(\.transactionNumber) == [3])
    // The app itself merges those that were skipped.
    for transaction in try place.context.fetchHistory() {
      place.context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    }
    place.context.processPendingChanges()
    #expect(place.controllers[0].fetchedObjects?.numbers == [3, 4, 2])
    #expect(try place.fault() == nil)
    #expect(try place.context.mergeHistory() == [])
  }

  @Test("a context merges no save of its own, and each other one once")
  func own() throws {
    let app = try context("app")
    let background = ManagedObjectContext(coordinator: app.persistentStoreCoordinator)
    background.transactionAuthor = "background"
    try writeThreeTransactions(app)
    try background.insert(try background.entity("First")).setValue(.int(4), forKey: "rank")
    try background.save()
    #expect(try app.mergeHistory().map(\.author) == ["background"])
    #expect(try app.mergeHistory() == [])
    #expect(try background.mergeHistory().map(\.author) == ["app", "app", "app"])
    // Own saves that follow no save of another process need no merge, and no history.
    try app.deleteHistory(before: nil)
    #expect(try app.mergeHistory() == [])
    let late = ManagedObjectContext(coordinator: app.persistentStoreCoordinator)
    #expect(try late.mergeHistory() == [])
  }

  /// Lets a controller track changes.
  private final class Follower: FetchedResultsControllerDelegate {
    let implementedMethods: FetchedResultsDelegateMethods = .changes
  }

  @Test("a context that merges by itself takes over the history at the end of a turn")
  func automatic() throws {
    let widget = try context("widget")
    let app = try context("app")
    let entity = try app.entity("First")
    let controller = try app.controller(of: entity, by: ["rank"])
    let follower = Follower()
    controller.delegate = follower
    try controller.performFetch()
    app.automaticallyMergesChangesFromParent = true
    try widget.insert(try widget.entity("First")).setValue(.int(4), forKey: "rank")
    try widget.save()
    app.processPendingChanges()
    #expect(controller.fetchedObjects?.count == 1)
  }

  @Test("a context that merges by itself compares its objects where the history was deleted")
  func deletedBeforeMerge() throws {
    let widget = try context("widget")
    let app = try context("app")
    let entity = try app.entity("First")
    let object = widget.insert(try widget.entity("First"))
    try object.setValue(.int(4), forKey: "rank")
    try widget.save()
    let controller = try app.controller(of: entity, by: ["rank"])
    let follower = Follower()
    controller.delegate = follower
    try controller.performFetch()
    app.automaticallyMergesChangesFromParent = true
    app.processPendingChanges()

    try object.setValue(.int(5), forKey: "rank")
    try widget.save()
    try widget.insert(try widget.entity("First")).setValue(.int(6), forKey: "rank")
    try widget.save()
    #expect(
      try widget.deleteHistory(
        before: widget.persistentStoreCoordinator.currentPersistentHistoryToken) == 2)
    app.processPendingChanges()

    #expect(controller.fetchedObjects?.map { $0["rank"] } == [.int(5), .int(6)])
    #expect(try app.fetch(FetchRequest(entity: entity)).count == 2)
    app.insert(entity)
    try app.save()
    try object.setValue(.int(7), forKey: "rank")
    try widget.save()
    app.processPendingChanges()
    #expect(try app.fetch(FetchRequest(entity: entity)).contains { $0["rank"] == .int(7) })
  }

  @Test("the handler is told once of what others saved, and never of own saves")
  func remoteChanges() throws {
    let widget = try context("widget")
    let app = try context("app")
    var told: [Int64?] = []
    app.persistentStoreCoordinator.remoteChangeHandler = { told.append($0?.transactionNumber) }
    try writeThreeTransactions(app)
    app.processPendingChanges()
    #expect(told == [])
    try writeThreeTransactions(widget)
    app.processPendingChanges()
    app.persistentStoreCoordinator.checkForRemoteChanges()
    #expect(told == [6])
  }

  @Test("a history whose rows are damaged is one error; what the model lacks is left out")
  func damaged() throws {
    let app = try context("app")
    try writeThreeTransactions(app)
    try folder.execute("UPDATE ACHANGE SET ZENTITY = 99 WHERE Z_PK = 1")
    #expect(try app.fetchHistory().map(\.changes.count) == [0, 1, 1])
    try folder.execute("UPDATE ACHANGE SET ZCOLUMNS = x'01' WHERE Z_PK = 2")
    #expect(try app.fetchHistory()[1].changes[0].updatedProperties == nil)
    for (column, value, restored) in [
      ("ZCHANGETYPE", "7", "2"), ("ZCHANGETYPE", "'x'", "2"), ("ZENTITYPK", "-1", "1"),
      ("ZENTITY", "NULL", "1"),
    ] {
      try folder.execute("UPDATE ACHANGE SET \(column) = \(value) WHERE Z_PK = 3")
      #expect(throws: StoreError.self, "\(column) \(value)") { try app.fetchHistory() }
      try folder.execute("UPDATE ACHANGE SET \(column) = \(restored) WHERE Z_PK = 3")
    }
    #expect(try app.fetchHistory().count == 3)
  }

  @Test("tables of an older system, whose authors stand in the transactions, are used as they are")
  func olderTables() throws {
    _ = try context(tracksHistory: false)
    try folder.execute(
      """
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR);
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER);
      CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZNAME VARCHAR);
      """)
    let app = try context("app")
    try writeThreeTransactions(app)
    #expect(try app.fetchHistory().map(\.author) == ["app", "app", "app"])
    #expect(try folder.lines("SELECT ZAUTHOR FROM ATRANSACTION") == ["app", "app", "app"])
  }

  @Test("two tables of iOS 11 and macOS 10.13 are read, written and followed")
  func twoTables() throws {
    _ = try context(tracksHistory: false)
    try folder.execute(
      """
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
        ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
        ZCOLUMNS BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1);
      INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP, ZAUTHOR) VALUES (1, 5, 'phone');
      INSERT INTO ACHANGE (Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
        VALUES (1, 0, 1, 1, 1);
      """)
    let watcher = try folder.coordinator(SharedFilePlace.model(), isReadOnly: true)
    let app = try context("app")
    try writeThreeTransactions(app)
    let all = try app.fetchHistory()
    #expect(all.map(\.author) == ["phone", "app", "app", "app"])
    #expect(all[2].changes[0].updatedProperties == ["name", "rank"])
    #expect(try app.deleteHistory(before: all[1].token) == 1)
    let store = try #require(watcher.store as? SQLiteStore)
    guard case .read = try store.readAgain() else {
      Issue.record("the file cannot be followed")
      return
    }
    #expect(
      try ManagedObjectContext(coordinator: watcher).fetchHistory().map(\.author)
        == ["app", "app", "app"])
  }

  @Test("transactions that refer to texts need the table of texts")
  func missingTexts() throws {
    _ = try context()
    try folder.execute("DROP TABLE ATRANSACTIONSTRING")
    #expect(throws: StoreError.self) { try context() }
  }

  @Test("tables of that name that are no history are refused")
  func foreignTables() throws {
    _ = try context(tracksHistory: false)
    try folder.execute("CREATE TABLE ATRANSACTION (amount INTEGER)")
    #expect(throws: StoreError.self) { try context() }
  }

  @Test("a store in memory keeps a history of its own process")
  func inMemory() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: try SharedFilePlace.model())
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(throws: StoreError.noHistory(store: "memory")) { try context.fetchHistory() }
    try coordinator.trackPersistentHistory()
    context.transactionAuthor = "app"
    try writeThreeTransactions(context)
    let all = try context.fetchHistory()
    #expect(all.map(\.author) == ["app", "app", "app"])
    #expect(all[1].changes[0].updatedProperties == ["name", "rank"])
    #expect(try context.deleteHistory(before: all[2].token) == 2)
    #expect(throws: StoreError.historyTokenExpired(store: "memory")) {
      try context.fetchHistory(after: all[0].token)
    }
  }
}
