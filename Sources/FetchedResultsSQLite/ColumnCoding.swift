import FetchedResults
import Foundation
import GRDB

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
  /// Returns what a column holds for a value of the type; nil where SQLite
  /// cannot hold it.
  func stored(_ value: Value) -> DatabaseValue? {
    switch value {
    case .null: .null
    case .bool(let flag): (flag ? 1 : 0).databaseValue
    case .int(let number): number.databaseValue
    case .double(let number): number.databaseValue
    // GRDB hands text to SQLite up to its first NUL.
    case .string(let text): text.utf8.contains(0) ? nil : text.databaseValue
    case .date(let date): date.timeIntervalSinceReferenceDate.databaseValue
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue.databaseValue
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Data($0) }.databaseValue
    case .uri(let url): url.absoluteString.databaseValue
    case .data(let data): data.databaseValue
    case .object, .list: nil
    }
  }

  /// Reads what a column holds; nil where that is no value of the type.
  func value(stored: DatabaseValue) -> Value? {
    switch (self, stored.storage) {
    case (_, .null): .null
    case (.boolean, .int64(let number)): .bool(number != 0)
    case (.integer16, .int64(let number)), (.integer32, .int64(let number)),
      (.integer64, .int64(let number)):
      .int(number)
    case (.double, .double(let number)): .double(number)
    case (.float, .double(let number)): .double(Double(Float(number)))
    case (.double, .int64(let number)), (.float, .int64(let number)): .double(Double(number))
    case (.decimal, .double(let number)): Decimal(string: number.description).map(Value.decimal)
    case (.decimal, .int64(let number)): .decimal(Decimal(number))
    case (.date, .double(let seconds)):
      .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.date, .int64(let seconds)):
      .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.string, .string(let text)): .string(text)
    case (.uri, .string(let text)): URL(string: text).map(Value.uri)
    case (.uuid, .blob(let bytes)): UUID(bytes: bytes).map(Value.uuid)
    case (.binaryData, .blob(let bytes)): .data(bytes)
    default: nil
    }
  }
}

extension UUID {
  fileprivate init?(bytes: Data) {
    guard bytes.count == 16 else { return nil }
    var uuid = UUID().uuid
    withUnsafeMutableBytes(of: &uuid) { _ = bytes.copyBytes(to: $0) }
    self.init(uuid: uuid)
  }
}
