import FetchedResultsMacros

@testable import Shelf

extension Library {
  /// The lines of the list as a context that has seen nothing yet fetches them.
  func freshList(search: String) throws -> [String] {
    let context = try container.newContext(isolation: nil)
    var lines: [String] = []
    let books = try context.fetch(Self.request(search: search))
    for (shelf, count) in books.reduce(into: [(String, Int)](), Self.count) {
      lines.append("\(shelf) (\(count))")
      for book in books where book.shelf == shelf {
        lines.append("  \(book.title)\(book.author.isEmpty ? "" : ", \(book.author)")")
      }
    }
    return lines
  }

  private static func count(_ shelves: inout [(String, Int)], _ book: Book) {
    if shelves.last?.0 == book.shelf {
      shelves[shelves.count - 1].1 += 1
    } else {
      shelves.append((book.shelf, 1))
    }
  }

  /// Changes some books as another part of a program would, on another thread.
  func changeInBackground(_ round: Int, seed: UInt64) async throws {
    try await container.performBackgroundTask { context in
      // The app may delete or change a book before this is saved.
      context.mergePolicy = .mergeByPropertyStoreTrump
      for (index, book) in try context.fetch(FetchRequest<Book>(sortBy: [.init(\.title)]))
        .enumerated()
      where (UInt64(index) &+ seed) % 5 == 0 {
        switch (UInt64(index) &+ seed) % 3 {
        case 0: book.delete()
        case 1: book.shelf = "Shelf \(round % 5)"
        default: book.title += " \(round)"
        }
      }
      _ = Book(title: "New \(round)", author: "", shelf: "Shelf \(seed % 6)", in: context)
      try context.save()
    }
  }
}
