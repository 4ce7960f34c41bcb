import FetchedResults
import Foundation
import GRDB
import GRDBSQLite

/// What the rows of a file show about its columns.
struct ColumnEvidence {
  let database: Database

  /// How many rows are looked at to guess a type.
  private static let most = 10_000
  /// How many rows are looked at in a column of data, where each value may be large.
  private static let mostData = 200

  /// Counts what the first rows, or all of them, hold in a column; if they hold nothing, also what
  /// its first values are.
  func values(
    of column: String, _ table: String, _ type: ColumnType, all: Bool = false
  ) throws -> ColumnValues {
    let most = all ? Int.max : type == .blob ? Self.mostData : Self.most
    let found = try values(
      "SELECT \(column.quotedForSQL) AS c FROM \(table.quotedForSQL) LIMIT \(most)")
    guard found.count == 0, found.rows == most else { return found }
    var later = try firstValues(of: column, table, most)
    later.rows += found.rows
    return later
  }

  /// Counts what the first values of a column of data hold.
  func dataValues(of column: String, _ table: String) throws -> ColumnValues {
    try firstValues(of: column, table, Self.mostData)
  }

  private func firstValues(
    of column: String, _ table: String, _ most: Int
  ) throws -> ColumnValues {
    let column = column.quotedForSQL
    return try values(
      "SELECT \(column) AS c FROM \(table.quotedForSQL) WHERE \(column) IS NOT NULL "
        + "LIMIT \(most)")
  }

  /// - Parameter rows: A statement that selects the values as `c`.
  private func values(_ rows: String) throws -> ColumnValues {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT COUNT(*), COUNT(c), SUM(typeof(c) = 'integer' AND c IN (0, 1)),
          SUM(typeof(c) = 'blob' AND length(c) = 16),
          SUM(typeof(c) = 'blob' AND substr(c, 1, 1) IN (x'01', x'02')
            AND (substr(c, 1, 1) = x'01' OR length(c) = 38)),
          SUM(typeof(c) = 'blob' AND substr(c, 1, 1) = x'02' AND length(c) = 38),
          SUM(typeof(c) = 'text' AND c LIKE '%_://_%' AND instr(c, ' ') = 0)
        FROM (\(rows))
        """)
    func count(_ place: Int) -> Int { row?.integer(place).map { Int(clamping: $0) } ?? 0 }
    return ColumnValues(
      rows: count(0), count: count(1), flags: count(2), sixteenBytes: count(3), marked: count(4),
      references: count(5), addresses: count(6))
  }

  /// Counts the rows in which only one of a reference and its additional column has a value.
  ///
  /// - Returns: The rows without the additional value, and those without the reference.
  func mismatches(
    _ column: String, _ extra: ReferenceExtra, in table: String
  ) throws -> (withoutExtra: Int64, withoutReference: Int64) {
    let (column, other) = (column.quotedForSQL, extra.column.quotedForSQL)
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT SUM(\(column) IS NOT NULL AND \(other) IS NULL),
          SUM(\(column) IS NULL AND \(other) IS NOT NULL) FROM \(table.quotedForSQL)
        """)
    return (row?.integer(0) ?? 0, row?.integer(1) ?? 0)
  }

  /// The numbers of the entities whose objects have a value in a column.
  func entities(withValuesIn column: String, _ table: String) throws -> [Int64] {
    try Row.fetchAll(
      database,
      sql: "SELECT DISTINCT Z_ENT FROM \(table.quotedForSQL) "
        + "WHERE \(column.quotedForSQL) IS NOT NULL LIMIT 1000"
    ).compactMap { $0.integer(0) }
  }

  /// Counts the different numbers in a column, and those of them that are numbers of objects in a
  /// table.
  func numbers(
    in reference: ToOneColumn, of table: String
  ) throws -> (count: Int64, found: Int64) {
    let column = reference.column.quotedForSQL
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT COUNT(*), SUM(c IN (SELECT Z_PK FROM \(table.quotedForSQL)))
        FROM (SELECT DISTINCT \(column) AS c FROM \(reference.table.quotedForSQL)
          WHERE \(column) IS NOT NULL LIMIT \(Self.most))
        """)
    return (row?.integer(0) ?? 0, row?.integer(1) ?? 0)
  }

  /// The entities of the objects that a column numbers.
  func entities(ofObjectsIn reference: ToOneColumn, _ table: String) throws -> [Int64] {
    let column = reference.column.quotedForSQL
    return try Row.fetchAll(
      database,
      sql: """
        SELECT DISTINCT Z_ENT FROM \(table.quotedForSQL) WHERE Z_PK IN
          (SELECT \(column) FROM \(reference.table.quotedForSQL) WHERE \(column) IS NOT NULL)
        LIMIT 1000
        """
    ).compactMap { $0.integer(0) }
  }

  /// Whether two columns relate the same pairs of objects, of which there must be at least one.
  func areInverse(_ one: ToOneColumn, _ other: ToOneColumn) throws -> Bool {
    try leadsBack(one, by: other) && leadsBack(other, by: one)
  }

  private func leadsBack(_ one: ToOneColumn, by other: ToOneColumn) throws -> Bool {
    let (column, back) = (one.column.quotedForSQL, other.column.quotedForSQL)
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT COUNT(*), SUM(b.\(back) IS a.Z_PK)
        FROM \(one.table.quotedForSQL) a LEFT JOIN \(other.table.quotedForSQL) b
          ON b.Z_PK = a.\(column)
        WHERE a.\(column) IS NOT NULL
        """)
    guard let count = row?.integer(0), count > 0 else { return false }
    return row?.integer(1) == count
  }
}

/// What was counted in a column.
struct ColumnValues {
  /// The rows that were looked at, and those of them that have a value.
  fileprivate(set) var rows: Int
  let count: Int
  /// Integers that are 0 or 1.
  let flags: Int
  /// Data of 16 bytes, as UUIDs have it.
  let sixteenBytes: Int
  /// Data that may be external: that begins with 01, or has the form of a reference.
  let marked: Int
  /// Data that has the form of a reference to an external file.
  let references: Int
  /// Texts that could be addresses.
  let addresses: Int

  /// Whether all values have the marker of external data.
  ///
  /// The first byte of other data may look like a marker.
  ///
  /// - Parameter isExpected: Whether a model says that the data may be external.
  func haveMarkers(isExpected: Bool) -> Bool {
    isExpected
      ? marked == count || references > 0 : count > 0 && marked == count && references > 0
  }
}

/// The type that an attribute probably has, by its column, its values and its name.
struct AttributeGuess {
  var type: AttributeType
  /// Other types that the values would fit.
  var others: [AttributeType] = []
  var isExternal = false

  /// - Parameter newer: The attribute in a newer model, if there is one.
  init(
    name: String, column: ColumnType, values: ColumnValues, newer: AttributeDescription? = nil
  ) {
    let all = values.count > 0 ? values.count : nil
    let name = name.lowercased()
    switch column {
    case .integer:
      let isFlag = ["is", "has", "should", "can", "was", "did", "allows", "needs", "wants"]
        .contains(where: name.hasPrefix)
      let fits = values.count == 0 || values.flags == values.count
      type = isFlag && fits ? .boolean : .integer64
      if type == .boolean {
        others = [.integer64]
      } else if values.flags == all {
        others = [.boolean]
      }
    case .timestamp: type = .date
    case .decimal: type = .decimal
    case .float:
      type = .double
      others = [.float]
    case .text:
      let isAddress = ["url", "uri", "link"].contains(where: name.hasSuffix)
      type = isAddress && values.addresses == all ? .uri : .string
      if values.addresses == all { others = [type == .uri ? .string : .uri] }
    case .blob:
      // A column whose data may be in an external file has one more byte in front.
      if let newer {
        isExternal = values.haveMarkers(isExpected: newer.allowsExternalBinaryDataStorage)
        type = isExternal || values.sixteenBytes != all ? .binaryData : .uuid
      } else {
        type = values.sixteenBytes == all ? .uuid : .binaryData
        isExternal = type == .binaryData && values.marked == all
      }
      if type == .uuid {
        others = [.binaryData]
      } else if values.count == 0 {
        others = [.uuid]
      }
    }
  }
}

extension StoreSchema {
  /// Whether a table has the columns that all objects have.
  func hasObjects(ofTable name: String) -> Bool {
    guard let columns = columns[name], keys[name] == "Z_PK" else { return false }
    return ["Z_PK", "Z_ENT", "Z_OPT"].allSatisfy { columns[$0] == ColumnType.integer.rawValue }
  }
}

/// How Core Data writes an attribute's values into a column.
enum ColumnType: String, CaseIterable {
  case integer = "INTEGER"
  case timestamp = "TIMESTAMP"
  case decimal = "DECIMAL"
  case float = "FLOAT"
  case text = "VARCHAR"
  case blob = "BLOB"

  init(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: self = .integer
    case .date: self = .timestamp
    case .decimal: self = .decimal
    case .double, .float: self = .float
    case .string, .uri: self = .text
    case .uuid, .binaryData: self = .blob
    }
  }
}

extension AttributeType {
  /// How Core Data writes a decimal that is not a number.
  private static let notANumber = "NaN"

  /// Returns what a column holds for a value of the type; nil if SQLite cannot hold it.
  func stored(_ value: PropertyValue) -> DatabaseValue? {
    switch value {
    case .null: .null
    case .bool(let flag): (flag ? 1 : 0).databaseValue
    case .int(let number): number.databaseValue
    case .double(let number): number.databaseValue
    // GRDB passes a text to SQLite only up to its first NUL.
    case .string(let text): text.utf8.contains(0) ? nil : text.databaseValue
    case .date(let date): date.timeIntervalSinceReferenceDate.databaseValue
    // SQLite would turn "not a number" into NULL.
    case .decimal(let number):
      number.isNaN ? Self.notANumber.databaseValue : number.nearestDouble.databaseValue
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Data($0) }.databaseValue
    case .uri(let url): url.absoluteString.databaseValue
    case .data(let data): data.databaseValue
    case .object, .list: nil
    }
  }

  /// Reads what a column holds; nil if that is not a value of the type.
  func value(of column: SelectedValue) -> PropertyValue? {
    let kind = column.type
    if kind == SQLITE_NULL { return .null }
    // A switch over both would compare one pair after the other.
    switch self {
    case .boolean: return kind == SQLITE_INTEGER ? .bool(column.integer != 0) : nil
    case .integer16, .integer32, .integer64:
      return kind == SQLITE_INTEGER ? .int(column.integer) : nil
    case .double:
      if kind == SQLITE_FLOAT { return .double(column.real) }
      return kind == SQLITE_INTEGER ? .double(Double(column.integer)) : nil
    case .float:
      if kind == SQLITE_FLOAT { return .double(Double(Float(column.real))) }
      return kind == SQLITE_INTEGER ? .double(Double(column.integer)) : nil
    case .string: return kind == SQLITE_TEXT ? column.knownText.map(PropertyValue.string) : nil
    case .date:
      guard kind == SQLITE_FLOAT || kind == SQLITE_INTEGER else { return nil }
      return .date(Date(timeIntervalSinceReferenceDate: column.real))
    case .decimal, .uuid, .uri, .binaryData: return largeValue(of: column, kind)
    }
  }

  /// Reads what a column holds of a type whose values have memory of their own.
  @inline(never)
  private func largeValue(of column: SelectedValue, _ kind: Int32) -> PropertyValue? {
    switch (self, kind) {
    case (.decimal, SQLITE_FLOAT):
      Decimal(shortest: column.real).map(PropertyValue.decimal)
    case (.decimal, SQLITE_INTEGER): .decimal(Decimal(column.integer))
    case (.decimal, SQLITE_TEXT):
      column.text == Self.notANumber ? .decimal(.nan) : nil
    case (.uri, SQLITE_TEXT): column.text.flatMap { URL(stored: $0) }.map(PropertyValue.uri)
    case (.uuid, SQLITE_BLOB): UUID(bytes: column.bytes).map(PropertyValue.uuid)
    case (.binaryData, SQLITE_BLOB): .data(Data(column.bytes))
    default: nil
    }
  }

  /// Binds a value to a parameter of a statement, which has to be bound again for the next run.
  ///
  /// - Returns: False if SQLite cannot hold the value.
  func bind(_ value: PropertyValue, to statement: PreparedStatement, at index: Int) -> Bool {
    switch value {
    case .null: statement.bindNull(at: index)
    case .bool(let flag): statement.bind(Int64(flag ? 1 : 0), at: index)
    case .int(let number): statement.bind(number, at: index)
    case .double(let number): statement.bind(number, at: index)
    case .string(let text):
      return statement.bindForOneRun(text, at: index)
    case .date(let date): statement.bind(date.timeIntervalSinceReferenceDate, at: index)
    case .uri(let url): statement.bind(url.absoluteString, at: index)
    case .decimal, .uuid, .data:
      guard let stored = stored(value) else { return false }
      statement.bind(stored, at: index)
    case .object, .list: return false
    }
    return true
  }
}

extension URL {
  /// Reads a URL from a column.
  ///
  /// It accepts an empty URL, which `URL(string:)` refuses and Core Data's class accepts.
  fileprivate init?(stored text: String) {
    guard let url = text.isEmpty ? URLComponents().url : URL(string: text) else { return nil }
    self = url
  }
}

extension UUID {
  fileprivate init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}
