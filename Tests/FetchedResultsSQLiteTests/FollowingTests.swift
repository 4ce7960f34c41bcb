import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// A store that is only read, while others write its file.
struct FollowingTests {
  @Test(
    "after random changes of others, objects and controllers are as after a fresh fetch",
    arguments: ["WAL", "DELETE"], [(512, true), (4096, true), (1024, false)])
  func randomChanges(journal: String, layout: (pageSize: Int, hasPointers: Bool)) throws {
    var (exact, other) = (0, 0)
    for seed in LawSeeds(seconds: 0.2, failedOnce: [2_671_974_459, 1_500_388_556]) {
      // Every other file is as Core Data writes it.
      var world = try FollowedWorld(
        seed: seed, journal: journal, pageSize: layout.pageSize, hasPointers: layout.hasPointers,
        isOfCoreData: seed % 2 == 1)
      for turn in 0..<(LawForm.isLong ? 25 : 10) {
        try world.change()
        if let difference = try world.follow() {
          Issue.record("seed \(seed), turn \(turn): \(difference)")
          return
        }
      }
      exact += world.exactLooks
      other += world.otherLooks
    }
    // Only VACUUM, and a number that is used for another entity, make the pages say nothing.
    #expect(exact > 5 * other, "\(exact) \(other)")
  }

  @Test("a store with new statistics of SQLite's is still the same")
  func statistics() throws {
    let folder = StoreFolder()
    let model = try Library.model()
    let context = try folder.context(model)
    _ = try context.insert("Tag", ["name": "a"])
    try context.save()
    let coordinator = try folder.coordinator(Library.model(), isReadOnly: true)
    let reader = ManagedObjectContext(coordinator: coordinator)
    let store = try #require(coordinator.store as? SQLiteStore)
    for statement in ["SELECT 1", "ANALYZE", "UPDATE ZTAG SET ZNAME = 'b', Z_OPT = 2", "ANALYZE"] {
      try folder.execute(statement)
      guard case .read = try store.readAgain() else {
        Issue.record("\(statement) made another store of it")
        return
      }
    }
    #expect(try reader.lines("Tag") == ["Tag/1 name: b, books: []"])
  }

  @Test("a log that says of more pages than it can know of is not followed")
  func unknownPages() throws {
    let folder = StoreFolder()
    // The open connection keeps the log.
    let writer = try folder.context(Library.model())
    _ = try writer.insert("Tag", ["name": "a"])
    try writer.save()
    let coordinator = try folder.coordinator(Library.model(), isReadOnly: true)
    let store = try #require(coordinator.store as? SQLiteStore)
    guard case .read = try store.readAgain(), case .read(_?) = try store.readAgain() else {
      Issue.record("the file cannot be followed")
      return
    }
    try Self.repeatLastPage(of: folder.file("library.sqlite-wal"), pageCount: 1_000_000)
    for look in ["follows the old copy", "makes a new one"] {
      guard case .read(nil) = try store.readAgain() else {
        Issue.record("a look that \(look) believes the log")
        return
      }
    }
    let reader = ManagedObjectContext(coordinator: coordinator)
    #expect(try reader.lines("Tag") == ["Tag/1 name: a, books: []"])
    withExtendedLifetime(writer) {}
  }

  /// Appends a transaction to a log: its last page again, and how many pages the database has.
  private static func repeatLastPage(of log: URL, pageCount: UInt32) throws {
    var bytes = [UInt8](try Data(contentsOf: log))
    func number(at place: Int) -> UInt32 {
      bytes[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    func written(_ number: UInt32) -> [UInt8] {
      withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }
    let frameSize = 24 + Int(number(at: 8))
    // A log that began again has old frames at its end.
    let frames = stride(from: 32, through: bytes.count - frameSize, by: frameSize)
      .filter { bytes[$0 + 8..<$0 + 16] == bytes[16..<24] }
    let last = try #require(frames.last)
    let page = [UInt8](bytes[last + 24..<last + frameSize])
    var frame = [UInt8](bytes[last..<last + 4])
    frame += written(pageCount)
    // SQLite adds words in the order that the log's first number says.
    let isBigEndian = bytes[3] & 1 == 1
    let summed = frame + page
    var sums = (first: number(at: last + 16), second: number(at: last + 20))
    for place in stride(from: 0, to: summed.count, by: 4) {
      var value: UInt32 = 0
      for offset in 0..<4 {
        value = value << 8 | UInt32(summed[place + (isBigEndian ? offset : 3 - offset)])
      }
      sums = (sums.second, sums.first &+ value &+ sums.second)
    }
    frame += bytes[16..<24]
    frame += written(sums.first)
    frame += written(sums.second)
    frame += page
    bytes.replaceSubrange((last + frameSize)..., with: frame)
    try Data(bytes).write(to: log)
  }

  /// How a context learns of a number that another program used again.
  enum Learning: CaseIterable {
    case byTwoLooks, byOneLook, byRefreshing, byDeletionAfterInsertion
  }

  @Test(
    "a number that another program uses again is another object's, also of another entity",
    arguments: Learning.allCases)
  func numberUsedAgain(_ learning: Learning) throws {
    let folder = StoreFolder()
    let model = try Library.model()
    do {
      let context = try folder.context(model)
      _ = try context.insert("Book", ["title": "old"])
      try context.save()
    }
    func open() throws -> (ManagedObjectContext, FetchedResultsController) {
      let context = try folder.context(Library.model(), isReadOnly: true)
      let entities = context.persistentStoreCoordinator.managedObjectModel.entitiesByName
      let book = try #require(entities["Book"])
      let controller = try context.controller(of: book, by: ["title"])
      try controller.performFetch()
      return (context, controller)
    }
    let (reader, controller) = try open()
    final class Listener: FetchedResultsControllerDelegate {}
    let listener = Listener()
    controller.delegate = listener
    let store = try #require(reader.persistentStoreCoordinator.store as? SQLiteStore)
    func read() throws -> ContextSave? {
      guard
        case .read(let save) = try store.readAgain(willChange: {
          try reader.persistentStoreCoordinator.storeWillChange($0)
        })
      else {
        Issue.record("the file cannot be followed")
        return nil
      }
      return save
    }
    func look() throws {
      if let save = try read() {
        _ = try reader.mergeFollowed(save)
      } else {
        try reader.mergeChangesFromStore()
      }
      reader.processPendingChanges()
    }
    try look()
    #expect(controller.fetchedObjects?.map(\.entity.name) == ["Book"])
    #expect(controller.fetchedObjects?.first?["title"] == "old")

    try folder.execute("DELETE FROM ZBOOK")
    if learning == .byTwoLooks { try look() }
    try folder.execute(
      """
      INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE)
        SELECT 1, Z_ENT, 1, 'new' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Manga'
      """)
    switch learning {
    case .byTwoLooks, .byOneLook: try look()
    case .byRefreshing:
      _ = try read()
      reader.refreshAllObjects()
      reader.processPendingChanges()
    case .byDeletionAfterInsertion:
      _ = try read()
      let entities = reader.persistentStoreCoordinator.managedObjectModel.entitiesByName
      let ids = try ["Manga", "Book"].map {
        ObjectID(entity: try #require(entities[$0]), number: 1)
      }
      reader.mergeChanges(
        fromContextDidSave: ContextSave(inserted: [ids[0]], deleted: [ids[1]]))
      reader.processPendingChanges()
    }

    let (_, fresh) = try open()
    #expect(fresh.fetchedObjects?.map { "\($0.objectID) \($0["title"])" } == ["Manga/1 new"])
    #expect(controller.fetchedObjects?.map { "\($0.objectID) \($0["title"])" } == ["Manga/1 new"])
  }
}
