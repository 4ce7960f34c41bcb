import FetchedResults
import Foundation
import GRDB
import GRDBSQLite

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
  func value(_ column: Int32, of row: SelectedRow) -> PropertyValue? {
    switch (self, row.type(column)) {
    case (_, SQLITE_NULL): .null
    case (.boolean, SQLITE_INTEGER): .bool(row.integer(column) != 0)
    case (.integer16, SQLITE_INTEGER), (.integer32, SQLITE_INTEGER), (.integer64, SQLITE_INTEGER):
      .int(row.integer(column))
    case (.double, SQLITE_FLOAT): .double(row.real(column))
    case (.float, SQLITE_FLOAT): .double(Double(Float(row.real(column))))
    case (.double, SQLITE_INTEGER), (.float, SQLITE_INTEGER):
      .double(Double(row.integer(column)))
    case (.decimal, SQLITE_FLOAT):
      Decimal(shortest: row.real(column)).map(PropertyValue.decimal)
    case (.decimal, SQLITE_INTEGER): .decimal(Decimal(row.integer(column)))
    case (.decimal, SQLITE_TEXT):
      row.text(column) == Self.notANumber ? .decimal(.nan) : nil
    case (.date, SQLITE_FLOAT), (.date, SQLITE_INTEGER):
      .date(Date(timeIntervalSinceReferenceDate: row.real(column)))
    case (.string, SQLITE_TEXT): row.text(column).map(PropertyValue.string)
    case (.uri, SQLITE_TEXT): row.text(column).flatMap { URL(stored: $0) }.map(PropertyValue.uri)
    case (.uuid, SQLITE_BLOB): UUID(bytes: row.bytes(column)).map(PropertyValue.uuid)
    case (.binaryData, SQLITE_BLOB): .data(Data(row.bytes(column)))
    default: nil
    }
  }

  /// Binds a value to a parameter of a statement.
  ///
  /// - Returns: False if SQLite cannot hold the value.
  func bind(_ value: PropertyValue, to statement: PreparedStatement, at index: Int) -> Bool {
    switch value {
    case .null: statement.bindNull(at: index)
    case .bool(let flag): statement.bind(Int64(flag ? 1 : 0), at: index)
    case .int(let number): statement.bind(number, at: index)
    case .double(let number): statement.bind(number, at: index)
    case .string(let text):
      guard !text.utf8.contains(0) else { return false }
      statement.bind(text, at: index)
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
