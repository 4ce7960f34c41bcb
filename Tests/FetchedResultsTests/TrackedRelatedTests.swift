import EngineWorlds
import FetchedResults
import Testing

@Suite("related objects that are tracked")
struct TrackedRelatedTests {
  private let context: ManagedObjectContext
  private let book, author: EntityDescription
  private var authors: [ManagedObject] = []
  private var books: [ManagedObject] = []

  init() throws {
    author = try EntityDescription(
      name: "Author",
      attributes: [.optional("name", .string), .init("born", .integer64, default: 0)],
      relationships: [
        .toMany("books", "Book", inverse: "author"), .toOne("master", "Author", inverse: "pupils"),
        .toMany("pupils", "Author", inverse: "master"),
      ], displayAttribute: "name")
    book = try EntityDescription(
      name: "Book",
      attributes: [
        .init("title", .string),
        AttributeDescription(
          name: "signature", type: .string, isOptional: true, isTransient: true,
          expression: AttributeExpression("author.name", keyPaths: ["author.name"]) { book in
            guard case .object(let id)? = book.value(forKey: "author") else { return .null }
            return book.values(of: id)?.value(forKey: "name") ?? .null
          }),
      ],
      relationships: [
        .toOne("author", "Author", inverse: "books"), .toOne("editor", "Author"),
        .toMany("readers", "Author"),
      ], displayAttribute: "title")
    context = try ManagedObjectContext(of: [author, book])
    for name in ["Ann", "Bob", "Cid"] {
      let object = context.insert(author)
      object["name"] = .string(name)
      authors.append(object)
    }
    for (index, title) in ["a", "b", "c"].enumerated() {
      let object = context.insert(book)
      object["title"] = .string(title)
      object["author"] = .object(authors[index].objectID)
      books.append(object)
    }
    try context.save()
  }

  private func tracked(
    _ keys: String..., section: String? = nil, where format: String? = nil
  ) throws -> (controller: FetchedResultsController, delegate: RecordingDelegate) {
    let controller = try context.controller(of: book, where: format, by: keys, sections: section)
    controller.tracksRelatedObjects = true
    return (controller, try RecordingDelegate(fetching: controller))
  }

  @Test("a value that a sort key reads moves the rows that lead to it, and other values do nothing")
  func sorted() throws {
    let (controller, delegate) = try tracked("author.name")
    authors[0]["name"] = "Zoe"
    #expect(delegate.received() == ["will", "move a [0, 0] -> [0, 2]", "did"])
    authors[0]["name"] = "Zora"
    #expect(delegate.received() == ["will", "update a [0, 2] -> [0, 2]", "did"])
    authors[0]["born"] = 1920
    authors[1]["name"] = "Bob"
    #expect(delegate.received() == [])
    #expect(controller.shown == [": b, c, a"])
  }

  @Test("a row that a fetch found before its merge follows the related object of that merge")
  func fetchedBeforeMerge() throws {
    let (controller, delegate) = try tracked("author.name")
    let other = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
    let new = other.insert(book)
    new["title"] = "d"
    new["author"] = .object(authors[0].objectID)
    other.findObject(with: authors[0].objectID)?["name"] = "Zoe"
    try other.save()
    try controller.performFetch()
    #expect(controller.shown == [": a, d, b, c"])

    context.mergeChanges(fromContextDidSave: try #require(other.lastSave))
    #expect(
      delegate.received() == [
        "will", "move a [0, 0] -> [0, 2]", "move d [0, 1] -> [0, 3]", "did",
      ])
    #expect(controller.shown == [": b, c, a, d"])
  }

  @Test("a section key path moves rows between sections")
  func sections() throws {
    let (controller, delegate) = try tracked("author.name", section: "author.name")
    authors[2]["name"] = "Ann"
    #expect(
      delegate.received() == [
        "will", "delete section 2 'Cid'", "move c [2, 0] -> [0, 1]", "did",
      ])
    #expect(controller.shown == ["Ann: a, c", "Bob: b"])
  }

  @Test("a predicate lets objects in that were no rows, over two relationships")
  func predicate() throws {
    let (controller, delegate) = try tracked("title", where: "author.master.name == 'Zoe'")
    authors[1]["master"] = .object(authors[0].objectID)
    #expect(delegate.received() == [])
    authors[0]["name"] = "Zoe"
    context.processPendingChanges()
    #expect(delegate.takeHistory() == ["will", "insert b -> [0, 0]", "did"])
    authors[1]["master"] = .null
    #expect(delegate.received() == ["will", "delete b [0, 0]", "did"])
    #expect(controller.shown == [": "])
  }

  @Test("a relationship of a related object is read, also if its entity adds attributes")
  func subentity() throws {
    let author = try EntityDescription(
      name: "Author", attributes: [],
      relationships: [.toMany("books", "Book", inverse: "author"), .toOne("master", "Author")])
    let book = try EntityDescription(
      name: "Book", attributes: [.init("title", .string)],
      relationships: [.toOne("author", "Author", inverse: "books")], displayAttribute: "title")
    let poet = try EntityDescription(
      name: "Poet", superentity: author, attributes: [.init("verses", .integer64, default: 0)])
    let context = try ManagedObjectContext(of: [author, poet, book])
    let (writer, master) = (context.insert(poet), context.insert(author))
    let object = context.insert(book)
    object["title"] = "a"
    object["author"] = .object(writer.objectID)
    try context.save()
    let controller = try context.controller(of: book, where: "author.master != nil", by: ["title"])
    controller.tracksRelatedObjects = true
    let delegate = try RecordingDelegate(fetching: controller)
    writer["verses"] = 3
    context.processPendingChanges()
    #expect(delegate.takeHistory() == [])
    writer["master"] = .object(master.objectID)
    context.processPendingChanges()
    #expect(delegate.takeHistory() == ["will", "insert a -> [0, 0]", "did"])
  }

  @Test("relationships without an inverse are led back by the store and the unsaved objects")
  func withoutInverse() throws {
    books[0]["editor"] = .object(authors[2].objectID)
    books[1]["readers"] = .list([.object(authors[2].objectID)])
    try context.save()
    books[2]["editor"] = .object(authors[2].objectID)
    let (_, delegate) = try tracked("title", where: "editor.born > 0 OR ANY readers.born > 0")

    authors[2]["born"] = 1
    #expect(
      delegate.received() == [
        "will", "insert a -> [0, 0]", "insert b -> [0, 1]", "insert c -> [0, 2]", "did",
      ])
    books[0]["editor"] = .null
    authors[2]["born"] = 0
    #expect(
      delegate.received() == [
        "will", "delete a [0, 0]", "delete b [0, 1]", "delete c [0, 2]", "did",
      ])
  }

  @Test("an undo and a rollback are changes of the related object, too")
  func undone() throws {
    context.undoManager = UndoHistory()
    let (controller, delegate) = try tracked("author.name", "title")
    authors[0]["name"] = "Zoe"
    context.processPendingChanges()
    context.undo()
    context.processPendingChanges()
    #expect(controller.shown == [": a, b, c"])
    authors[1]["name"] = .null
    context.processPendingChanges()
    #expect(controller.shown == [": b, a, c"])
    context.rollback()
    context.processPendingChanges()
    #expect(controller.shown == [": a, b, c"])
    #expect(delegate.history.count == 12)
  }

  @Test("a merge of another context's save counts, also of an object that was never read")
  func merged() throws {
    let reader = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
    let controller = try reader.controller(of: book, where: "author.name != 'Ann'", by: ["title"])
    controller.tracksRelatedObjects = true
    let delegate = try RecordingDelegate(fetching: controller)
    #expect(controller.shown == [": b, c"])

    authors[0]["name"] = "Zoe"
    try context.save()
    let save = try #require(context.lastSave)
    reader.mergeChanges(fromContextDidSave: save)
    reader.processPendingChanges()

    #expect(delegate.history == ["will", "insert a -> [0, 0]", "did"])
  }

  @Test("what a computed section key reads of a related object moves rows between sections")
  func computed() throws {
    let (controller, delegate) = try tracked("title", section: "signature")
    authors[0]["name"] = "Zoe"
    #expect(!delegate.received().isEmpty)
    #expect(controller.shown == ["Zoe: a", "Bob: b", "Cid: c"])
    authors[0]["born"] = 1920
    #expect(delegate.received() == [])
  }

  @Test("without the option a related object moves nothing")
  func off() throws {
    let (controller, delegate) = try tracked("author.name")
    controller.tracksRelatedObjects = false
    try controller.performFetch()
    authors[0]["name"] = "Zoe"
    #expect(delegate.received() == [])
  }

  @Test("what key paths read is found in every form of a predicate")
  func crossed() throws {
    func paths(_ format: String) throws -> [String] {
      FetchRequest(entity: book, predicate: try FetchPredicate(format: format))
        .crossedObjects(section: nil).map(\.keyPath)
    }
    #expect(try paths("author == nil AND title != '' AND readers.@count > 2") == [])
    #expect(try paths("author.name == 'x' OR NOT editor.born > 1") == ["author", "editor"])
    #expect(try paths("ANY author.pupils.name == 'x'") == ["author", "author.pupils"])
    #expect(try paths("readers.@sum.born > 3") == ["readers"])
    #expect(
      try paths("SUBQUERY(author.pupils, $p, $p.master.born > 1 AND title == 'x').@count > 0")
        == ["author", "author.pupils", "author.pupils.master"])
    #expect(try paths("FUNCTION(author, 'name') == 'x'") == ["author"])
    #expect(try paths("TERNARY(title == 'x', author, editor).name == 'y'") == ["author", "editor"])
  }
}
