import FetchedResults

/// A wrong use of the library.
struct Mistake: Sendable {
  let name: String
  let make: @Sendable () throws -> Void

  init(_ name: String, _ make: @escaping @Sendable () throws -> Void) {
    self.name = name
    self.make = make
  }
}

/// Books and their authors.
private struct Library {
  let work, book, author: EntityDescription
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext

  init() throws {
    work = try EntityDescription(
      name: "Work", isAbstract: true,
      attributes: [AttributeDescription(name: "title", type: .string, isOptional: true)])
    book = try EntityDescription(
      name: "Book", superentity: work,
      attributes: [
        AttributeDescription(name: "pages", type: .integer64, defaultValue: 0),
        AttributeDescription(
          name: "size", type: .integer64, isOptional: true,
          expression: AttributeExpression(derivation: "pages")),
      ], relationships: [RelationshipDescription(name: "author", destination: "Author")])
    author = try EntityDescription(
      name: "Author",
      attributes: [AttributeDescription(name: "name", type: .string, isOptional: true)])
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [work, book, author]))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  func results() throws -> FetchedResultsController {
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: book, sortDescriptors: [FetchSortDescriptor(key: "title")]),
      managedObjectContext: context)
    context.insert(book)
    try controller.performFetch()
    return controller
  }
}

let engineMistakes = [
  Mistake("read an unknown key") {
    let library = try Library()
    print(library.context.insert(library.book)["titel"])
  },
  Mistake("read a key that is like no other") {
    let library = try Library()
    print(library.context.insert(library.book)["x"])
  },
  Mistake("set an unknown key") {
    let library = try Library()
    library.context.insert(library.book)["titel"] = "Emma"
  },
  Mistake("set a value of another type") {
    let library = try Library()
    library.context.insert(library.book)["pages"] = "many"
  },
  Mistake("set a computed value") {
    let library = try Library()
    library.context.insert(library.book)["size"] = 5
  },
  Mistake("set an object of another entity") {
    let library = try Library()
    let book = library.context.insert(library.book)
    book["author"] = .object(book.objectID)
  },
  Mistake("set an object of another context") {
    let library = try Library()
    let other = ManagedObjectContext(coordinator: library.coordinator)
    let author = other.insert(library.author)
    library.context.insert(library.book)["author"] = .object(author.objectID)
  },
  Mistake("set an object of another context of a container") {
    let library = try Library()
    let container = PersistentContainer(managedObjectModel: library.coordinator.managedObjectModel)
    let author = try container.newContext(isolation: nil).insert(library.author)
    let context = try container.newContext(isolation: nil)
    context.insert(library.book)["author"] = .object(author.objectID)
  },
  Mistake("set a value of a deleted object") {
    let library = try Library()
    let book = library.context.insert(library.book)
    try library.context.save()
    library.context.delete(book)
    try library.context.save()
    book["title"] = "Emma"
  },
  Mistake("insert an object of an abstract entity") {
    let library = try Library()
    library.context.insert(library.work)
  },
  Mistake("insert an object of another model's entity") {
    let (library, other) = (try Library(), try Library())
    library.context.insert(other.book)
  },
  Mistake("take an object that the results do not have") {
    print(try Library().results().fetchedObjects?[7] as Any)
  },
  Mistake("take a section that the results do not have") {
    print(try Library().results().sections?[7].name as Any)
  },
]
