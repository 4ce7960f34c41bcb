import EngineWorlds
import FetchedResults
import Testing

@Suite("a save prepares until nothing is left to do")
struct SaveRoundsTests {
  let author: EntityDescription
  let book: EntityDescription
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext

  init() throws {
    author = try EntityDescription(
      name: "Author",
      attributes: [
        .init("name", .string),
        AttributeDescription(
          name: "folded", type: .string, isOptional: true,
          expression: AttributeExpression(derivation: "canonical:(name)")),
        AttributeDescription(
          name: "saved", type: .date, isOptional: true,
          expression: AttributeExpression(derivation: "now()")),
      ], relationships: [.toMany("books", "Book", inverse: "author", deleteRule: .cascade)])
    book = try EntityDescription(
      name: "Book", attributes: [.init("title", .string)],
      relationships: [.toOne("author", "Author", inverse: "books")])
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [author, book]))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  /// Returns a saved author with a book.
  private func library() throws -> (author: ManagedObject, book: ManagedObject) {
    let someone = context.insert(author)
    someone["name"] = "Éa"
    let something = context.insert(book)
    something["title"] = "a"
    something["author"] = .object(someone.objectID)
    try context.save()
    return (someone, something)
  }

  private func stored(_ object: ManagedObject) -> ManagedObject? {
    ManagedObjectContext(coordinator: coordinator).findObject(with: object.objectID)
  }

  /// Returns a controller of books, whose delegate performs an action at the end of a batch.
  private func delegate(_ action: @escaping () throws -> Void) throws -> (Any, Any) {
    let controller = try context.controller(of: book, by: ["title"])
    let delegate = SavingDelegate(action)
    controller.delegate = delegate
    try controller.performFetch()
    return (controller, delegate)
  }

  @Test(
    "a deletion by a delegate is saved with what its delete rules delete", arguments: [false, true])
  func deletion(fetches: Bool) throws {
    let (author, book) = try library()
    let kept = try delegate {
      context.delete(author)
      if fetches { _ = try context.fetch(FetchRequest(entity: self.author)) }
    }
    book["title"] = "b"
    try context.save()
    withExtendedLifetime(kept) {}
    #expect(stored(author) == nil)
    #expect(stored(book) == nil)
    #expect(!context.hasChanges)
  }

  @Test("an attribute is derived of what a delegate changed", arguments: [false, true])
  func derivation(fetches: Bool) throws {
    let (author, book) = try library()
    let kept = try delegate {
      author["name"] = "Ö"
      if fetches { _ = try context.fetch(FetchRequest(entity: self.author)) }
    }
    book["title"] = "b"
    try context.save()
    withExtendedLifetime(kept) {}
    #expect(stored(author)?["folded"] == "o")
  }

  @Test("what a delegate makes invalid is not saved")
  func validation() throws {
    let (author, book) = try library()
    let kept = try delegate { author["name"] = nil }
    book["title"] = "b"
    #expect(throws: ObjectValidationError.self) { try context.saveThrowingCause() }
    withExtendedLifetime(kept) {}
    #expect(stored(book)?["title"] == "a")
  }

  @Test("a delegate that never stops ends the save after 1,000 rounds, and nothing is saved")
  func endless() throws {
    let (_, book) = try library()
    var calls = 0
    let kept = try delegate {
      calls += 1
      book["title"] = .string("b\(calls)")
    }
    book["title"] = "b"
    let error = #expect(throws: EndlessSaveError.self) { try context.saveThrowingCause() }
    withExtendedLifetime(kept) {}
    #expect(error?.rounds == 1000)
    #expect(calls == 1000)
    #expect(stored(book)?["title"] == "a")
    #expect(context.hasChanges)
  }

  @Test("attributes that are derived from one another agree, whatever the order of the objects")
  func chained() throws {
    let node = try EntityDescription(
      name: "Node",
      attributes: [
        .init("size", .integer64, default: 1),
        AttributeDescription(
          name: "total", type: .integer64, isOptional: true,
          expression: AttributeExpression(derivation: "next.total")),
      ], relationships: [.toOne("next", "Leaf")])
    let leaf = try EntityDescription(
      name: "Leaf",
      attributes: [
        .init("size", .integer64, default: 1),
        AttributeDescription(
          name: "total", type: .integer64, isOptional: true,
          expression: AttributeExpression(derivation: "size")),
      ])
    let context = try ManagedObjectContext(of: [node, leaf])
    let (first, second) = (context.insert(node), context.insert(leaf))
    second["size"] = 5
    first["next"] = .object(second.objectID)
    try context.save()
    #expect(first["total"] == 5)
  }

  @Test("one save derives every date from one moment, though the clock goes on")
  func moment() throws {
    let (author, _) = try library()
    let before = author["saved"]
    author["name"] = "b"
    let second = context.insert(self.author)
    second["name"] = "c"
    try context.save()
    #expect(author["saved"] != before)
    #expect(author["saved"] == second["saved"])
  }
}

private final class SavingDelegate: FetchedResultsControllerDelegate {
  let implementedMethods = FetchedResultsDelegateMethods.didChangeContent
  private let action: () throws -> Void

  init(_ action: @escaping () throws -> Void) { self.action = action }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    do { try action() } catch { Issue.record(error) }
  }
}
