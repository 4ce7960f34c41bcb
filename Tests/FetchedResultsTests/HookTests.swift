import FetchedResults
import Testing

@Suite("hooks of an entity's objects")
struct HookTests {
  let shelf: Shelf
  var context: ManagedObjectContext { shelf.context }

  init() throws { shelf = try Shelf() }

  private final class Log { var lines: [String] = [] }

  /// Returns hooks that record each call.
  private func logging(_ log: Log) -> ManagedObjectHooks {
    func note(_ name: String) -> (ManagedObject) -> Void {
      { object in log.lines.append("\(name) \(object.objectID.number)") }
    }
    var hooks = ManagedObjectHooks()
    hooks.awakeFromInsert = note("insert")
    hooks.awakeFromFetch = note("fetch")
    hooks.willSave = note("willSave")
    hooks.didSave = note("didSave")
    hooks.prepareForDeletion = note("prepare")
    hooks.validateForDelete = { object in
      note("validate")(object)
      return nil
    }
    return hooks
  }

  @Test("each runs at its time, once")
  func times() throws {
    let log = Log()
    shelf.coordinator.setHooks(logging(log), of: shelf.book)
    let dune = shelf.insert("Dune")
    try context.save()
    context.delete(dune)
    try context.save()
    try context.save()
    #expect(
      log.lines == [
        "insert 1", "willSave 1", "didSave 1", "prepare 1", "willSave 1", "validate 1", "didSave 1",
      ])
  }

  @Test("a row that is read awakes, and one that is inserted does not awake again")
  func awakening() throws {
    shelf.insert("Dune")
    try context.save()
    let log = Log()
    shelf.coordinator.setHooks(logging(log), of: shelf.book)
    let other = ManagedObjectContext(coordinator: shelf.coordinator)
    _ = try other.fetch(shelf.request(sort: "title"))
    _ = try other.fetch(shelf.request(sort: "title"))
    #expect(log.lines == ["fetch 1"])
  }

  @Test("what awakeFromFetch assigns is no change, and what a store keeps is put back")
  func noChange() throws {
    let dune = shelf.insert("Dune")
    try context.save()
    var hooks = ManagedObjectHooks()
    hooks.awakeFromFetch = { $0["title"] = "other" }
    shelf.coordinator.setHooks(hooks, of: shelf.book)
    let other = ManagedObjectContext(coordinator: shelf.coordinator)
    #expect(other.findObject(with: dune.objectID)?["title"] == "Dune")
    #expect(!other.hasChanges)
    #expect(other.updatedObjects.isEmpty)
  }

  @Test("a value that the user gives comes after awakeFromInsert")
  func values() throws {
    var hooks = ManagedObjectHooks()
    hooks.awakeFromInsert = { $0["pages"] = 7 }
    shelf.coordinator.setHooks(hooks, of: shelf.book)
    #expect(context.insert(shelf.book)["pages"] == 7)
    #expect(shelf.insert("Dune", pages: 0)["pages"] == 0)
  }

  @Test("willSave runs again for what was changed since, and ends")
  func again() throws {
    let (dune, emma) = (shelf.insert("Dune"), shelf.insert("Emma"))
    var calls: [Int64] = []
    var hooks = ManagedObjectHooks()
    hooks.willSave = { object in
      calls.append(object.objectID.number)
      if object["pages"] == 0 { object["pages"] = 1 }
      if object === emma, dune["price"].isNull { dune["price"] = 2.5 }
    }
    shelf.coordinator.setHooks(hooks, of: shelf.book)
    try context.save()
    #expect(calls == [1, 2, 1, 2])
    #expect(!context.hasChanges)
  }

  @Test("a willSave that never stops is an error, and nothing is saved")
  func endless() throws {
    shelf.insert("Dune")
    var hooks = ManagedObjectHooks()
    hooks.willSave = { $0["pages"] = 1 }
    shelf.coordinator.setHooks(hooks, of: shelf.book)
    let error = #expect(throws: EndlessSaveError.self) { try context.saveThrowingCause() }
    #expect(error?.changedObjectID?.number == 1)
    #expect(context.insertedObjects.count == 1)
  }

  @Test("a save in willSave is an error, one in didSave is not")
  func nested() throws {
    shelf.insert("Dune")
    var hooks = ManagedObjectHooks()
    var failure: (any Error)?
    hooks.willSave = { [context] _ in
      do { try context.save() } catch { failure = error }
    }
    hooks.didSave = { [context] _ in try? context.save() }
    shelf.coordinator.setHooks(hooks, of: shelf.book)
    try context.save()
    guard case SaveError.nested? = failure else {
      Issue.record("a save in willSave does not fail as nested")
      return
    }
  }

  @Test("validateForDelete refuses a deletion with its reason")
  func refused() throws {
    let dune = shelf.insert("Dune")
    try context.save()
    var hooks = ManagedObjectHooks()
    hooks.validateForDelete = { _ in "it is on loan" }
    shelf.coordinator.setHooks(hooks, of: shelf.book)
    context.delete(dune)
    let error = #expect(throws: ObjectValidationError.self) { try context.saveThrowingCause() }
    #expect(error?.code == 1550)
    #expect(
      error?.description == "NSCocoaErrorDomain 1550: cannot save: Book/1: it is on loan")
    #expect(context.deletedObjects.map(\.objectID) == [dune.objectID])
  }

  @Test("a prepareForDeletion that deletes its own object only hastens its end")
  func deletesItself() throws {
    let dune = shelf.insert("Dune")
    var hooks = ManagedObjectHooks()
    hooks.prepareForDeletion = { [context] in context.delete($0) }
    shelf.coordinator.setHooks(hooks, of: shelf.book)
    context.delete(dune)
    #expect(dune.isDeleted)
  }

  @Test("hooks that are taken away run no more")
  func removed() throws {
    let log = Log()
    shelf.coordinator.setHooks(logging(log), of: shelf.book)
    shelf.coordinator.setHooks(nil, of: shelf.book)
    shelf.insert("Dune")
    try context.save()
    #expect(log.lines == [])
  }
}
