import FetchedResults
import Foundation
import GRDBSQLite

/// Counts consecutive rows that have the same value in a column.
struct SectionRuns {
  private let type: AttributeType
  private var runs: [FoundRows.Run] = []
  private var count = 0
  /// The bytes of the current run's value.
  private var bytes: [UInt8] = []
  private var number: UInt64 = 0
  private var kind: Int32 = 0

  init(type: AttributeType) { self.type = type }

  /// Counts a row.
  ///
  /// - Parameter column: The index of the value; nil if no row has one.
  /// - Returns: False if the column holds a value of another type.
  mutating func count(_ row: SelectedRow, _ column: Int32?) -> Bool {
    guard let column else {
      count += 1
      if runs.isEmpty { runs.append(FoundRows.Run(value: .null, count: 0)) }
      return true
    }
    let kind = row.type(column)
    // Only text has bytes. SQLite would have to convert a number.
    let isSame =
      switch kind {
      case SQLITE_INTEGER: number == UInt64(bitPattern: row.integer(column))
      case SQLITE_FLOAT: number == row.real(column).bitPattern
      case SQLITE_NULL: true
      default: bytesAre(row.bytes(column))
      }
    if count > 0, isSame, kind == self.kind {
      count += 1
      return true
    }
    close()
    guard let value = type.value(column, of: row) else { return false }
    self.kind = kind
    count = 1
    runs.append(FoundRows.Run(value: value, count: 0))
    switch kind {
    case SQLITE_INTEGER: number = UInt64(bitPattern: row.integer(column))
    case SQLITE_FLOAT: number = row.real(column).bitPattern
    case SQLITE_NULL: break
    default: bytes = Array(row.bytes(column))
    }
    return true
  }

  /// Returns the runs.
  mutating func finish() -> [FoundRows.Run] {
    close()
    return runs
  }

  private func bytesAre(_ other: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard bytes.count == other.count else { return false }
      guard let a = bytes.baseAddress, let b = other.baseAddress else { return true }
      return memcmp(a, b, bytes.count) == 0
    }
  }

  private mutating func close() {
    if !runs.isEmpty { runs[runs.count - 1].count = count }
    count = 0
  }
}
