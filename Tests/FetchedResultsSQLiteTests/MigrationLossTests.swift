import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// What a migration announces before data goes.
@Suite("Losses of a migration")
struct MigrationLossTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

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
  ) throws -> PersistentStoreCoordinator {
    try PersistentStoreCoordinator(
      managedObjectModel: model, sqliteStoreAt: folder.file(), migration: migration)
  }

  /// The losses that are announced, which must be those that happen.
  private func losses(_ model: ManagedObjectModel) throws -> [String] {
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
    return announced.map(\.description)
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
      try losses(try model([], [image], image: [album]))
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
      try losses(try model([], [relationship(to: "Photo")], photo: [back]))
        == ["Album.images (2 values)"])
  }

  @Test("an error lists each loss")
  func all() {
    let losses = (1...30).map { MigrationLoss(entity: "Book", property: "p\($0)", objects: 1) }
    let words = MigrationError.dataLoss(losses).description
    for loss in losses { #expect(words.contains(loss.description)) }
  }
}
