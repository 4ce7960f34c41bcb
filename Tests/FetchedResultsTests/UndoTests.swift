import EngineWorlds
import FetchedResults
import Foundation
import NaiveModel
import Testing

@Suite("undo and redo")
struct UndoTests {
  let shelf: Shelf
  let context: ManagedObjectContext
  let a: ManagedObject
  let controller: FetchedResultsController
  let delegate: RecordingDelegate

  init() throws {
    shelf = try Shelf()
    context = shelf.context
    a = shelf.insert("A", pages: 10)
    try context.save()
    context.undoManager = UndoHistory()
    (controller, delegate) = try shelf.tracked(sort: "pages")
  }

  private func turn(_ body: () -> Void = {}) -> [String] {
    body()
    context.processPendingChanges()
    return delegate.takeHistory()
  }

  @Test("undo takes the last turn back, redo makes it again, reported as ordinary changes")
  func turns() {
    _ = turn { shelf.insert("B", pages: 5) }
    _ = turn { a["pages"] = 1 }

    #expect(turn { context.undo() } == ["will", "move A [0, 0] -> [0, 1]", "did"])
    #expect(turn { context.undo() } == ["will", "delete B [0, 0]", "did"])
    #expect(!context.hasChanges)
    #expect(turn { context.undo() } == [])
    #expect(turn { context.redo() } == ["will", "insert B -> [0, 0]", "did"])
    #expect(turn { context.redo() } == ["will", "move A [0, 1] -> [0, 0]", "did"])
    #expect(turn { context.redo() } == [])
    #expect(controller.shown == [": A, B"])
  }

  @Test("a turn is one group, however often it was processed")
  func group() throws {
    shelf.insert("B", pages: 5)
    _ = try context.count(for: shelf.request(sort: "title"))
    a["pages"] = 1
    _ = turn()

    #expect(
      turn { context.undo() } == ["will", "delete B [0, 1]", "update A [0, 0] -> [0, 0]", "did"])
    #expect(a["pages"] == 10)
  }

  @Test("undo in the midst of a turn takes back what the turn has changed so far")
  func midst() {
    _ = turn { a["pages"] = 20 }
    #expect(
      turn {
        a["title"] = "x"
        context.undo()
      } == ["will", "update A [0, 0] -> [0, 0]", "did"])
    #expect(a["title"] == "A")
    #expect(a["pages"] == 20)
  }

  @Test("unprocessed changes can be undone, and end what could be redone")
  func unprocessed() throws {
    let history = try #require(context.undoManager)
    #expect(!history.canUndo && !history.canRedo)
    a["pages"] = 20
    #expect(history.canUndo)

    context.undo()
    #expect(!history.canUndo && history.canRedo)
    a["title"] = "x"
    #expect(history.canUndo && !history.canRedo)
    context.redo()
    #expect(a["pages"] == 10 && a["title"] == "x")
    a["title"] = "A"
    context.undo()
    context.undo()
    #expect(!history.canUndo)
  }

  @Test("what changed before the history began is not undone", arguments: [true, false])
  func earlier(isNew: Bool) throws {
    _ = turn { a["pages"] = 20 }
    let b = shelf.insert("B", pages: 5)
    a["title"] = "mine"
    if isNew { context.undoManager = UndoHistory() }
    let history = try #require(context.undoManager)
    if !isNew { history.removeAllActions() }
    #expect(!history.canUndo)
    context.undo()
    #expect(!b.isDeleted && a["title"] == "mine" && a["pages"] == 20)

    b["pages"] = 6
    #expect(history.canUndo)
    _ = turn()
    context.undo()
    #expect(b["pages"] == 5 && !b.isDeleted && !history.canUndo)
    context.redo()
    #expect(b["pages"] == 6)
  }

  @Test("a turn that is too large can neither be undone nor redo what was undone before")
  func overflowing() throws {
    let history = try #require(context.undoManager)
    _ = turn { a["pages"] = 20 }
    _ = turn { context.undo() }
    history.stateLimit = 0
    a["pages"] = 30
    _ = try context.count(for: shelf.request(sort: "title"))
    #expect(!history.canUndo && !history.canRedo)
  }

  @Test("a new change ends what could be redone")
  func redoEnds() {
    _ = turn { a["pages"] = 20 }
    _ = turn { context.undo() }
    _ = turn { a["pages"] = 30 }
    _ = turn { context.redo() }
    #expect(a["pages"] == 30)
    #expect(context.undoManager?.canRedo == false)
  }

  @Test("a deletion is undone, saved or not, under the same identity", arguments: [true, false])
  func deletion(isSaved: Bool) throws {
    _ = turn { context.delete(a) }
    if isSaved { try context.save() }

    #expect(turn { context.undo() } == ["will", "insert A -> [0, 0]", "did"])
    #expect(context.findObject(with: a.objectID) === a)
    #expect(context.hasChanges == isSaved)
    try context.save()
    #expect(try shelf.coordinator.row(of: a)?["pages"] == 10)
  }

  @Test("a save does not end the history: an undone change is saved anew")
  func afterSave() throws {
    _ = turn { a["pages"] = 20 }
    try context.save()
    _ = turn { context.undo() }
    #expect(a["pages"] == 10)
    #expect(context.updatedObjects.count == 1)
    try context.save()
    #expect(try shelf.coordinator.row(of: a)?["pages"] == 10)
  }

  @Test("an insertion that was saved is undone as a deletion")
  func savedInsertion() throws {
    let b = shelf.insert("B", pages: 5)
    try context.save()
    _ = turn()
    _ = turn { context.undo() }
    #expect(b.isDeleted)
    try context.save()
    #expect(try shelf.coordinator.row(of: b) == nil)
    _ = turn { context.redo() }
    try context.save()
    #expect(try shelf.coordinator.row(of: b)?["pages"] == 5)
  }

  /// A model whose books keep their authors by a delete rule.
  private static func library(
    _ rule: RelationshipDescription.DeleteRule
  ) throws -> (context: ManagedObjectContext, author: EntityDescription, book: EntityDescription) {
    let author = try EntityDescription(
      name: "Author", attributes: [], relationships: [.toMany("books", "Book", inverse: "author")])
    let book = try EntityDescription(
      name: "Book", attributes: [],
      relationships: [
        .toOne("author", "Author", inverse: "books", deleteRule: rule),
        .toOne("editor", "Author", deleteRule: rule),
      ])
    let context = try ManagedObjectContext(of: [author, book])
    return (context, author, book)
  }

  @Test(
    "undo of many insertions takes time in proportion to them, also where a rule keeps references",
    .timeLimit(.minutes(1)), arguments: [RelationshipDescription.DeleteRule.deny, .noAction])
  func manyKeptRelationships(rule: RelationshipDescription.DeleteRule) throws {
    let (context, author, book) = try Self.library(rule)
    let authors = [context.insert(author), context.insert(author)]
    try context.save()
    context.undoManager = UndoHistory()
    let old = context.insert(book)
    old["author"] = .object(authors[0].objectID)
    context.processPendingChanges()
    for index in 0..<20_000 {
      context.insert(book)["author"] = .object(authors[index % 2].objectID)
    }
    context.processPendingChanges()

    context.undo()
    context.processPendingChanges()
    #expect(authors[0]["books"] == .list([.object(old.objectID)]))
    #expect(authors[1]["books"] == .list([]))
    #expect(try context.count(for: FetchRequest(entity: book)) == 1)
    context.undo()
    context.processPendingChanges()
    #expect(authors[0]["books"] == .list([]))
    #expect(!context.hasChanges)
  }

  @Test(
    "an undone insertion leaves no reference, and a redone deletion those that its rule leaves",
    arguments: [RelationshipDescription.DeleteRule.deny, .noAction], [false, true])
  func keptRelationships(rule: RelationshipDescription.DeleteRule, isSaved: Bool) throws {
    let (context, author, book) = try Self.library(rule)
    let a = context.insert(author)
    try context.save()
    context.undoManager = UndoHistory()
    let b = context.insert(book)
    for key in ["author", "editor"] { b[key] = .object(a.objectID) }
    context.processPendingChanges()
    if isSaved { try context.save() }

    context.undo()
    context.processPendingChanges()
    #expect(b.isDeleted && a["books"] == .list([]))
    try context.save()
    context.redo()
    try context.save()
    #expect(b["author"] == .object(a.objectID) && b["editor"] == .object(a.objectID))
    #expect(a["books"] == .list([.object(b.objectID)]))

    context.delete(b)
    context.processPendingChanges()
    context.undo()
    context.processPendingChanges()
    context.redo()
    context.processPendingChanges()
    #expect(b.isDeleted && a["books"] == .list([.object(b.objectID)]))
    if rule == .deny { #expect(throws: (any Error).self) { try context.save() } }
  }

  @Test(
    "undo and redo of a relationship reach objects marked for deletion whose rule keeps references",
    arguments: [RelationshipDescription.DeleteRule.deny, .noAction])
  func relationshipsOfDeleted(rule: RelationshipDescription.DeleteRule) throws {
    let (context, author, book) = try Self.library(rule)
    let (a, b) = (context.insert(author), context.insert(book))
    b["author"] = .object(a.objectID)
    try context.save()
    context.undoManager = UndoHistory()
    func turn(_ body: () -> Void) {
      body()
      context.processPendingChanges()
    }

    turn { context.delete(b) }
    turn { a["books"] = .list([]) }
    turn { context.undo() }
    #expect(b["author"] == .object(a.objectID))
    #expect(a["books"] == .list([.object(b.objectID)]))
    turn { context.redo() }
    #expect(b["author"] == .null && a["books"] == .list([]))
    turn { context.undo() }
    turn { context.undo() }
    #expect(!b.isDeleted && a["books"] == .list([.object(b.objectID)]))
  }

  @Test("a redone turn ends a relationship before it deletes, where the rule keeps references")
  func endedBeforeDeletion() throws {
    let (context, author, book) = try Self.library(.deny)
    let (a, b) = (context.insert(author), context.insert(book))
    b["author"] = .object(a.objectID)
    try context.save()
    context.undoManager = UndoHistory()
    b["author"] = .null
    context.delete(b)
    context.processPendingChanges()

    context.undo()
    context.processPendingChanges()
    #expect(a["books"] == .list([.object(b.objectID)]))
    context.redo()
    context.processPendingChanges()
    #expect(b["author"] == .null && a["books"] == .list([]))
    try context.save()
  }

  @Test("an undo of a child's save keeps the order of a list of which the child has older values")
  func orderAfterChildSave() throws {
    let bookcase = try Bookcase(booksAreOrdered: true)
    let main = bookcase.context
    let (lem, herbert) = (bookcase.insertAuthor("Lem"), bookcase.insertAuthor("Herbert"))
    bookcase.insertBook("Eden", by: lem)
    main.processPendingChanges()
    let child = ManagedObjectContext(parent: main)
    #expect(child.findObject(with: lem.objectID) != nil)
    let books = ["Fiasco", "Solaris"].map { bookcase.insertBook($0, by: lem) }
    main.processPendingChanges()
    main.undoManager = UndoHistory()
    let list = lem["books"]

    let moved = try #require(child.findObject(with: books[0].objectID))
    moved["author"] = .object(herbert.objectID)
    try child.save()
    main.processPendingChanges()
    #expect(lem.members(at: 0).count == 2)
    main.undo()
    main.processPendingChanges()
    #expect(lem["books"] == list && herbert["books"] == .list([]))
    main.redo()
    main.processPendingChanges()
    #expect(lem.members(at: 0).count == 2)
  }

  @Test(
    "a redone insertion is in the relationship of an object that its turn changed or inserted before",
    arguments: [RelationshipDescription.DeleteRule.deny, .noAction], [false, true])
  func redoneInsertion(rule: RelationshipDescription.DeleteRule, isInserted: Bool) throws {
    let bookcase = try Bookcase(booksRule: rule)
    let context = bookcase.context
    context.undoManager = UndoHistory()
    let dune = bookcase.insertBook("Dune")
    if !isInserted { context.processPendingChanges() }
    dune["author"] = .null
    let frank = bookcase.insertAuthor("Frank")
    frank["books"] = .list([.object(dune.objectID)])
    context.processPendingChanges()

    context.undo()
    context.processPendingChanges()
    #expect(dune.isDeleted == isInserted && dune["author"] == .null)
    context.redo()
    context.processPendingChanges()
    #expect(dune["author"] == .object(frank.objectID))
    #expect(frank["books"] == .list([.object(dune.objectID)]))
  }

  @Test("rollback and reset empty the history, and cannot be undone", arguments: [true, false])
  func emptied(byReset: Bool) {
    _ = turn { a["pages"] = 20 }
    byReset ? context.reset() : context.rollback()
    _ = turn()
    #expect(context.undoManager?.canUndo == false)
    #expect(turn { context.undo() } == [])
  }

  @Test("what was merged stays when a turn is undone")
  func merged() throws {
    let background = ManagedObjectContext(coordinator: shelf.coordinator)
    _ = turn { a["title"] = "mine" }
    a.seen(in: background)?["pages"] = 99
    try background.save()
    let save = try #require(background.lastSave)
    _ = turn {
      a["price"] = 2
      context.mergeChanges(fromContextDidSave: save)
      a["publisher"] = "Ace"
    }

    _ = turn { context.undo() }
    #expect([a["title"], a["price"], a["publisher"], a["pages"]] == ["mine", nil, nil, 99])
    _ = turn { context.undo() }
    #expect([a["title"], a["pages"]] == ["A", 99])
    #expect(!context.hasChanges)
  }

  @Test("what was merged into a deleted object stays when its deletion is undone")
  func mergedIntoDeleted() throws {
    let background = ManagedObjectContext(coordinator: shelf.coordinator)
    _ = turn { a["title"] = "mine" }
    _ = turn {
      a["price"] = 2
      context.delete(a)
    }
    a.seen(in: background)?["pages"] = 99
    try background.save()
    let save = try #require(background.lastSave)
    _ = turn { context.mergeChanges(fromContextDidSave: save) }

    #expect(turn { context.undo() } == ["will", "insert mine -> [0, 0]", "did"])
    #expect([a["title"], a["price"], a["pages"]] == ["mine", nil, 99])
    _ = turn { context.undo() }
    #expect([a["title"], a["pages"]] == ["A", 99])
    #expect(!context.hasChanges)
    for _ in 1...2 { _ = turn { context.redo() } }
    #expect(a.isDeleted)
  }

  @Test("a deletion that a merge policy took back is not undone a second time")
  func deletionTakenBack() throws {
    let background = ManagedObjectContext(coordinator: shelf.coordinator)
    _ = turn { context.delete(a) }
    a.seen(in: background)?["pages"] = 99
    try background.save()
    context.mergePolicy = .rollback
    try context.save()
    _ = turn()
    #expect([a["title"], a["pages"]] == ["A", 99])

    #expect(turn { context.undo() } == [])
    #expect(a["pages"] == 99)
    #expect(!context.hasChanges)
  }

  @Test("an object that was deleted elsewhere does not come back by an undo")
  func deletedElsewhere() throws {
    let background = ManagedObjectContext(coordinator: shelf.coordinator)
    _ = turn { a["title"] = "mine" }
    background.delete(try #require(a.seen(in: background)))
    try background.save()
    let save = try #require(background.lastSave)
    _ = turn { context.mergeChanges(fromContextDidSave: save) }

    #expect(turn { context.undo() } == [])
    #expect(a.isDeleted)
  }

  @Test("only so many levels are kept")
  func levels() {
    context.undoManager?.levelsOfUndo = 2
    for pages in 1...5 { _ = turn { a["pages"] = .int(Int64(pages)) } }
    for _ in 0..<5 { _ = turn { context.undo() } }
    #expect(a["pages"] == 3)
  }

  @Test("a turn of more states than fit empties the history; insertions take none")
  func states() {
    context.undoManager?.stateLimit = 10
    _ = turn { a["title"] = "x" }
    var books: [ManagedObject] = []
    _ = turn { books = (0..<100).map { shelf.insert("\($0)") } }
    #expect(context.undoManager?.canUndo == true)
    _ = turn { for book in books { book["price"] = 1 } }
    #expect(context.undoManager?.canUndo == false)
    _ = turn { a["title"] = "y" }
    _ = turn { context.undo() }
    #expect(a["title"] == "x")
  }

  @Test("a save's derived values are no turn to undo, and stay when the user's change is undone")
  func derived() throws {
    let book = try EntityDescription(
      name: "Book",
      attributes: [
        .init("title", .string),
        AttributeDescription(
          name: "caps", type: .string, isOptional: true,
          expression: AttributeExpression(derivation: "canonical:(title)")),
      ])
    let context = try ManagedObjectContext(of: [book])
    context.undoManager = UndoHistory()
    func save() throws {
      try context.save()
      context.processPendingChanges()
    }
    let dune = context.insert(book)
    dune["title"] = "Dune"
    try save()
    dune["title"] = "Emma"
    try save()
    #expect(dune["caps"] == "emma")
    context.undo()
    #expect(dune["title"] == "Dune")
    #expect(dune["caps"] == "emma")
    try save()
    #expect(dune["caps"] == "dune")
    context.undo()
    #expect(dune.isDeleted)
    context.redo()
    context.redo()
    #expect(dune["title"] == "Emma")
    #expect(context.undoManager?.canRedo == false)
  }

  @Test("without a history nothing is kept and nothing happens")
  func off() {
    context.undoManager = nil
    _ = turn { a["pages"] = 20 }
    #expect(turn { context.undo() } == [])
    #expect(a["pages"] == 20)
  }
}

@Suite("object identities")
struct IdentityTests {
  @Test("an identity is temporary until the first save, through every parent")
  func temporary() throws {
    let library = try SeveralContexts()
    let store = library.shelf.coordinator.store.identifier
    let a = library.insert("A", in: library.edit)
    #expect(a.hasTemporaryID)
    #expect(a.uriRepresentation?.absoluteString == "x-coredata://\(store)/Book/t1")

    try library.edit.save()
    #expect(a.hasTemporaryID)
    try library.main.save()

    #expect(!a.hasTemporaryID)
    #expect(a.uriRepresentation?.absoluteString == "x-coredata://\(store)/Book/p1")
    #expect(a.seen(in: library.background)?.hasTemporaryID == false)
  }

  @Test("a snapshot tells which identities are temporary")
  func snapshots() throws {
    let library = try SeveralContexts()
    let a = library.insert("A", in: library.main)
    try library.main.save()
    let delegate = SnapshotDelegate()
    let controller = try library.shelf.controller(sort: "title")
    controller.delegate = delegate
    let b = library.insert("B", in: library.main)
    try controller.performFetch()
    #expect(delegate.snapshots.last?.itemIdentifiers == [a.objectID, b.objectID])
    #expect(delegate.snapshots.last?.temporaryItemIdentifiers == [b.objectID])
  }
}

private final class SnapshotDelegate: FetchedResultsControllerDelegate {
  let implementedMethods = FetchedResultsDelegateMethods.snapshot
  var snapshots: [FetchedResultsSnapshot] = []

  func controller(
    _ controller: FetchedResultsController, didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    snapshots.append(snapshot)
  }
}
