import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// What a migration announces before data goes.
@Suite("Losses of a migration")
struct MigrationLossTests {
  private let folder = StoreFolder()

  private func text(_ name: String) throws -> AttributeDescription {
    try AttributeDescription(name: name, type: .string, isOptional: true)
  }

  private func model(
    _ attributes: [String], _ relationships: [RelationshipDescription],
    photo: [RelationshipDescription] = [], image: [RelationshipDescription] = []
  ) throws -> ManagedObjectModel {
    let image = try EntityDescription(name: "Image", attributes: [], relationships: image)
    return try ManagedObjectModel(entities: [
      image,
      EntityDescription(name: "Photo", superentity: image, attributes: [], relationships: photo),
      EntityDescription(name: "Scan", superentity: image, attributes: []),
      EntityDescription(
        name: "Album", attributes: try attributes.map { try text($0) },
        relationships: relationships),
    ])
  }

  /// Creates a file, and closes it.
  private func make(
    _ model: ManagedObjectModel, _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    let context = ManagedObjectContext(coordinator: try open(model))
    try body(context)
    try context.save()
  }

  private func open(
    _ model: ManagedObjectModel, _ migration: StoreMigration = .inferred()
  ) throws -> PersistentStoreCoordinator { try folder.coordinator(model, migration: migration) }

  /// The losses that are announced, which must be those that happen.
  private func losses(_ model: ManagedObjectModel) throws -> [MigrationLoss] {
    var announced: [MigrationLoss] = []
    do {
      _ = try open(model)
    } catch StoreError.migration(_, .dataLoss(let losses)) {
      announced = losses
    }
    var dropped: [MigrationLoss] = []
    var migration = StoreMigration.inferred(allowsDataLoss: true)
    migration.didMigrate = { dropped = $0.dropped }
    _ = try open(model, migration)
    #expect(announced == dropped)
    return announced
  }

  @Test("a value and a reference that no longer fit are announced together")
  func together() throws {
    let album = RelationshipDescription(name: "album", destination: "Album", inverse: "images")
    let images = RelationshipDescription(
      name: "images", destination: "Image", inverse: "album", isToMany: true)
    try make(try model(["title"], [images], image: [album])) { context in
      let album = try context.insert("Album", ["title": "first"])
      for name in ["Photo", "Photo", "Scan"] {
        _ = try context.insert(name, ["album": .object(album.objectID)])
      }
    }
    let image = RelationshipDescription(name: "images", destination: "Image", inverse: "album")
    #expect(
      try losses(try model([], [image], image: [album])).map(\.description)
        == ["Album.title (1 value)", "Album.images (2 values)"])
  }

  @Test(
    "references to objects of another entity are announced, whatever holds them",
    arguments: [true, false], [true, false])
  func narrower(isToMany: Bool, isBackToMany: Bool) throws {
    func relationship(to name: String) -> RelationshipDescription {
      RelationshipDescription(
        name: "images", destination: name, inverse: "albums", isToMany: isToMany)
    }
    let back = RelationshipDescription(
      name: "albums", destination: "Album", inverse: "images", isToMany: isBackToMany)
    try make(try model([], [relationship(to: "Image")], image: [back])) { context in
      for name in ["Photo", "Scan", "Scan"] {
        let image = PropertyValue.object(try context.insert(name).objectID)
        _ = try context.insert("Album", ["images": isToMany ? .list([image]) : image])
      }
    }
    #expect(
      try losses(try model([], [relationship(to: "Photo")], photo: [back])).map(\.description)
        == ["Album.images (2 values)"])
  }

  /// How an entity declares its side of a relationship.
  enum Side: CaseIterable {
    case none, one, many, ordered

    func relationship(
      _ name: String, to destination: String, inverse: String?
    ) -> [RelationshipDescription] {
      guard self != .none else { return [] }
      return [
        RelationshipDescription(
          name: name, destination: destination, inverse: inverse, isToMany: self != .one,
          isOrdered: self == .ordered)
      ]
    }
  }

  private func model(
    _ book: Side, _ reader: Side, _ attributes: [String], areInverse: Bool = true
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Book", attributes: try attributes.map { try text($0) },
        relationships: book.relationship(
          "reader", to: "Reader", inverse: areInverse && reader != .none ? "books" : nil)),
      EntityDescription(
        name: "Reader", attributes: try attributes.map { try text($0) },
        relationships: reader.relationship(
          "books", to: "Book", inverse: areInverse && book != .none ? "reader" : nil)),
    ])
  }

  /// The pairs that a side of a relationship has, if there is such a side.
  private func pairs(
    _ entity: String, _ name: String, _ coordinator: PersistentStoreCoordinator
  ) throws -> Set<[Int64]>? {
    let entity = try #require(coordinator.managedObjectModel.entitiesByName[entity])
    guard entity.relationships.contains(where: { $0.name == name }) else { return nil }
    let context = ManagedObjectContext(coordinator: coordinator)
    var pairs: Set<[Int64]> = []
    for object in try context.fetch(FetchRequest(entity: entity)) {
      var others: [PropertyValue] = [object[name]]
      if case .list(let members) = object[name] { others = members }
      for case .object(let other) in others {
        pairs.insert([object.objectID.number, other.number])
      }
    }
    return pairs
  }

  /// The pairs of the relationship between two entities, which both sides must have if they are
  /// inverse.
  private func pairs(
    _ coordinator: PersistentStoreCoordinator, areInverse: Bool = true
  ) throws -> Set<[Int64]> {
    let book = try pairs("Book", "reader", coordinator)
    let reader = try pairs("Reader", "books", coordinator)
    let turned = reader.map { Set($0.map { [$0[1], $0[0]] }) }
    if let book, let turned, areInverse { #expect(book == turned) }
    return (book ?? []).union(turned ?? [])
  }

  @Test(
    "both sides of a relationship keep the same pairs, and the others are announced",
    arguments: Side.allCases, Side.allCases)
  func pairs(book: Side, reader: Side) throws {
    guard book != .none || reader != .none else { return }
    for newBook in [Side.none, .one, .ordered] {
      for newReader in [Side.none, .one, .ordered] where newBook != .none || newReader != .none {
        let new = (newBook, newReader)
        for attributes in [["n", "m"], ["m"]] {
          try MigrationLossTests().check((book, reader), new, attributes)
        }
        guard book != .none, reader != .none else { continue }
        try MigrationLossTests().check((book, reader), new, ["n", "m"], areInverse: false)
      }
    }
  }

  private func check(
    _ old: (book: Side, reader: Side), _ new: (book: Side, reader: Side), _ attributes: [String],
    areInverse: Bool = true
  ) throws {
    let first = try model(old.book, old.reader, ["n"], areInverse: areInverse)
    try make(first) { context in
      let books = try (1...4).map { _ in try context.insert("Book").objectID }
      let readers = try (1...4).map { _ in try context.insert("Reader").objectID }
      var used: (books: Set<Int>, readers: Set<Int>) = ([], [])
      var members: [ObjectID: [PropertyValue]] = [:]
      for (book, reader) in [(1, 2), (0, 2), (0, 0), (2, 0), (0, 1), (3, 3)] {
        guard old.book != .one || used.books.insert(book).inserted,
          old.reader != .one || !areInverse || used.readers.insert(reader).inserted
        else { continue }
        let (owner, other) =
          old.book == .none ? (readers[reader], books[book]) : (books[book], readers[reader])
        members[owner, default: []].append(.object(other))
      }
      let (name, side) = old.book == .none ? ("books", old.reader) : ("reader", old.book)
      for (owner, others) in members {
        let object = try #require(context.findObject(with: owner))
        try object.setValue(side == .one ? others[0] : .list(others), forKey: name)
      }
      for (book, reader) in [(1, 0), (3, 1), (2, 3)] where !areInverse {
        let object = try #require(context.findObject(with: readers[reader]))
        let other = PropertyValue.object(books[book])
        try object.setValue(old.reader == .one ? other : .list([other]), forKey: "books")
      }
    }
    let before = try pairs(try open(first), areInverse: areInverse)
    #expect(before.count > 2)
    let changed = try model(new.book, new.reader, attributes)
    let lost = try losses(changed).reduce(0) { $0 + $1.objects }
    let after = try pairs(try open(changed))
    let words = Comment("\(old), inverse: \(areInverse), to \(new), \(attributes)")
    #expect(after.isSubset(of: before), words)
    #expect(before.count - after.count == lost, words)
  }

  @Test(
    "both sides of a relationship that becomes its own inverse keep the same pairs",
    arguments: Side.allCases, [nil, "pals", "fans"])
  func ownInverse(old: Side, inverse: String?) throws {
    for new in [Side.one, .many, .ordered] where old != .none {
      for attributes in [["n", "m"], ["m"]] {
        try MigrationLossTests().check(old, inverse: inverse, becoming: new, attributes)
      }
    }
  }

  private func check(
    _ old: Side, inverse: String?, becoming new: Side, _ attributes: [String]
  ) throws {
    // The name makes the columns of a join table with an inverse and of one without it equal.
    func model(_ side: Side, inverse: String?, _ attributes: [String]) throws -> ManagedObjectModel
    {
      let fans =
        inverse == "fans" ? Side.many.relationship("fans", to: "Pals", inverse: "pals") : []
      return try ManagedObjectModel(entities: [
        EntityDescription(
          name: "Pals", attributes: try attributes.map { try text($0) },
          relationships: side.relationship("pals", to: "Pals", inverse: inverse) + fans)
      ])
    }
    let first = try model(old, inverse: inverse, ["n"])
    try make(first) { context in
      let pals = try (0..<6).map { _ in try context.insert("Pals") }
      for (owner, others) in [(0, [2, 1]), (1, [0, 3]), (4, [4]), (2, [4]), (5, [3])] {
        let others = others.map { PropertyValue.object(pals[$0].objectID) }
        try pals[owner].setValue(old == .one ? others[0] : .list(others), forKey: "pals")
      }
    }
    func unordered(_ pairs: Set<[Int64]>?) -> Set<[Int64]> {
      Set((pairs ?? []).map { $0.sorted() })
    }
    let before = unordered(try pairs("Pals", "pals", try open(first)))
    let changed = try model(new, inverse: "pals", attributes)
    let lost = try losses(changed).reduce(0) { $0 + $1.objects }
    let words = Comment("\(old) inverse \(inverse ?? "-") to \(new), \(attributes)")
    let found = try #require(try pairs("Pals", "pals", try open(changed)))
    #expect(found == Set(found.map { [$0[1], $0[0]] }), words)
    let after = unordered(found)
    #expect(!after.isEmpty && after.isSubset(of: before), words)
    #expect(before.count - after.count == lost, words)
    #expect(new == .one || after == before, words)
  }

  @Test(
    "both sides keep the same pairs if only an inverse was added, also in the same columns",
    arguments: [Side.one, .many], [Side.one, .many])
  func addedInverse(book: Side, reader: Side) throws {
    let sides = (book, reader)
    try MigrationLossTests().check(sides, sides, ["n"], areInverse: false)
    try MigrationLossTests().check(book, inverse: nil, becoming: book, ["n"])
  }

  @Test("an error lists each loss")
  func all() {
    let losses = (1...30).map { MigrationLoss(entity: "Book", property: "p\($0)", objects: 1) }
    let words = MigrationError.dataLoss(losses).description
    for loss in losses { #expect(words.contains(loss.description)) }
  }
}
