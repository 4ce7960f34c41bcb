import FetchedResults
import Testing

@Suite("a context tells its observers of changes and saves")
struct ContextObservationTests {
  let shelf: Shelf
  var context: ManagedObjectContext { shelf.context }

  init() throws { shelf = try Shelf() }

  /// Records the notifications that an observer receives, as text.
  private final class Log {
    var lines: [String] = []

    func observe(_ context: ManagedObjectContext, as name: String = "") -> ContextObservation {
      context.observe { [unowned self] in lines.append(name + Self.words($0)) }
    }

    static func words(_ notification: ContextNotification) -> String {
      switch notification {
      case .objectsDidChange(let objects): "didChange" + words(objects)
      case .willSave: "willSave"
      case .didSave(let objects): "didSave" + words(objects)
      }
    }

    private static func words(_ objects: NotifiedObjects) -> String {
      objects.byKey.map { key, objects in
        " \(key) " + objects.map { "\($0.objectID.number)" }.joined(separator: ",")
      }.joined() + (objects.areAllInvalidated ? " all" : "")
    }
  }

  @Test("a turn is one notification, in which each object is under one key")
  func turn() throws {
    let (dune, emma) = (shelf.insert("Dune"), shelf.insert("Emma"))
    try context.save()
    let log = Log()
    let observation = log.observe(context)

    dune["pages"] = 1
    context.delete(emma)
    shelf.insert("Ubik")
    context.processPendingChanges()
    context.processPendingChanges()
    try context.save()
    try context.save()

    #expect(
      log.lines == [
        "didChange inserted 3 updated 1 deleted 2", "willSave",
        "didSave inserted 3 updated 1 deleted 2",
      ])
    withExtendedLifetime(observation) {}
  }

  @Test("what the source brings is refreshed, unless there are unsaved changes")
  func refreshed() throws {
    let (dune, emma) = (shelf.insert("Dune"), shelf.insert("Emma"))
    try context.save()
    let log = Log()
    let observation = log.observe(context)

    context.refresh(dune, mergeChanges: true)
    emma["pages"] = 2
    context.refresh(emma, mergeChanges: true)
    context.processPendingChanges()
    context.rollback()
    context.processPendingChanges()
    context.invalidate([dune])
    context.processPendingChanges()
    context.reset()

    #expect(
      log.lines == [
        "didChange updated 2 refreshed 1", "didChange refreshed 2", "didChange invalidated 1",
        "didChange all",
      ])
    withExtendedLifetime(observation) {}
  }

  @Test("observers and controllers are told in the order in which they began")
  func order() throws {
    let log = Log()
    let first = log.observe(context, as: "a ")
    let last = log.observe(context, as: "b ")
    shelf.insert("Dune")
    try context.save()
    first.cancel()
    shelf.insert("Emma")
    context.processPendingChanges()

    #expect(
      log.lines == [
        "a didChange inserted 1", "b didChange inserted 1", "a willSave", "b willSave",
        "a didSave inserted 1", "b didSave inserted 1", "b didChange inserted 2",
      ])
    withExtendedLifetime(last) {}
  }

  @Test("an observation that is released is over")
  func released() throws {
    let log = Log()
    do { _ = log.observe(context) }
    shelf.insert("Dune")
    try context.save()
    #expect(log.lines == [])
  }

  @Test("what an observer changes before a save is saved with it")
  func willSave() throws {
    let dune = shelf.insert("Dune")
    let observation = context.observe { notification in
      if case .willSave = notification { dune["pages"] = 7 }
    }
    try context.save()
    #expect(!context.hasChanges)
    #expect(
      ManagedObjectContext(coordinator: shelf.coordinator).findObject(with: dune.objectID)?["pages"]
        == 7)
    withExtendedLifetime(observation) {}
  }

  @Test("an observer may not save before a save, as a hook may not")
  func nestedSave() throws {
    shelf.insert("Dune")
    var failures: [String] = []
    let observation = context.observe { [context] notification in
      guard case .willSave = notification, failures.isEmpty else { return }
      do { try context.save() } catch { failures.append("\(error)") }
    }
    try context.save()
    #expect(
      failures == [
        "cannot save in willSave: the save is under way, and will save what willSave changes"
      ])
    #expect(!context.hasChanges)
    try context.save()
    withExtendedLifetime(observation) {}
  }

  @Test("a save that is refused has begun, and did not save")
  func refused() throws {
    shelf.insert("Dune")["title"] = nil
    let log = Log()
    let observation = log.observe(context)
    #expect(throws: ObjectValidationError.self) { try context.saveThrowingCause() }
    #expect(log.lines == ["didChange inserted 1", "willSave"])
    withExtendedLifetime(observation) {}
  }

  @Test("what an observer changes while it is told is a batch of its own")
  func nested() throws {
    let dune = shelf.insert("Dune")
    let log = Log()
    var isFirst = true
    let meddler = context.observe { [context] _ in
      guard isFirst else { return }
      isFirst = false
      dune["pages"] = 1
      context.processPendingChanges()
    }
    let observation = log.observe(context)
    context.processPendingChanges()
    #expect(log.lines == ["didChange inserted 1", "didChange updated 1"])
    withExtendedLifetime((observation, meddler)) {}
  }

  @Test("several observers receive each save in their order, until they are cancelled")
  func saves() throws {
    var received: [String] = []
    let first = context.observeSaves { received.append("first \($0.insertedObjectIDs.count)") }
    var second: ContextObservation? = context.observeSaves {
      received.append("second \($0.updatedObjectIDs.count)")
    }

    let dune = shelf.insert("Dune")
    try context.save()
    try context.save()
    dune["pages"] = 1
    try context.save()
    #expect(received == ["first 1", "second 0", "first 0", "second 1"])

    first.cancel()
    second = nil
    dune["pages"] = 2
    try context.save()
    #expect(received.count == 4)
    #expect(second == nil)
  }

  @Test("an observer may cancel a later one while it receives a save")
  func cancelling() throws {
    var received: [String] = []
    var later: ContextObservation?
    let first = context.observeSaves { _ in
      received.append("first")
      later?.cancel()
    }
    later = context.observeSaves { _ in received.append("later") }

    shelf.insert("Dune")
    try context.save()
    #expect(received == ["first"])
    withExtendedLifetime(first) {}
  }

  @Test("a save that an observer received can be merged by another context")
  func mergedSaves() throws {
    let other = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
    let dune = shelf.insert("Dune")
    try context.save()
    let copy = other.object(with: dune.objectID)
    #expect(copy["pages"] != 7)
    let observation = context.observeSaves { other.mergeChanges(fromContextDidSave: $0) }

    dune["pages"] = 7
    try context.save()
    other.processPendingChanges()
    #expect(copy["pages"] == 7)
    withExtendedLifetime(observation) {}
  }
}
