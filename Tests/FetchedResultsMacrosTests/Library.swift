import Basics
import FetchedResultsMacros
import FetchedResultsSQLite
import Foundation

enum Genre: String, CaseIterable, Codable, Sendable {
  case fiction
  case science
  case travel
}

enum Rank: Int16, CaseIterable, Codable, Sendable {
  case low = 1
  case high = 2
}

@Managed final class Author {
  var name: String
  var age = 30
  var isAlive = true
  var nickname: String?
  @Relationship(deleteRule: .cascade) var books: Set<Book>
}

@Managed(originalName: "Volume") final class Book {
  var title: String
  var subtitle: String?
  var pages = 0
  var rating: Double?
  var weight = 1.5
  var isRead = false
  var genre: Genre = .fiction
  var mood: Genre?
  var rank: Rank = .low
  var published: Date = Date(timeIntervalSinceReferenceDate: 0)
  var lent: Date?
  var serial: UUID = UUID()
  var price: Decimal = 0
  var link: URL?
  var small: Int16 = 0
  var tiny: UInt8 = 0
  var wide: Int32 = 0
  var share: Float = 0
  @Attribute(.allowsExternalBinaryDataStorage) var cover: Data?
  @Transient var isSelected = false
  @Relationship(inverse: \Author.books) var author: Author?
  @Relationship(inverse: \Shelf.books) var shelf: Shelf?

  var isLong: Bool { pages > 300 }
  var authorName: String? { author?.name }
}

enum Mark: Int, Codable, Sendable {
  case plain = 0
  case starred = 1
}

@Managed final class Shelf {
  var label = ""
  var mark: Mark = .plain
  var books: [Book]
}

/// A store with the classes of the tests, in memory or in a file.
final class Library {
  let model: ManagedObjectModel
  let coordinator: PersistentStoreCoordinator
  private(set) var context: ManagedObjectContext
  private let file: URL?

  enum Kind: CaseIterable {
    case memory
    case file
  }

  init(_ kind: Kind) throws {
    model = try ManagedObjectModel(for: Book.self, Author.self, Shelf.self)
    switch kind {
    case .memory:
      file = nil
      coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    case .file:
      let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
      file = url
      coordinator = try PersistentStoreCoordinator(
        managedObjectModel: model, sqliteStoreAt: url)
    }
    context = ManagedObjectContext(coordinator: coordinator)
  }

  deinit {
    guard let file else { return }
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }

  /// Saves, and continues with a context that has no objects.
  func renew() throws {
    try context.save()
    context = ManagedObjectContext(coordinator: coordinator)
  }

  /// Inserts authors, and books of some of them.
  func fill(_ count: Int, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let words = ["dune", "emma", "Ulysses", "äther", "Dune Messiah", "", "room 101", "zoo", "é"]
    let authors = (0..<6).map { index in
      Author(
        name: words[index], age: random.number(20...60), isAlive: random.chance(2),
        nickname: random.chance(2) ? nil : words[random.number(0...8)], in: context)
    }
    for _ in 0..<count {
      let book = Book(
        title: words[random.number(0...8)],
        subtitle: random.chance(3) ? nil : words[random.number(0...8)],
        pages: random.number(0...8) * 50,
        rating: random.chance(3) ? nil : Double(random.number(0...5)),
        weight: Double(random.number(0...8)) / 2, isRead: random.chance(2),
        genre: Genre.allCases[random.number(0...2)],
        mood: random.chance(2) ? nil : Genre.allCases[random.number(0...2)],
        rank: random.chance(2) ? .low : .high,
        published: Date(timeIntervalSinceReferenceDate: Double(random.number(0...9)) * 86400),
        lent: random.chance(2) ? nil : Date(timeIntervalSinceReferenceDate: 0),
        serial: UUID(
          uuid: (UInt8(random.number(0...3)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        price: Decimal(random.number(0...20)) / 4, small: Int16(random.number(0...9)),
        tiny: UInt8(random.number(0...255)), wide: Int32(random.number(-5...5)),
        share: Float(random.number(0...4)) / 4, in: context)
      book.author = random.chance(4) ? nil : authors[random.number(0...4)]
    }
  }
}
