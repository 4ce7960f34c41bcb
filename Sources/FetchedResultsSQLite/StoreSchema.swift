import FetchedResults
import GRDB

/// What a file has: its tables with their columns, and its entities with their
/// numbers.
struct StoreSchema {
  /// The columns of each table, with their declared types in capitals.
  private(set) var columns: [String: [String: String]] = [:]
  private var numbers: [String: Int64] = [:]

  init(_ database: Database) throws {
    let tables = try String.fetchAll(
      database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
    for name in tables {
      columns[name] = [:]
      for column in try Row.fetchAll(database, sql: "PRAGMA table_info(\(name.quotedForSQL))") {
        columns[name]?[column["name"]] = (column["type"] as String).uppercased()
      }
    }
    guard columns["Z_PRIMARYKEY"] != nil else { return }
    for row in try Row.fetchAll(database, sql: "SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY") {
      numbers[row["Z_NAME"]] = row["Z_ENT"]
    }
  }

  /// The number of an entity, under its name or the one it had before.
  func number(of entity: EntityDescription) -> Int64? {
    numbers[entity.name] ?? entity.renamingIdentifier.flatMap { numbers[$0] }
  }

  /// The columns of join tables that name objects, by their entity's number.
  ///
  /// Such a table, and a column of it, begin with `Z_` and the number of the
  /// entity on one side; the other side of a relationship that is its own
  /// inverse is called `REFLEXIVE`.
  var joinColumns: [Int64: [JoinColumn]] {
    var result: [Int64: [JoinColumn]] = [:]
    for table in columns.keys.filter({ Self.joinNumber(of: $0) != nil }).sorted() {
      let names = columns[table, default: [:]].keys.sorted()
      for number in Set(names.compactMap(Self.joinNumber)) {
        result[number, default: []] += names.filter {
          Self.joinNumber(of: $0) == number || $0 == "REFLEXIVE"
        }.map { JoinColumn(table: table, name: $0) }
      }
    }
    return result
  }

  /// Returns the column of a join table that has a name, or that name with
  /// digits, as several relationships of one name have them.
  ///
  /// - Parameter other: A column that it is not.
  /// - Returns: The name itself where the table has no such column.
  func joinColumn(_ name: String, in table: String, besides other: String) -> String {
    guard let found = columns[table], found[name] == nil else { return name }
    let candidates = found.keys.filter { column in
      column != other && column.hasPrefix(name)
        && column.dropFirst(name.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
    return candidates.min { ($0.count, $0) < ($1.count, $1) } ?? name
  }

  /// The number in `Z_12BOOKS`; nil of other names, those of orders (`Z_FOK_…`) included.
  private static func joinNumber(of name: String) -> Int64? {
    guard name.hasPrefix("Z_") else { return nil }
    return Int64(name.dropFirst(2).prefix { $0.isASCII && $0.isNumber })
  }

  /// Whether the file has a store of Core Data's layout.
  var isStore: Bool { columns["Z_METADATA"] != nil && columns["Z_PRIMARYKEY"] != nil }

  /// Looks for every table and column of a layout.
  ///
  /// - Throws: `LayoutMisfit` of the first that is missing or of another type.
  func check(_ layout: StoreLayout) throws(LayoutMisfit) {
    for table in layout.tables {
      guard let found = columns[table.name] else { throw .noTable(table.name) }
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
  /// The name between double quotes, as SQL takes any name.
  var quotedForSQL: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
