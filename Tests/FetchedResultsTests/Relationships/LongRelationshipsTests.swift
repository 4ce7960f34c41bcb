import Basics
import EngineWorlds
import FetchedResults
import Testing

@Suite("relationships of many objects")
struct LongRelationshipsTests {
  let author: EntityDescription
  let book: EntityDescription
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext
  let someone: ManagedObject
  let books: [ManagedObject]

  init() throws {
    author = try EntityDescription(
      name: "Author", attributes: [],
      relationships: [
        .toMany("books", "Book", inverse: "author"),
        .toMany("shelf", "Book", inverse: "owner", isOrdered: true),
        .toMany("marked", "Book", isOrdered: true), .toMany("lent", "Book"),
      ])
    book = try EntityDescription(
      name: "Book", attributes: [],
      relationships: [
        .toOne("author", "Author", inverse: "books"), .toOne("owner", "Author", inverse: "shelf"),
      ])
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [author, book]))
    context = ManagedObjectContext(coordinator: coordinator)
    context.undoManager = UndoHistory()
    someone = context.insert(author)
    let book = book
    let context = context
    books = (0..<1600).map { _ in context.insert(book) }
    try context.save()
  }

  /// Adds or removes a book in a plain array, as the relationship should.
  private func change(
    _ members: inout [ManagedObject], _ book: ManagedObject, adds: Bool, isOrdered: Bool
  ) {
    let place = members.firstIndex { $0 === book }
    switch (adds, place) {
    case (true, nil):
      let end = isOrdered ? nil : members.firstIndex { $0.objectID.number > book.objectID.number }
      members.insert(book, at: end ?? members.count)
    case (false, let place?): members.remove(at: place)
    case (true, _?), (false, nil): break
    }
  }

  private func list(_ members: [ManagedObject]) -> PropertyValue {
    .list(members.map { .object($0.objectID) })
  }

  @Test(
    "changes one by one give what they give in a plain list",
    arguments: [("books", false), ("shelf", true), ("marked", true), ("lent", false)])
  func oneByOne(key: String, isOrdered: Bool) throws {
    var generator = SeededGenerator(seed: 7)
    var members: [ManagedObject] = []
    // Grows past the length from which on the list is kept in blocks, and back.
    for (step, chance) in (0..<6000).map({ ($0, $0 < 3000 ? 80 : 25) }) {
      let book = try #require(books.randomElement(using: &generator))
      let adds = Int.random(in: 0..<100, using: &generator) < chance
      if adds { try someone.add(book, to: key) } else { try someone.remove(book, from: key) }
      change(&members, book, adds: adds, isOrdered: isOrdered)
      if step % 7 == 0 { context.processPendingChanges() }
      if step % 97 == 0 { #expect(someone[key] == list(members)) }
      if step % 1100 == 0 { try context.save() }
    }
    #expect(someone[key] == list(members))
    for other in books.prefix(200) where key == "books" {
      let isMember = members.contains { $0 === other }
      #expect(other["author"] == (isMember ? .object(someone.objectID) : .null))
    }
    try context.save()
    let second = ManagedObjectContext(coordinator: coordinator)
    #expect(second.object(with: someone.objectID)[key] == list(members))
  }

  @Test("what was before a change stays as it was", arguments: ["books", "shelf", "marked"])
  func before(key: String) throws {
    for book in books { try someone.add(book, to: key) }
    try context.save()
    context.processPendingChanges()
    let saved = someone[key]
    try someone.remove(books[700], from: key)
    context.processPendingChanges()
    let changed = someone[key]
    #expect(saved.list?.count == 1600 && changed.list?.count == 1599)
    try someone.add(books[700], to: key)
    context.processPendingChanges()
    #expect((someone[key] == saved) == (key == "books"))
    context.undo()
    #expect(someone[key] == changed)
    context.undo()
    #expect(someone[key] == saved)
    context.redo()
    #expect(someone[key] == changed)
    context.rollback()
    #expect(someone[key] == saved)
  }
}
