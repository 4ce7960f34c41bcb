import EngineWorlds
import FetchedResults
import Testing

/// Which model an entity belongs to, and what depends on the model alone.
@Suite("An entity's model")
struct ModelOwnershipTests {
  private let author: EntityDescription
  private let book: EntityDescription

  init() throws {
    author = try EntityDescription(name: "Author", attributes: [])
    book = try EntityDescription(
      name: "Book", attributes: [], relationships: [.toOne("author", "Author")])
  }

  @Test("an entity belongs to one model; another that takes it is refused and changes nothing")
  func owned() throws {
    let model = try ManagedObjectModel(entities: [author, book])
    let other = try EntityDescription(name: "Other", attributes: [])

    #expect(throws: ModelError.entityOfOtherModel("Book")) {
      try ManagedObjectModel(entities: [other, book])
    }
    #expect(try book.link(at: 0).destination === author)
    #expect(throws: Never.self) { try ManagedObjectModel(entities: [other]) }
    #expect(model.entities == [author, book])
  }

  @Test("an entity is free again when its model is gone")
  func released() throws {
    _ = try ManagedObjectModel(entities: [author, book])
    let copy = try ManagedObjectModel(entities: [book, author])
    #expect(try book.link(at: 0).destination === author)
    #expect(copy.entitiesByName["Book"] === book)
  }

  @Test("entities that lead to one another are freed with their model", arguments: [false, true])
  func freed(isReplaced: Bool) throws {
    weak var shelf: EntityDescription?
    weak var item: EntityDescription?
    do {
      let entities = try Self.cycle()
      (shelf, item) = (entities[0], entities[1])
      var model = try ManagedObjectModel(entities: [entities[0]])
      if isReplaced {
        var copy = model
        try copy.add(try Self.cycle()[1])
      }
      try model.add(entities[1])
      for entity in entities {
        for ordinal in entity.relationships.indices { _ = try entity.link(at: ordinal) }
      }
      #expect(shelf != nil && item != nil)
    }
    #expect(shelf == nil && item == nil)
  }

  @Test("a relationship leads to an entity of a past model as long as something keeps it")
  func past() throws {
    let shelf = try {
      let entities = try Self.cycle()
      var model: ManagedObjectModel? = try ManagedObjectModel(entities: entities)
      for ordinal in [0, 1] { _ = try entities[0].link(at: ordinal) }
      model = nil
      #expect(model == nil)
      #expect(try entities[0].link(at: 0).destination === entities[1])
      return entities[0]
    }()
    #expect(try shelf.link(at: 1).destination === shelf)
    #expect(
      throws: ModelError.unknownDestination("Item", relationship: "items", entity: "Shelf")
    ) { try shelf.link(at: 0) }
  }

  /// Returns a shelf with items, which leads to itself, too.
  private static func cycle() throws -> [EntityDescription] {
    [
      try EntityDescription(
        name: "Shelf", attributes: [],
        relationships: [.toMany("items", "Item", inverse: "shelf"), .toOne("next", "Shelf")]),
      try EntityDescription(
        name: "Item", attributes: [], relationships: [.toOne("shelf", "Shelf")]),
    ]
  }

  @Test("only entities of the model make an entity a parent")
  func parents() throws {
    let heir = try EntityDescription(name: "Novel", superentity: book, attributes: [])
    #expect(!book.hasSubentities)
    do {
      let model = try ManagedObjectModel(entities: [author, book])
      #expect(!book.hasSubentities)
      _ = model
    }
    do {
      // A child may come before its parent.
      let model = try ManagedObjectModel(entities: [heir, author, book])
      #expect(book.hasSubentities && !author.hasSubentities && !heir.hasSubentities)
      _ = model
    }
    let model = try ManagedObjectModel(entities: [author, book])
    #expect(!book.hasSubentities)
    #expect(model.entities.count == 2)
  }

  @Test("an entity whose parent is not in the model is refused")
  func missingParent() throws {
    let heir = try EntityDescription(name: "Novel", superentity: book, attributes: [])
    #expect(throws: ModelError.unknownSuperentity("Book", entity: "Novel")) {
      try ManagedObjectModel(entities: [heir])
    }
    let namesake = try EntityDescription(name: "Book", attributes: [])
    #expect(throws: ModelError.unknownSuperentity("Book", entity: "Novel")) {
      try ManagedObjectModel(entities: [namesake, heir])
    }
  }

  @Test("a model that refuses an entity of a name that is taken is as it was")
  func duplicates() throws {
    var model = try ManagedObjectModel(entities: [author, book])
    let second = try EntityDescription(name: "Author", attributes: [])

    #expect(throws: ModelError.duplicateEntity("Author")) { try model.add(second) }
    #expect(model.entitiesByName["Author"] === author)
    #expect(model.entities == [author, book])
    #expect(try book.link(at: 0).destination === author)
    #expect(throws: ModelError.duplicateEntity("Author")) {
      try ManagedObjectModel(entities: [
        second, try EntityDescription(name: "Author", attributes: []),
      ])
    }
    #expect(throws: Never.self) { try ManagedObjectModel(entities: [second]) }
  }

  @Test("an inverse that only one side names belongs to the first that names it")
  func claimedTwice() throws {
    let shelf = try EntityDescription(
      name: "Shelf", attributes: [],
      relationships: [
        .toMany("front", "Item", inverse: "shelf"), .toMany("back", "Item", inverse: "shelf"),
      ])
    let item = try EntityDescription(
      name: "Item", attributes: [], relationships: [.toOne("shelf", "Shelf")])
    let model = try ManagedObjectModel(entities: [shelf, item])

    #expect(try item.link(at: 0).inverse?.ordinal == 0)
    #expect(try shelf.link(at: 0).inverse?.ordinal == 0)
    #expect(
      throws: ModelError.contradictoryInverse(
        "shelf", destination: "Item", relationship: "back", entity: "Shelf")
    ) { try shelf.link(at: 1) }
    #expect(model.entities.count == 2)
  }

  @Test("a relationship and its inverse are both transient, or neither is")
  func transientPairs() throws {
    let shelf = try EntityDescription(
      name: "Shelf", attributes: [],
      relationships: [
        RelationshipDescription(
          name: "items", destination: "Item", inverse: "shelf", isToMany: true, isTransient: true)
      ])
    let item = try EntityDescription(
      name: "Item", attributes: [], relationships: [.toOne("shelf", "Shelf")])
    let model = try ManagedObjectModel(entities: [shelf, item])

    for (entity, name, destination, relationship) in [
      (shelf, "shelf", "Item", "items"), (item, "items", "Shelf", "shelf"),
    ] {
      #expect(
        throws: ModelError.transientInverse(
          name, destination: destination, relationship: relationship, entity: entity.name)
      ) { try entity.link(at: 0) }
    }
    #expect(model.entities.count == 2)
  }
}
