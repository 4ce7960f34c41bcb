import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import Testing

/// A separate folder for the store files of a test.
final class StoreFolder {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-stores-\(UUID().uuidString)")
    // A test fails at its first file if there is no folder.
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String = "library.sqlite") -> URL { url.appendingPathComponent(name) }

  /// Opens a file of this folder, which is created if it does not exist.
  func coordinator(
    _ model: ManagedObjectModel, in name: String = "library.sqlite", isReadOnly: Bool = false,
    tracksHistory: Bool = false, migration: StoreMigration = .none
  ) throws(StoreError) -> PersistentStoreCoordinator {
    try PersistentStoreCoordinator(
      managedObjectModel: model, sqliteStoreAt: file(name), isReadOnly: isReadOnly,
      tracksHistory: tracksHistory, migration: migration)
  }

  /// Opens a file of this folder with a coordinator of its own, and returns a context of it.
  func context(
    _ model: ManagedObjectModel, in name: String = "library.sqlite", isReadOnly: Bool = false,
    tracksHistory: Bool = false, migration: StoreMigration = .none
  ) throws(StoreError) -> ManagedObjectContext {
    ManagedObjectContext(
      coordinator: try coordinator(
        model, in: name, isReadOnly: isReadOnly, tracksHistory: tracksHistory,
        migration: migration))
  }

  /// Copies a file that must not be written.
  func copy(_ path: String, as name: String) throws -> URL {
    try Data(contentsOf: URL(fileURLWithPath: path)).write(to: file(name))
    return file(name)
  }

  /// Returns the result of an SQL statement on a file.
  func lines(_ sql: String, in name: String = "library.sqlite") throws -> [String] {
    try DatabaseQueue(path: file(name).path).read { database in
      try Row.fetchAll(database, sql: sql).map { row in
        row.databaseValues.map { value in
          switch value.storage {
          case .null: "nil"
          case .int64(let number): "\(number)"
          case .double(let number): "\(number)"
          case .string(let text): text
          case .blob(let bytes): bytes.map { String(format: "%02x", $0) }.joined()
          }
        }.joined(separator: "|")
      }
    }
  }

  /// Makes a file as Core Data writes it, without frc's description of the model.
  func removeModel(of name: String = "library.sqlite") throws {
    try DatabaseQueue(path: file(name).path).write { database in
      let data = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA")
      var entries =
        try PropertyListSerialization.propertyList(from: data ?? Data(), format: nil)
        as? [String: Any] ?? [:]
      #expect(entries.removeValue(forKey: "FRCModel") != nil)
      try database.execute(
        sql: "UPDATE Z_METADATA SET Z_PLIST = ?",
        arguments: [
          try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
        ])
    }
  }

  func execute(_ sql: String, in name: String = "library.sqlite") throws {
    try DatabaseQueue(path: file(name).path).write { try $0.execute(sql: sql) }
  }
}

/// A model with every type of attribute and every kind of relationship.
enum Library {
  /// The entities of which objects are made.
  ///
  /// - Parameter hasSiblings: Whether the model has those that ``model(hasSiblings:)`` adds.
  static func names(hasSiblings: Bool) -> [String] {
    ["Author", "Book", "Manga", "Tag"] + (hasSiblings ? ["Comic"] : [])
  }

  /// - Parameter hasSiblings: Whether the model has what makes files of Core Data harder to read:
  ///   siblings with properties of the same name, data that may be external, and renaming
  ///   identifiers.
  static func model(hasSiblings: Bool = false) throws -> ManagedObjectModel {
    func optional(_ name: String, _ type: AttributeType) throws -> AttributeDescription {
      try AttributeDescription(
        name: name, type: type, isOptional: true,
        allowsExternalBinaryDataStorage: hasSiblings && type == .binaryData,
        renamingIdentifier: hasSiblings && name == "title" ? "name" : nil)
    }
    /// A relationship to objects of the same entity, and its inverse.
    func series(of name: String) -> [RelationshipDescription] {
      guard hasSiblings else { return [] }
      return [
        RelationshipDescription(name: "next", destination: name, inverse: "previous"),
        RelationshipDescription(name: "previous", destination: name, inverse: "next"),
      ]
    }
    let author = try EntityDescription(
      name: "Author", attributes: [try optional("name", .string)],
      relationships: [
        .toMany("books", "Book", inverse: "author", isOrdered: true),
        .toMany("friends", "Author", inverse: "friends"), .toOne("favourite", "Book"),
        .toMany("read", "Book"),
      ])
    let book = try EntityDescription(
      name: "Book",
      attributes: [
        try optional("title", .string), try optional("pages", .integer32),
        try optional("price", .double), try optional("weight", .float),
        try optional("cost", .decimal), try optional("isNew", .boolean),
        try optional("date", .date), try optional("uuid", .uuid), try optional("link", .uri),
        try optional("cover", .binaryData),
        try AttributeDescription(name: "mood", type: .string, isOptional: true, isTransient: true),
      ],
      relationships: [
        .toOne("author", "Author", inverse: "books"), .toMany("tags", "Tag", inverse: "books"),
      ])
    let manga = try EntityDescription(
      name: "Manga", superentity: book, attributes: [try optional("volume", .integer16)],
      relationships: series(of: "Manga"))
    let comic = try EntityDescription(
      name: "Comic", superentity: book, attributes: [try optional("volume", .string)],
      relationships: series(of: "Comic"))
    let tag = try EntityDescription(
      name: "Tag", attributes: [try optional("name", .string)],
      relationships: [.toMany("books", "Book", inverse: "tags", isOrdered: true)],
      uniquenessConstraints: [["name"]])
    return try ManagedObjectModel(
      entities: [author, book, manga] + (hasSiblings ? [comic] : []) + [tag])
  }
}

extension ManagedObjectContext {
  func entity(_ name: String) throws -> EntityDescription {
    let entity = persistentStoreCoordinator.managedObjectModel.entitiesByName[name]
    guard let entity else { throw ModelError.unknownProperty(name, entity: "") }
    return entity
  }

  func insert(_ name: String, _ values: [String: PropertyValue] = [:]) throws -> ManagedObject {
    let object = insert(try entity(name))
    for (key, value) in values { try object.setValue(value, forKey: key) }
    return object
  }

  /// Returns every object of an entity as one line.
  func lines(
    _ name: String, where format: String? = nil, by descriptors: [FetchSortDescriptor] = []
  ) throws -> [String] {
    guard let entity = persistentStoreCoordinator.managedObjectModel.entitiesByName[name] else {
      return []
    }
    let request = FetchRequest(
      entity: entity, predicate: try format.map { try FetchPredicate(format: $0) },
      sortDescriptors: descriptors)
    return try fetch(request).map(\.line)
  }
}

extension ManagedObject {
  /// The identity and all values.
  var line: String {
    let values = entity.propertyNames.map { "\($0): \(self[$0])" }
    return "\(objectID) \(values.joined(separator: ", "))"
  }
}
