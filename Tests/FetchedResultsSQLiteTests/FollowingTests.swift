import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
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
