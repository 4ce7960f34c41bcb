import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import Testing

@Suite("unique values that another program changes during a save")
struct UniqueRaceTests {
  /// A file with the tags A and x, in which another program changes x to y at one moment of a save.
  private final class Race {
    private let folder = StoreFolder()
    private let store: FailingStore
    private let other: DatabaseQueue
    let context: ManagedObjectContext
    /// The tag A.
    let first: ManagedObject
    /// How many calls of the store there were.
    private(set) var calls = 0
    /// Whether the other program has changed x to y.
    private(set) var isChanged = false

    init() throws {
      let model = try Library.model()
      store = FailingStore(
        try SQLiteStore(model: model, path: folder.file().path, name: "library.sqlite"))
      other = try DatabaseQueue(path: folder.file().path)
      context = ManagedObjectContext(
        coordinator: PersistentStoreCoordinator(managedObjectModel: model, store: store))
      first = try context.insert("Tag", ["name": "A"])
      _ = try context.insert("Tag", ["name": "x"])
      try context.save()
    }

    /// Saves; the other program tries to save before the call of the store with a number.
    func save(moment: Int) throws {
      store.willCall = { [unowned self] in
        if self.calls == moment { self.change() }
        self.calls += 1
      }
      defer { store.willCall = nil }
      try context.save()
    }

    /// Changes x to y, unless the file is locked.
    func change() {
      let count = try? other.write { database in
        try database.execute(
          sql: "UPDATE ZTAG SET ZNAME = 'y', Z_OPT = Z_OPT + 1 WHERE Z_PK = 2 AND ZNAME = 'x'")
        return database.changesCount
      }
      if count == 1 { isChanged = true }
    }

    /// The names in the file.
    func names() throws -> [String] { try folder.lines("SELECT ZNAME FROM ZTAG ORDER BY ZNAME") }
  }

  @Test(
    "a row that gets another value before the save is written is no conflict",
    arguments: MergePolicy.allCases.filter { $0 != .error }, [false, true])
  func changedMeanwhile(policy: MergePolicy, insertsObject: Bool) throws {
    var changes = 0
    var moment = 0
    while true {
      let race = try Race()
      race.context.mergePolicy = policy
      if insertsObject {
        _ = try race.context.insert("Tag", ["name": "x"])
      } else {
        race.first["name"] = "x"
      }
      try race.save(moment: moment)

      if race.isChanged {
        changes += 1
        #expect(
          try race.names() == (insertsObject ? ["A", "x", "y"] : ["x", "y"]),
          "changed before call \(moment)")
      } else {
        // The object that has the value in the store wins, or a saved one that was given it.
        let isTaken = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        #expect(
          try race.names() == (insertsObject || !isTaken ? ["A", "x"] : ["x"]),
          "not changed before call \(moment)")
      }
      moment += 1
      if moment >= race.calls { break }
    }
    // The first calls read, so that the other program could save.
    #expect(changes > 1)
  }

  @Test("a conflict is an error only if the file has it in one state")
  func errorPolicy() throws {
    let race = try Race()
    race.first["name"] = "x"
    #expect(throws: SaveError.self) { try race.save(moment: -1) }
    let calls = race.calls
    var refusals = 0
    for moment in 0..<calls {
      let race = try Race()
      race.first["name"] = "x"
      do {
        try race.save(moment: moment)
        #expect(race.isChanged)
        #expect(try race.names() == ["x", "y"])
      } catch SaveError.conflict {
        refusals += 1
      }
    }
    // The other program may save after the save has begun to read its state, in one of two calls.
    #expect(refusals <= 2)
  }
}
