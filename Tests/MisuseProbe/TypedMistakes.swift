import TypedEngine

private func container() throws -> PersistentContainer {
  PersistentContainer(managedObjectModel: try ManagedObjectModel(for: Author.self, Book.self))
}

private func context() throws -> ManagedObjectContext {
  try container().newContext(isolation: nil)
}

private func controller() throws -> FetchedResultsController<Book> {
  try FetchedResultsController(
    fetchRequest: FetchRequest<Book>(sortBy: [.init(\.title)]), managedObjectContext: context())
}

let typedMistakes = [
  Mistake("typed: insert an object of a class that the model does not have") {
    _ = Magazine(in: try context())
  },
  Mistake("typed: take an object before the fetch") {
    print(try controller()[ResultsIndexPath(section: 0, row: 0)])
  },
  Mistake("typed: take an object that the results do not have") {
    let controller = try controller()
    try controller.performFetch()
    print(controller[ResultsIndexPath(section: 0, row: 5)])
  },
  Mistake("typed: set a value of a deleted object") {
    let context = try context()
    let book = Book(in: context)
    try context.save()
    book.delete()
    try context.save()
    book.title = "Emma"
  },
  Mistake("typed: set an object of another context") {
    let container = try container()
    let contexts = try (0..<2).map { _ in try container.newContext(isolation: nil) }
    Book(in: contexts[1]).author = Author(in: contexts[0])
    withExtendedLifetime(contexts) {}
  },
  Mistake("typed: set an object after the context is gone") {
    Book(in: try context()).author = Author(in: try context())
  },
  Mistake("typed: add an object of another context") {
    let container = try container()
    let contexts = try (0..<2).map { _ in try container.newContext(isolation: nil) }
    let (book, author) = (Book(in: contexts[0]), Author(in: contexts[1]))
    ManagedAccess.add([book], of: author.managedObject, at: 0)
    withExtendedLifetime(contexts) {}
  },
  Mistake("typed: remove a deleted object") {
    let context = try context()
    let (author, book) = (Author(in: context), Book(in: context))
    book.delete()
    ManagedAccess.remove([book], of: author.managedObject, at: 0)
  },
]
