import FetchedResults
import Foundation
import GRDB

/// Makes Core Data's tables in an empty file.
struct StoreCreation {
  let layout: StoreLayout
  let identifier: UUID

  func perform(in database: Database) throws {
    for statement in statements { try database.execute(sql: statement) }
    for (number, entity) in layout.entities.sorted(by: { $0.key < $1.key }) {
      let parent = entity.parent.flatMap { layout[$0]?.number } ?? 0
      try database.execute(
        sql: "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
        arguments: [number, entity.name, parent])
    }
    try database.execute(
      sql: "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (?, ?, ?)",
      arguments: [SQLiteStore.layoutVersion, identifier.uuidString, try metadata()])
  }

  private var statements: [String] {
    var statements: [String] = []
    for table in layout.tables {
      let name = table.name.quotedForSQL
      let columns =
        [
          "Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER",
        ] + table.columns.map { "\($0.name.quotedForSQL) \($0.type.rawValue)" }
      statements.append("CREATE TABLE \(name) ( \(columns.joined(separator: ", ")) )")
      for column in table.references {
        statements.append(
          "CREATE INDEX \("\(table.name)_\(column)_INDEX".quotedForSQL) "
            + "ON \(name) (\(column.quotedForSQL))")
      }
      if table.root.hasSubentities {
        statements.append(
          "CREATE INDEX \("\(table.name)_Z_ENT_INDEX".quotedForSQL) ON \(name) (Z_ENT)")
      }
    }
    for (_, entity) in layout.entities.sorted(by: { $0.key < $1.key }) {
      statements += uniqueIndexes(of: entity)
    }
    for join in layout.joins {
      let name = join.name.quotedForSQL
      let keys = join.columns.map(\.quotedForSQL)
      let columns = (join.columns + join.orders).map { "\($0.quotedForSQL) INTEGER" }
      statements.append(
        "CREATE TABLE \(name) ( \(columns.joined(separator: ", ")), "
          + "PRIMARY KEY (\(keys.joined(separator: ", "))) )")
      statements.append(
        "CREATE INDEX \("\(join.name)_\(join.columns[1])_INDEX".quotedForSQL) "
          + "ON \(name) (\(keys.reversed().joined(separator: ", ")))")
    }
    return statements + [
      "CREATE TABLE Z_PRIMARYKEY "
        + "(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
  }

  /// The constraints that an entity adds to those of its parent.
  private func uniqueIndexes(of entity: EntityDescription) -> [String] {
    guard let placement = layout[entity] else { return [] }
    let own = entity.uniquenessConstraints.dropFirst(
      entity.parent?.uniquenessConstraints.count ?? 0)
    return own.map { names in
      let places = names.compactMap { entity.attributeIndex(named: $0) }
      let columns = places.compactMap { placement.attributes[$0] }
      // Other objects in the table may share what only this entity has unique.
      let inherited = entity.parent?.attributes.count ?? 0
      let kinds = layout.entities.filter { $0.value.isKind(of: entity) }.keys.sorted()
      let condition =
        places.allSatisfy { $0 < inherited }
        ? " WHERE Z_ENT IN (\(kinds.map(String.init).joined(separator: ", ")))" : ""
      return "CREATE UNIQUE INDEX "
        + "\("Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))".quotedForSQL) "
        + "ON \(placement.table.quotedForSQL) "
        + "(\(columns.map { "\($0.quotedForSQL) COLLATE BINARY ASC" }.joined(separator: ", ")))"
        + condition
    }
  }

  /// What a reader of the file finds beside its identity.
  ///
  /// Core Data's version hashes are not here: how they are made is not public.
  private func metadata() throws -> Data {
    // PropertyListSerialization knows no type where Foundation is linked statically.
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return try encoder.encode(StoreMetadata())
  }
}

/// The property list that a store has in Z_METADATA.
private struct StoreMetadata: Encodable {
  private let type = "SQLite"
  private let modelVersionIdentifiers = [""]
  private let modelVersionHashesVersion = 3
  private let autoVacuumLevel = "2"

  private enum CodingKeys: String, CodingKey {
    case type = "NSStoreType"
    case modelVersionIdentifiers = "NSStoreModelVersionIdentifiers"
    case modelVersionHashesVersion = "NSStoreModelVersionHashesVersion"
    case autoVacuumLevel = "_NSAutoVacuumLevel"
  }
}
