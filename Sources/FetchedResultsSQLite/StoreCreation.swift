import FetchedResults
import Foundation
import GRDB

/// Creates Core Data's tables in an empty file.
struct StoreCreation {
  let layout: StoreLayout
  let model: ManagedObjectModel
  let identifier: UUID

  func perform(in database: Database) throws {
    for statement in tables(Set(layout.tables.map(\.name) + layout.joins.map(\.name))) {
      try database.execute(sql: statement)
    }
    for index in indexes { try database.execute(sql: index.sql) }
    for statement in Self.ownTables { try database.execute(sql: statement) }
    for (number, entity) in layout.entities.sorted(by: { $0.key < $1.key }) {
      let parent = entity.superentity.flatMap { layout[$0]?.number } ?? 0
      try database.execute(
        sql: "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
        arguments: [number, entity.name, parent])
    }
    try database.execute(
      sql: "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (?, ?, ?)",
      arguments: [
        SQLiteStore.layoutVersion, identifier.uuidString, try StoreMetadata(for: model).data,
      ])
  }

  /// Returns the statements that create the given tables.
  ///
  /// - Parameter name: Returns the name to use for a table.
  func tables(_ wanted: Set<String>, name: (String) -> String = { $0 }) -> [String] {
    var statements: [String] = []
    for table in layout.tables where wanted.contains(table.name) {
      let columns =
        [
          "Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER",
        ] + table.columns.map { "\($0.name.quotedForSQL) \($0.type.rawValue)" }
      statements.append(
        "CREATE TABLE \(name(table.name).quotedForSQL) ( \(columns.joined(separator: ", ")) )")
    }
    for join in layout.joins where wanted.contains(join.name) {
      let columns = (join.columns + join.orders).map { "\($0.quotedForSQL) INTEGER" }
      let keys = join.columns.map(\.quotedForSQL)
      statements.append(
        "CREATE TABLE \(name(join.name).quotedForSQL) ( \(columns.joined(separator: ", ")), "
          + "PRIMARY KEY (\(keys.joined(separator: ", "))) )")
    }
    return statements
  }

  /// An index that a store has.
  struct Index {
    let name: String
    let sql: String
    /// The entity and the attributes whose values are unique; nil for an index on a reference
    /// column.
    var unique: (entity: String, attributes: [String])?

    init(_ name: String, on place: String, unique: (entity: String, attributes: [String])? = nil) {
      self.name = name
      self.unique = unique
      sql = "CREATE \(unique == nil ? "" : "UNIQUE ")INDEX \(name.quotedForSQL) ON \(place)"
    }
  }

  /// The indexes of all tables.
  var indexes: [Index] {
    var indexes: [Index] = []
    for table in layout.tables {
      let name = table.name.quotedForSQL
      for column in table.references {
        indexes.append(
          Index("\(table.name)_\(column)_INDEX", on: "\(name) (\(column.quotedForSQL))"))
      }
      if table.root.hasSubentities {
        indexes.append(Index("\(table.name)_Z_ENT_INDEX", on: "\(name) (Z_ENT)"))
      }
    }
    for (_, entity) in layout.entities.sorted(by: { $0.key < $1.key }) {
      indexes += uniqueIndexes(of: entity)
    }
    for join in layout.joins {
      let keys = join.columns.reversed().map(\.quotedForSQL).joined(separator: ", ")
      indexes.append(
        Index(
          "\(join.name)_\(join.columns[1])_INDEX", on: "\(join.name.quotedForSQL) (\(keys))"))
    }
    return indexes
  }

  private static let ownTables = [
    "CREATE TABLE Z_PRIMARYKEY "
      + "(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  /// The constraints that an entity adds to those of its parent.
  private func uniqueIndexes(of entity: EntityDescription) -> [Index] {
    guard let placement = layout[entity] else { return [] }
    let own = entity.uniquenessConstraints.dropFirst(
      entity.superentity?.uniquenessConstraints.count ?? 0)
    return own.map { names in
      let places = names.compactMap { entity.attributeIndex(named: $0) }
      let columns = places.compactMap { placement.attributes[$0] }
      // Objects of other entities in the table may have equal values, because only this entity has
      // the constraint.
      let inherited = entity.superentity?.attributes.count ?? 0
      let kinds = layout.entities.filter { $0.value.isKindOf(entity: entity) }.keys.sorted()
      let condition =
        places.allSatisfy { $0 < inherited }
        ? " WHERE Z_ENT IN (\(kinds.map(String.init).joined(separator: ", ")))" : ""
      let keys = columns.map { "\($0.quotedForSQL) COLLATE BINARY ASC" }.joined(separator: ", ")
      return Index(
        "Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))",
        on: "\(placement.table.quotedForSQL) (\(keys))\(condition)",
        unique: (entity.name, names))
    }
  }
}
