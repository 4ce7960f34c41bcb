import Basics
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
    for (name, columns) in Self.ownTables {
      try database.execute(sql: "CREATE TABLE \(name) (\(columns))")
    }
    for (number, entity) in layout.entities.ordered(by: { $0.key < $1.key }) {
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
    let table: String
    let sql: String
    /// What an index of the model's or of unique values compares; empty for another one.
    let keys: [IndexKey]
    /// The entity and the attributes whose values are unique; nil for another index.
    let unique: (entity: String, attributes: [String])?

    init(_ name: String, of table: String, _ place: String) {
      (self.name, self.table, keys, unique) = (name, table, [], nil)
      sql = "CREATE INDEX \(name.quotedForSQL) ON \(table.quotedForSQL) \(place)"
    }

    init(
      _ name: String, of table: String, _ keys: [IndexKey],
      unique: (entity: String, attributes: [String])? = nil, where condition: String = ""
    ) {
      (self.name, self.table, self.keys, self.unique) = (name, table, keys, unique)
      sql =
        "CREATE \(unique == nil ? "" : "UNIQUE ")INDEX \(name.quotedForSQL) "
        + "ON \(table.quotedForSQL) (\(keys.map(\.sql).joined(separator: ", ")))\(condition)"
    }
  }

  /// The indexes of all tables.
  var indexes: [Index] {
    let own = ownIndexes
    return own + fetchIndexes(besides: own.map(\.name))
  }

  /// The indexes that do not depend on the indexes of the model.
  var ownIndexes: [Index] {
    var indexes: [Index] = []
    var names = IndexNames(layout)
    for table in layout.tables {
      for column in table.references {
        indexes.append(
          Index(
            names.add("\(table.name)_\(column)_INDEX"), of: table.name,
            "(\(column.quotedForSQL))"))
      }
      if table.root.hasSubentities {
        indexes.append(Index(names.add("\(table.name)_Z_ENT_INDEX"), of: table.name, "(Z_ENT)"))
      }
    }
    for (_, entity) in layout.entities.ordered(by: { $0.key < $1.key }) {
      indexes += uniqueIndexes(of: entity, &names)
    }
    for join in layout.joins {
      let keys = join.columns.reversed().map(\.quotedForSQL).joined(separator: ", ")
      indexes.append(
        Index(names.add("\(join.name)_\(join.columns[1])_INDEX"), of: join.name, "(\(keys))"))
    }
    return indexes
  }

  /// The tables that every store has, with their columns.
  static let ownTables: KeyValuePairs = [
    "Z_PRIMARYKEY":
      "Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER",
    "Z_METADATA": "Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB",
    "Z_MODELCACHE": "Z_CONTENT BLOB",
  ]

  /// The constraints that an entity adds to those of its parent, each once.
  private func uniqueIndexes(of entity: EntityDescription, _ taken: inout IndexNames) -> [Index] {
    guard let placement = layout[entity] else { return [] }
    var own: [[String]] = []
    for names in entity.uniquenessConstraints.dropFirst(
      entity.superentity?.uniquenessConstraints.count ?? 0)
    where !own.contains(names) {
      own.append(names)
    }
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
      return Index(
        taken.add("Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))"), of: placement.table,
        columns.map { IndexKey(column: $0, isDescending: false) }, unique: (entity.name, names),
        where: condition)
    }
  }
}

/// The schema of a file: its tables with their columns, and its entities with their numbers.
///
/// SQLite's own tables, such as the statistics of ANALYZE, are no part of it.
struct StoreSchema: Equatable {
  /// The columns of each table, with their declared types in capitals.
  private(set) var columns: [String: [String: String]] = [:]
  private var numbers: [String: Int64] = [:]
  /// The first column of each table's primary key.
  private(set) var keys: [String: String] = [:]

  init(_ database: Database) throws {
    let tables = try Row.fetchAll(
      database,
      sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    for name in tables.compactMap({ String.fromDatabaseValue($0[0]) }) {
      columns[name] = [:]
      for column in try Row.fetchAll(database, sql: "PRAGMA table_info(\(name.quotedForSQL))") {
        guard let columnName = String.fromDatabaseValue(column["name"]) else { continue }
        let type = String.fromDatabaseValue(column["type"]) ?? ""
        columns[name]?[columnName] = type.uppercased()
        if Int64.fromDatabaseValue(column["pk"]) == 1 { keys[name] = columnName }
      }
    }
    guard columns["Z_PRIMARYKEY"] != nil else { return }
    let rows = try Row.fetchAll(
      database, sql: "SELECT rowid, Z_NAME, Z_ENT, Z_MAX FROM Z_PRIMARYKEY")
    for row in rows { try readEntity(row) }
  }

  /// Reads a row of `Z_PRIMARYKEY`: an entity's name, its number, and the last number given to one
  /// of its objects.
  private mutating func readEntity(_ row: Row) throws(UnreadableRow) {
    let place = Int64.fromDatabaseValue(row[0]) ?? 0
    func unreadable(_ column: String, _ problem: UnreadableRow.Problem = .otherType)
      -> UnreadableRow
    {
      UnreadableRow(table: "Z_PRIMARYKEY", number: place, column: column, problem: problem)
    }
    guard case .string(let name) = (row[1] as DatabaseValue).storage else {
      throw unreadable("Z_NAME")
    }
    guard case .int64(let number) = (row[2] as DatabaseValue).storage else {
      throw unreadable("Z_ENT")
    }
    switch (row[3] as DatabaseValue).storage {
    case .null: break
    case .int64(let last):
      guard 0...SQLiteStore.lastNumber ~= last else { throw unreadable("Z_MAX", .outOfRange) }
    case .double, .string, .blob: throw unreadable("Z_MAX")
    }
    // The tables of a history are listed as well, and an entity may have the same name.
    if !HistoryTables.Number.all.contains(number) { numbers[name] = number }
  }

  /// Returns the number of an entity, by its name or its earlier name.
  func number(of entity: EntityDescription) -> Int64? {
    numbers[entity.name] ?? entity.renamingIdentifier.flatMap { numbers[$0] }
  }

  /// The columns of join tables that refer to objects, by their entity's number.
  ///
  /// Such a table and its column begin with `Z_` and the entity number of one side. The second
  /// column of a relationship that is its own inverse is called `REFLEXIVE`.
  var joinColumns: [Int64: [JoinColumn]] {
    var result: [Int64: [JoinColumn]] = [:]
    for table in columns.keys.filter({ Self.joinNumber(of: $0) != nil }).sorted() {
      let names = columns[table, default: [:]].keys.sorted()
      for number in Set(names.compactMap(Self.joinNumber)) {
        result[number, default: []] += names.filter {
          Self.joinNumber(of: $0) == number || $0 == JoinTable.reflexive
        }.map { JoinColumn(table: table, name: $0) }
      }
    }
    return result
  }

  /// Returns the column of a join table with the given name, or with that name and digits, which
  /// are added if several relationships have the name.
  ///
  /// - Parameter other: A column to exclude.
  /// - Returns: The name itself if the table has no such column.
  func joinColumn(_ name: String, in table: String, besides other: String) -> String {
    guard let found = columns[table], found[name] == nil else { return name }
    let candidates = found.keys.filter { column in
      column != other && column.hasPrefix(name)
        && column.dropFirst(name.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
    return candidates.min { ($0.count, $0) < ($1.count, $1) } ?? name
  }

  /// Returns the number in `Z_12BOOKS`; nil for other names, including order columns (`Z_FOK_…`).
  private static func joinNumber(of name: String) -> Int64? {
    guard name.hasPrefix("Z_") else { return nil }
    return Int64(name.dropFirst(2).prefix { $0.isASCII && $0.isNumber })
  }

  /// Whether the file has a store of Core Data's layout.
  var isStore: Bool { columns["Z_METADATA"] != nil && columns["Z_PRIMARYKEY"] != nil }

  /// Checks that every table and column of a layout exists.
  ///
  /// - Throws: `LayoutMisfit` for the first one that is missing or has another type.
  func check(_ layout: StoreLayout) throws(LayoutMisfit) {
    for table in layout.tables {
      guard let found = columns[table.name] else { throw .noTable(table.name) }
      for name in ["Z_PK", "Z_ENT", "Z_OPT"] {
        guard let type = found[name] else { throw .noColumn(name, table: table.name) }
        guard type == ColumnType.integer.rawValue else {
          throw .otherType(
            name, table: table.name, expected: ColumnType.integer.rawValue, found: type)
        }
      }
      guard keys[table.name] == "Z_PK" else { throw .noKey(table: table.name) }
      for column in table.columns {
        guard let type = found[column.name] else { throw .noColumn(column.name, table: table.name) }
        guard type == column.type.rawValue else {
          throw .otherType(
            column.name, table: table.name, expected: column.type.rawValue, found: type)
        }
      }
    }
    for join in layout.joins {
      guard let found = columns[join.name] else { throw .noTable(join.name) }
      for column in join.columns + join.orders where found[column] == nil {
        throw .noColumn(column, table: join.name)
      }
    }
  }
}

/// A column of a join table.
struct JoinColumn: Hashable {
  let table: String
  let name: String
}

extension String {
  /// The name in double quotes, so that SQL accepts any name.
  var quotedForSQL: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
