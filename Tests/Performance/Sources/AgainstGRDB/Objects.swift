import FetchedResultsMacros
import FetchedResultsSQLite
import Foundation

/// The class of the objects.
@Managed final class Book {
  var title: String
  var pages = 0
  var price = 0.0
}

/// The side of typed classes and a container.
@MainActor
enum Objects {
  static func container(_ file: URL, isFull: Bool = true) throws -> PersistentContainer {
    try PersistentContainer(
      managedObjectModel: try ManagedObjectModel(for: Book.self), sqliteStoreAt: file,
      durability: isFull ? .full : .normal)
  }

  // MARK: Reading

  static func read(_ file: URL) throws -> Reading {
    let books = try context(file).fetch(FetchRequest<Book>())
    var sum = 0
    for book in books { sum += book.pages + book.title.utf8.count }
    return Reading(sum: sum, rows: books)
  }

  static func readByName(_ file: URL) throws -> Reading {
    let context = try context(file)
    let objects = try context.fetch(FetchRequest<Book>().request(in: context))
    var sum = 0
    for object in objects {
      sum += Int(object["pages"].int ?? 0) + (object["title"].string?.utf8.count ?? 0)
    }
    return Reading(sum: sum, rows: objects)
  }

  private static func context(_ file: URL) throws -> ManagedObjectContext {
    ManagedObjectContext(
      coordinator: try PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(for: Book.self), sqliteStoreAt: file))
  }

  // MARK: Writing

  @discardableResult
  static func insertInLoop(_ rows: [SourceRow], _ container: PersistentContainer) async throws
    -> Int
  {
    try await container.performBackgroundTask { context in
      for (index, row) in rows.enumerated() {
        _ = Book(title: row.title, pages: row.pages, price: row.price, in: context)
        if index % 1_000 == 999 { try context.save() }
      }
      try context.save()
    }
    return try await count(container)
  }

  static func insertStream(_ rows: [SourceRow], _ container: PersistentContainer) async throws
    -> Int
  {
    guard let entity = container.managedObjectModel.entitiesByName["Book"] else { return 0 }
    try await container.insertObjects(of: entity, from: Stream(rows: rows)) { row, object in
      let book = Book(managedObject: object)
      book.title = row.title
      book.pages = row.pages
      book.price = row.price
    }
    return try await count(container)
  }

  static func insertBatch(_ rows: [SourceRow], _ container: PersistentContainer) async throws
    -> Int
  {
    guard let entity = container.managedObjectModel.entitiesByName["Book"] else { return 0 }
    try await container.performBackgroundTask { context in
      let objects = rows.map { row -> [String: PropertyValue] in
        [
          "title": .string(row.title), "pages": .int(Int64(row.pages)), "price": .double(row.price),
        ]
      }
      try context.execute(BatchInsertRequest(entity: entity, objects: objects))
    }
    return try await count(container)
  }

  /// Saves each row by itself.
  static func saveEach(_ rows: [SourceRow], _ container: PersistentContainer) throws -> Int {
    let context = try container.newContext()
    for row in rows {
      _ = Book(title: row.title, pages: row.pages, price: row.price, in: context)
      try context.save()
    }
    return try context.count(for: FetchRequest<Book>())
  }

  private static func count(_ container: PersistentContainer) async throws -> Int {
    try await container.performBackgroundTask { try $0.count(for: FetchRequest<Book>()) }
  }
}

/// The rows as a sequence that never suspends.
struct Stream: AsyncSequence, Sendable {
  typealias Element = SourceRow

  let rows: [SourceRow]

  func makeAsyncIterator() -> Iterator { Iterator(rows: rows.makeIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    var rows: IndexingIterator<[SourceRow]>

    mutating func next() async -> SourceRow? { rows.next() }
  }
}
