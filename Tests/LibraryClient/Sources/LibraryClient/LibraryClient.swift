import FetchedResultsMacros
import FetchedResultsSQLite
import Foundation

@Managed final class Publisher {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade) var books: Set<Book>
}

@Managed final class Author {
  var name: String
  var books: Set<Book>
}

@Managed final class Book: ManagedEntity {
  var title: String
  var pages = 0
  @Relationship(inverse: \Publisher.books) var publisher: Publisher?
  @Relationship(inverse: \Author.books) var author: Author?
  @Relationship(deleteRule: .cascade) var reviews: [Review]
}

@Managed final class Review {
  var stars = 5
  @Relationship(inverse: \Book.reviews) var book: Book?
}

/// A list that shows the rows of a controller, as a table view would.
@MainActor final class BookList {
  private(set) var sections: [FetchedResultsSnapshot.Section] = []
  private(set) var batches = 0
  var rowCount: Int { sections.reduce(0) { $0 + $1.itemIdentifiers.count } }

  /// Applies differences until the list has this many rows.
  func follow(_ changes: AsyncStream<SectionedDifference>, toRows count: Int) async throws {
    for await difference in changes {
      try difference.apply(to: &sections)
      batches += 1
      if rowCount == count { return }
    }
  }
}

/// Inserts books with their publishers, authors and reviews, a thousand books in each save.
func importBooks(_ count: Int, into container: PersistentContainer) async throws {
  try await container.performBackgroundTask { context in
    let publishers = (0..<20).map { Publisher(name: "Publisher \($0)", in: context) }
    let authors = (0..<100).map { Author(name: "Author \($0)", in: context) }
    for number in 0..<count {
      let book = Book(
        title: "Book \(number)", pages: number % 900, publisher: publishers[number % 20],
        author: authors[number % 100], in: context)
      if number % 10 == 0 { _ = Review(stars: number % 5 + 1, book: book, in: context) }
      if number % 1_000 == 999 { try context.save() }
    }
    try context.save()
  }
}

@main struct LibraryClient {
  @MainActor static func main() async throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try PersistentContainer(
      managedObjectModel: try ManagedObjectModel(
        for: Publisher.self, Author.self, Book.self, Review.self),
      sqliteStoreAt: folder.appending(path: "library.sqlite"))
    let context = try container.newContext()
    context.undoManager = UndoHistory()

    let request = FetchRequest<Book>(
      sortBy: [.init(\.publisher.name), .init(\.title, .localizedStandardCompare)])
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: \.publisher.name)
    try await controller.performFetch()
    let changes = controller.changes
    let list = BookList()

    // The list follows while the import runs.
    async let imported: Void = importBooks(10_000, into: container)
    try await list.follow(changes, toRows: 10_000)
    try await imported
    print("\(list.rowCount) books in \(list.sections.count) sections")

    // One turn: a publisher goes with its books, and another book moves to another section.
    let publishers = try await context.fetch(FetchRequest<Publisher>(sortBy: [.init(\.name)]))
    let moved = controller[ResultsIndexPath(section: 1, row: 0)]
    publishers[0].delete()
    moved.publisher = publishers[2]
    context.processPendingChanges()
    try await list.follow(changes, toRows: 9_500)
    print("after the deletion: \(list.sections.count) sections")

    // Undo brings back the publisher, its books and their reviews, and moves the book back.
    context.undo()
    context.processPendingChanges()
    try await list.follow(changes, toRows: 10_000)
    try await context.save()
    print("after undo: \(list.sections.count) sections")

    // The list, the controller and another context agree, also about related objects.
    let fresh = try container.newContext()
    let books = try await fresh.fetch(request)
    let lists = [list.sections.flatMap(\.itemIdentifiers), controller.objects.map(\.id)]
    let reviews = try await fresh.count(for: FetchRequest<Review>())
    let good = lists.allSatisfy { $0 == books.map(\.id) } && moved.publisher == publishers[1]
    guard good, reviews == 1_000, books[0].author?.books.count == 100 else {
      print("the list shows something else than the store has")
      exit(EXIT_FAILURE)
    }
    print("the list, the controller and the store agree")
  }
}
