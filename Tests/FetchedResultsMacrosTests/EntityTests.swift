import FetchedResultsMacros
import Foundation
import Testing

/// The entities of managed classes, and the behavior of their objects.
@Suite("Managed classes")
struct EntityTests {
  @Test("the entity has the attributes that the class declares")
  func attributes() throws {
    let model = try ManagedObjectModel(for: Book.self, Author.self, Shelf.self)
    let book = try #require(model.entitiesByName["Book"])
    #expect(book.renamingIdentifier == "Volume")
    #expect(
      book.attributes.map { "\($0.name) \($0.type.rawValue)\($0.isOptional ? "?" : "")" } == [
        "title String", "subtitle String?", "pages Int64", "rating Double?", "weight Double",
        "isRead Bool", "genre String", "mood String?", "rank Int16", "published Date",
        "lent Date?", "serial UUID", "price Decimal", "link URI?", "small Int16", "tiny Int16",
        "wide Int32", "share Float", "cover Data?", "isSelected Bool",
      ])
    #expect(
      book.attributes.filter { !$0.defaultValue.isNull }.map { "\($0.name) \($0.defaultValue)" }
        == [
          "pages 0", "weight 1.5", "isRead false", "genre fiction", "rank 1", "price 0", "small 0",
          "tiny 0", "wide 0", "share 0.0", "isSelected false",
        ])
    #expect(book.attributes.filter(\.isTransient).map(\.name) == ["isSelected"])
    #expect(book.attributes.filter(\.allowsExternalBinaryDataStorage).map(\.name) == ["cover"])
  }

  @Test("relationships find their inverses")
  func relationships() throws {
    let model = try ManagedObjectModel(for: Book.self, Author.self, Shelf.self)
    let found = model.entities.flatMap { entity in
      entity.relationships.map {
        "\(entity.name).\($0.name) \($0.destination).\($0.inverse ?? "") \($0.isToMany) "
          + "\($0.isOrdered) \($0.deleteRule.rawValue)"
      }
    }
    #expect(
      found == [
        "Book.author Author.books false false nullify",
        "Book.shelf Shelf.books false false nullify",
        "Author.books Book.author true false cascade",
        "Shelf.books Book.shelf true true nullify",
      ])
  }

  @Test("values are read as they were set", arguments: Library.Kind.allCases)
  func values(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    let uuid = UUID()
    let book = Book(
      title: "Dune", pages: 412, mood: .travel, rank: .high,
      published: Date(timeIntervalSinceReferenceDate: 5), serial: uuid, price: 9.75,
      link: URL(string: "https://example.org"), small: -3, tiny: 255, wide: -70_000, share: 0.25,
      cover: Data([1, 2]), in: library.context)
    #expect(book.isInserted && book.hasChanges)
    try library.renew()
    let read = try #require(try library.context.fetch(FetchRequest<Book>()).first)
    #expect(read.title == "Dune" && read.pages == 412 && read.subtitle == nil)
    #expect(read.genre == .fiction && read.mood == .travel && read.rank == .high)
    #expect(read.published == Date(timeIntervalSinceReferenceDate: 5) && read.lent == nil)
    #expect(read.serial == uuid && read.price == 9.75 && read.weight == 1.5)
    #expect(read.link == URL(string: "https://example.org") && read.cover == Data([1, 2]))
    #expect(read.small == -3 && read.tiny == 255 && read.wide == -70_000 && read.share == 0.25)
    read.mood = nil
    read.subtitle = "A novel"
    read.isSelected = true
    #expect(read.isUpdated && read.mood == nil && read.subtitle == "A novel" && read.isSelected)
    #expect(read.managedObject["subtitle"] == "A novel")
  }

  @Test("a Float property holds every Float", arguments: Library.Kind.allCases)
  func floats(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    let book = Book(title: "Dune", share: .nan, in: library.context)
    #expect(book.share.isNaN)
    for share in [Float.infinity, -.infinity, .greatestFiniteMagnitude] {
      book.share = share
      try library.context.save()
      library.context.refreshAllObjects()
      #expect(book.share == share)
    }
    #expect(throws: ObjectError.self) {
      try book.managedObject.setValue(.double(1e300), forKey: "share")
    }
  }

  @Test("what a store does not have is read as a placeholder or the initial value")
  func placeholders() throws {
    let library = try Library(.memory)
    let entity = try #require(library.model.entitiesByName["Book"])
    let book = try #require(Book.typed(library.context.insert(entity)))
    book.managedObject["genre"] = "unknown"
    book.managedObject["mood"] = "unknown"
    book.managedObject["tiny"] = 1000
    book.managedObject["pages"] = .null
    #expect(book.title == "" && book.genre == .fiction && book.mood == nil)
    #expect(book.tiny == 0 && book.pages == 0)
    #expect(!book.hasValue(for: \.title) && book.hasValue(for: \.genre))
    #expect(!book.hasValue(for: \.author))
  }

  @Test(
    "a save refuses an object whose required values were never set",
    arguments: Library.Kind.allCases)
  func requiredValues(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    let author = Author(name: "Herbert", in: library.context)
    try library.context.save()
    author.managedObject["name"] = .null
    #expect(author.name == "" && !author.hasValue(for: \.name))
    let error = #expect(throws: SaveError.self) { try library.context.save() }
    #expect(error.map { "\($0)" }?.contains("name") == true)
    author.name = ""
    #expect(author.hasValue(for: \.name))
    try library.context.save()
  }

  @Test("an initial value that is no constant is made for each object")
  func initialValues() throws {
    let library = try Library(.memory)
    let books = (0..<2).map { Book(title: "\($0)", in: library.context) }
    #expect(books[0].serial != books[1].serial)
  }

  @Test("both sides of a relationship follow", arguments: Library.Kind.allCases)
  func bothSides(_ kind: Library.Kind) throws {
    let library = try Library(kind)
    let author = Author(name: "Herbert", in: library.context)
    let books = ["a", "b", "c"].map { Book(title: $0, in: library.context) }
    author.books = [books[0]]
    author.addToBooks(books[1])
    books[2].author = author
    #expect(author.books == Set(books))
    author.removeFromBooks([books[0], books[1]])
    #expect(author.books == [books[2]] && books[0].author == nil)

    let shelf = Shelf(label: "A", books: [books[2], books[0]], in: library.context)
    shelf.addToBooks([books[1]])
    try library.renew()
    let request = FetchRequest<Shelf>()
    #expect(try library.context.fetch(request).first?.books.map(\.title) == ["c", "a", "b"])
    let saved = try #require(try library.context.fetch(FetchRequest<Author>()).first)
    library.context.delete(saved)
    try library.context.save()
    #expect(try library.context.fetch(FetchRequest<Book>()).map(\.title) == ["a", "b"])
  }

  @Test("instances of one object are equal")
  func equality() throws {
    let library = try Library(.memory)
    let book = Book(title: "Dune", in: library.context)
    let again: Book? = library.context.object(with: book.id)
    #expect(again == book && again !== book && Set([book, again]).count == 1)
    #expect(book.description == "Book/1" && book.id == book.objectID)
    #expect(library.context.object(with: book.id, as: Author.self) == nil)
    try library.context.save()
    let other = ManagedObjectContext(coordinator: library.coordinator)
    let there = try #require(other.object(for: book))
    #expect(there != book && there.id == book.id)
    book.delete()
    #expect(book.isDeleted && !there.isDeleted)
  }

  @Test("models are separate")
  func separate() throws {
    let (one, other) = (try Library(.memory), try Library(.memory))
    let book = Book(title: "Dune", in: one.context)
    #expect(try other.context.fetch(FetchRequest<Book>()) == [])
    #expect(try one.context.fetch(FetchRequest<Book>()) == [book])
    #expect(try other.context.count(for: FetchRequest<Book>()) == 0)
  }
}
