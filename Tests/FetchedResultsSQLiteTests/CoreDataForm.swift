import Basics
import FetchedResultsSQLite
import Foundation
import GRDB
import Testing

/// Gives a store's file what files of Core Data may have, and files of this library have not.
struct CoreDataForm {
  let folder: StoreFolder
  var random: SeededGenerator
  var name = "library.sqlite"

  /// How data begins that may be moved to a file of its own.
  static let externalMark: [UInt8] = [0xE7, 0x7E]

  private var path: String { folder.file(name).path }

  /// The folder with the files of external data.
  var files: URL {
    let store = (name as NSString).deletingPathExtension
    return folder.url.appendingPathComponent(".\(store)_SUPPORT/_EXTERNAL_DATA")
  }

  /// The names of the entities' tables, with their columns in order.
  private func tables(_ database: Database) throws -> [(name: String, columns: [String])] {
    try String.fetchAll(
      database, sql: "SELECT upper(Z_NAME) FROM Z_PRIMARYKEY WHERE Z_SUPER = 0 AND Z_ENT < 16000"
    ).sorted().map { ("Z" + $0, try columns("Z" + $0, database)) }
  }

  private func columns(_ table: String, _ database: Database) throws -> [String] {
    try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('\(table)')")
  }

  /// The tables that join objects, with their columns in order, first the two of the objects.
  private func joins(_ database: Database) throws -> [(name: String, columns: [String])] {
    let names = try String.fetchAll(
      database,
      sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
    return try names.sorted().map { ($0, try columns($0, database)) }
  }

  /// Gives the entities other numbers, and removes the description of the model.
  ///
  /// The store must be closed.
  static func give(to folder: StoreFolder, seed: UInt64) throws {
    var form = CoreDataForm(folder: folder, random: SeededGenerator(seed: seed))
    try form.renumberEntities()
    try folder.removeModel()
  }

  /// A migration that must not happen, because the file has the model's tables.
  static var noMigration: StoreMigration {
    var migration = StoreMigration.inferred(allowsDataLoss: true)
    migration.didMigrate = { Issue.record("a file with the model's tables was migrated: \($0)") }
    return migration
  }

  // MARK: External data

  /// Moves some data to files of its own.
  mutating func moveDataToFiles() throws {
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try DatabaseQueue(path: path).write { database in
      for (table, columns) in try tables(database) {
        for column in columns where column.hasPrefix("Z") && column.dropFirst(1).first != "_" {
          let rows = try Row.fetchAll(
            database,
            sql: "SELECT Z_PK, \(column) FROM \(table) WHERE typeof(\(column)) = 'blob' "
              + "AND substr(\(column), 1, 3) = x'01E77E' ORDER BY Z_PK")
          for row in rows where random.chance(2) {
            let data: Data = row[1]
            let name = UUID().uuidString
            try data.dropFirst().write(to: files.appendingPathComponent(name))
            try database.execute(
              sql: "UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?",
              arguments: [Data([2]) + Data(name.utf8) + Data([0]), row[0] as Int64])
          }
        }
      }
    }
  }

  /// The files of external data, and those that rows refer to.
  func externalFiles() throws -> (found: [String], named: [String]) {
    let found = (try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? []
    var named: [String] = []
    try DatabaseQueue(path: path).read { database in
      for (table, columns) in try tables(database) {
        for column in columns {
          named += try String.fetchAll(
            database,
            sql: "SELECT CAST(substr(\(column), 2, 36) AS TEXT) FROM \(table) "
              + "WHERE typeof(\(column)) = 'blob' AND length(\(column)) = 38")
        }
      }
    }
    return (found.sorted(), named.sorted())
  }

  // MARK: Dangling references

  /// Adds references to objects that do not exist.
  ///
  /// - Returns: How many.
  mutating func addDanglingReferences() throws -> Int {
    var count = 0
    try DatabaseQueue(path: path).write { database in
      for (table, columns) in try tables(database) {
        for column in columns {
          let isReference = try Bool.fetchOne(
            database, sql: "SELECT 1 FROM sqlite_master WHERE name = '\(table)_\(column)_INDEX'")
          guard isReference == true, column != "Z_ENT", random.chance(2) else { continue }
          try database.execute(
            sql: "UPDATE \(table) SET \(column) = 4000000 + Z_PK WHERE \(column) IS NULL "
              + "AND Z_ENT IN (SELECT Z_ENT FROM \(table) WHERE \(column) IS NOT NULL) "
              + "AND Z_PK % 2 = \(random.number(0...1))")
          count += database.changesCount
        }
      }
      for (table, columns) in try joins(database) where random.chance(2) {
        for (one, other) in [(columns[0], columns[1]), (columns[1], columns[0])] {
          try database.execute(
            sql: "INSERT INTO \(table) (\(one), \(other)) "
              + "SELECT \(one), 4000000 FROM \(table) WHERE \(one) < 4000000 LIMIT 1")
          count += database.changesCount
        }
      }
    }
    return count
  }

  // MARK: Numbers of entities

  /// Gives the entities other numbers, as files of older versions of a model have them.
  mutating func renumberEntities() throws {
    try DatabaseQueue(path: path).write { database in
      let old = try Int64.fetchAll(
        database, sql: "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
      let new = Dictionary(uniqueKeysWithValues: zip(old, old.shuffled(using: &random)))
      let cases = new.sorted { $0.key < $1.key }.map { "WHEN \($0) THEN \($1)" }
        .joined(separator: " ")
      func renamed(_ text: String) -> String {
        guard let start = text.firstIndex(where: \.isNumber) else { return text }
        let digits = text[start...].prefix(while: \.isNumber)
        guard ["Z", "Z_", "Z_FOK_"].contains(text[..<start]),
          let number = Int64(digits).flatMap({ new[$0] })
        else { return text }
        return text[..<start] + "\(number)" + text[digits.endIndex...]
      }
      for (table, columns) in try tables(database) {
        let numbers = columns.filter { $0 == "Z_ENT" || ($0.first == "Z" && renamed($0) != $0) }
        let others = columns.filter { $0.hasPrefix("Z") && $0.dropFirst().first?.isNumber == true }
        for column in Set(numbers + others).sorted() {
          try database.execute(
            sql: "UPDATE \(table) SET \(column) = CASE \(column) \(cases) ELSE \(column) END")
        }
        try rename(others, of: table, database, renamed)
      }
      for (table, columns) in try joins(database) {
        let indexes = try String.fetchAll(
          database,
          sql: "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? "
            + "AND sql IS NOT NULL", arguments: [table])
        for index in indexes { try database.execute(sql: "DROP INDEX \(index)") }
        try rename(columns.filter { $0.hasPrefix("Z_") }, of: table, database, renamed)
        try database.execute(sql: "ALTER TABLE \(table) RENAME TO temporary_\(table)")
      }
      let tables = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_master WHERE name LIKE 'temporary%'")
      for table in tables {
        let name = renamed(String(table.dropFirst("temporary_".count)))
        try database.execute(sql: "ALTER TABLE \(table) RENAME TO \(name)")
        let columns = try self.columns(name, database)
        try database.execute(
          sql: "CREATE INDEX \(name)_\(columns[1])_INDEX ON \(name) (\(columns[1]), \(columns[0]))")
      }
      try database.execute(
        sql: "UPDATE Z_PRIMARYKEY SET Z_SUPER = CASE Z_SUPER \(cases) ELSE Z_SUPER END; "
          + "UPDATE Z_PRIMARYKEY SET Z_ENT = -Z_ENT WHERE Z_ENT < 16000; "
          + "UPDATE Z_PRIMARYKEY SET Z_ENT = CASE -Z_ENT \(cases) END WHERE Z_ENT < 0")
    }
  }

  private func rename(
    _ columns: [String], of table: String, _ database: Database, _ renamed: (String) -> String
  ) throws {
    for (number, column) in columns.enumerated() {
      try database.execute(
        sql: "ALTER TABLE \(table) RENAME COLUMN \(column) TO temporary\(number)")
    }
    for (number, column) in columns.enumerated() {
      try database.execute(
        sql: "ALTER TABLE \(table) RENAME COLUMN temporary\(number) TO \(renamed(column))")
    }
  }

  /// Everything in the file, table by table.
  func contents() throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    for table in try folder.lines("SELECT name FROM sqlite_master WHERE type = 'table'", in: name) {
      found[table] = try folder.lines("SELECT * FROM \(table)", in: name)
    }
    return found
  }
}
