import FetchedResults
import Testing

@testable import FetchedResultsSQLite

/// Relationships without an inverse, which a deletion does not find.
@Suite("References to deleted objects")
struct ReferenceTests {
  private let folder = StoreFolder()

  private func open() throws -> ManagedObjectContext { try folder.context(Library.model()) }

  @Test("a deletion costs what leads to the object, however high numbers are")
  func cost() throws {
    let before = try open()
    let book = try before.insert("Book")
    let author = try before.insert(
      "Author", ["favourite": .object(book.objectID), "read": .list([.object(book.objectID)])])
    for _ in 1...300 { _ = try before.insert("Author") }
    try before.save()
    try folder.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 3000000")

    let context = try open()
    let store = try #require(context.persistentStoreCoordinator.sqlStore)
    let opened = store.activity
    let entity = try context.entity("Book")
    let id = ObjectID(entity: entity, number: book.objectID.number)
    context.delete(try #require(context.findObject(with: id)))
    try context.save()
    #expect(store.activity.statements - opened.statements < 40)
    #expect(store.activity.rows - opened.rows < 40)
    let left = try open().fetch(named: "Author")[0]
    #expect(left.objectID.number == author.objectID.number)
    #expect(left["favourite"] == .null)
    #expect(left["read"] == .list([]))
    #expect(try folder.lines("SELECT count(*) FROM Z_1READ") == ["0"])
  }

  @Test("every object of an entity is found without a look at each number")
  func registered() throws {
    let before = try open()
    for _ in 1...3 { _ = try before.insert("Author") }
    try before.save()
    try folder.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 3000000")
    let context = try open()
    let author = try context.entity("Author")
    _ = try context.insert("Author")
    #expect(context.registeredObjects(of: author).map(\.objectID.number) == [1, 2, 3, 3_000_001])
    #expect(try #require(context.persistentStoreCoordinator.sqlStore).activity.statements < 10)
  }

  @Test("references are cleared in every store, wherever they were made", arguments: [false, true])
  func cleared(isInFile: Bool) throws {
    let context =
      isInFile
      ? try open()
      : ManagedObjectContext(
        coordinator: PersistentStoreCoordinator(managedObjectModel: try Library.model()))
    let books = try (1...3).map { _ in try context.insert("Book") }
    let ids = books.map { PropertyValue.object($0.objectID) }
    let saved = try context.insert("Author", ["favourite": ids[0], "read": .list(ids)])
    try context.save()
    let child = ManagedObjectContext(parent: context)
    let unsaved = try context.insert("Author", ["favourite": ids[0], "read": .list(ids)])
    let other = try child.insert("Author", ["favourite": ids[0]])

    child.delete(try #require(child.findObject(with: books[0].objectID)))
    try child.save()
    context.delete(books[1])
    try context.save()
    for author in [saved, unsaved] {
      #expect(author["favourite"] == .null)
      #expect(author["read"] == .list([ids[2]]))
    }
    #expect(context.findObject(with: other.objectID)?["favourite"] == .null)
    // A second deletion finds the changes since the first.
    try saved.setValue(ids[2], forKey: "favourite")
    try context.save()
    context.delete(books[2])
    try context.save()
    #expect(saved["favourite"] == .null)
    #expect(unsaved["read"] == .list([]))
  }
}
