import EngineWorlds
import FetchedResults
import NaiveModel
import Testing

@Suite("saving")
struct SavingTests {
  let shelf: Shelf

  init() throws { shelf = try Shelf() }

  @Test("a save that fails names every failure, by object and then by attribute")
  func severalFailures() throws {
    let note = try EntityDescription(
      name: "Note",
      attributes: [
        .init("text", .string), .init("stars", .integer64), .optional("remark", .string),
      ])
    try shelf.coordinator.add(note)
    let first = shelf.context.insert(note)
    let second = shelf.context.insert(note)
    second["text"] = "fine"

    let error = #expect(throws: ObjectValidationError.self) {
      try shelf.context.saveThrowingCause()
    }

    #expect(
      error?.description
        == "NSCocoaErrorDomain 1560: cannot save: Note/1 'text' is a required value (1570); "
        + "Note/1 'stars' is a required value (1570); Note/2 'stars' is a required value (1570)")
    #expect(error?.failures.map(\.objectID) == [first.objectID, first.objectID, second.objectID])
    #expect(error?.failures.map(\.attribute) == ["text", "stars", "stars"])
  }

  @Test("a save that fails leaves the changes pending and the store as it was")
  func atomic() throws {
    let a = shelf.insert("A")
    try shelf.context.save()
    a["title"] = "A2"
    let bad = shelf.insert("B")
    bad["title"] = nil

    #expect(throws: ObjectValidationError.self) { try shelf.context.saveThrowingCause() }

    #expect(shelf.context.updatedObjects.map(\.label) == ["A2"])
    #expect(shelf.context.insertedObjects.count == 1)
    let other = ManagedObjectContext(coordinator: shelf.coordinator)
    #expect(try other.fetch(shelf.request(sort: "title")).map(\.label) == ["A"])

    bad["title"] = "B"
    try shelf.context.save()
    #expect(try other.count(for: shelf.request(sort: "title")) == 2)
  }

  @Test("deleted objects are not validated")
  func deletedObjects() throws {
    let a = shelf.insert("A")
    try shelf.context.save()
    a["title"] = nil
    shelf.context.delete(a)

    try shelf.context.save()

    #expect(try shelf.context.count(for: shelf.request(sort: "title")) == 0)
  }

  @Test("a row that another context deleted: the save says so")
  func missingRow() throws {
    shelf.insert("A")
    try shelf.context.save()
    let other = ManagedObjectContext(coordinator: shelf.coordinator)
    let here = try #require(try shelf.context.fetch(shelf.request(sort: "title")).first)
    let there = try #require(try other.fetch(shelf.request(sort: "title")).first)
    shelf.context.delete(here)
    try shelf.context.save()
    there["title"] = "A2"

    let error = #expect(throws: MergeConflictError.self) { try other.saveThrowingCause() }

    #expect(
      error?.description
        == "NSCocoaErrorDomain 133020: cannot save: Book/1 was changed here and deleted in the store"
    )
    #expect(other.hasChanges)
  }

  @Test("the context's lists tell inserted, updated and deleted apart")
  func lists() throws {
    let a = shelf.insert("A")
    let b = shelf.insert("B")
    try shelf.context.save()
    #expect(!shelf.context.hasChanges)

    a["pages"] = 1
    shelf.context.delete(b)
    let c = shelf.insert("C")

    #expect(shelf.context.updatedObjects.map(\.objectID) == [a.objectID])
    #expect(shelf.context.deletedObjects.map(\.objectID) == [b.objectID])
    #expect(shelf.context.insertedObjects.map(\.objectID) == [c.objectID])
    #expect([a.isUpdated, b.isDeleted, c.isInserted] == [true, true, true])
  }

  @Test("what a delegate deletes while a save processes is saved, and reported by the save")
  func deletedInCallback() throws {
    let a = shelf.insert("A", pages: 1)
    try shelf.context.save()
    let (controller, delegate) = try shelf.tracked(sort: "pages")
    delegate.reaction = { [shelf] callback, _ in
      if callback == .didChange { shelf.context.delete(a) }
    }

    shelf.insert("X", pages: 5)
    try shelf.context.save()
    delegate.reaction = nil
    #expect(
      delegate.history == [
        "will", "insert X -> [0, 1]", "did", "will", "delete A [0, 0]", "did",
      ])
    #expect(controller.shown == [": X"])
    #expect(shelf.context.findObject(with: a.objectID) == nil)
  }
}
