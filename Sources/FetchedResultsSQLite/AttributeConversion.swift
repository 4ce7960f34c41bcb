import FetchedResults
import Foundation
import GRDB

/// How the values of an old attribute's column are converted for the new attribute.
struct AttributeConversion: Sendable {
  private enum Form {
    case copy
    case real
    case wrapped
    case unwrapped
  }

  private let form: Form
  /// A condition on values that do not fit, with `$` for the column; nil if all values fit.
  private let misfit: String?

  private init(_ form: Form, misfit: String? = nil) {
    self.form = form
    self.misfit = misfit
  }

  /// - Parameter isExact: Whether the old type is known. If not, it was guessed from a column.
  /// - Returns: Nil if no conversion is known.
  init?(_ old: AttributeDescription, _ new: AttributeDescription, isExact: Bool) {
    guard isExact || ColumnType(old.type) != ColumnType(new.type) else {
      // A guessed type says only what the column holds, and the new attribute has such a column
      // too. Only the marker of external data is certain.
      switch (old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage) {
      case (true, true), (false, false): self.init(.copy)
      case (false, true): self.init(.wrapped)
      case (true, false): self.init(.unwrapped)
      }
      return
    }
    switch (old.type, new.type) {
    case (.binaryData, .binaryData):
      switch (old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage) {
      case (true, true), (false, false): self.init(.copy)
      case (false, true): self.init(.wrapped)
      case (true, false): self.init(.unwrapped)
      }
    case (let old, let new) where old == new: self.init(.copy)
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64),
      (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64),
      (.float, .double), (.float, .decimal), (.double, .decimal), (.string, .uri), (.uri, .string):
      self.init(.copy)
    case (.integer32, .integer16), (.integer64, .integer16):
      self.init(.copy, misfit: "$ NOT BETWEEN -32768 AND 32767")
    case (.integer64, .integer32):
      self.init(.copy, misfit: "$ NOT BETWEEN -2147483648 AND 2147483647")
    case (.integer16, .boolean), (.integer32, .boolean), (.integer64, .boolean):
      self.init(.copy, misfit: "$ NOT IN (0, 1)")
    case (.integer16, .float), (.integer16, .double), (.integer16, .decimal),
      (.integer32, .double), (.integer32, .decimal):
      self.init(.real)
    case (.integer32, .float), (.integer64, .float):
      self.init(.real, misfit: "$ NOT BETWEEN -16777216 AND 16777216")
    case (.integer64, .double), (.integer64, .decimal):
      self.init(.real, misfit: "$ NOT BETWEEN -9007199254740992 AND 9007199254740992")
    // SQLite stores a decimal that is not a number as text.
    case (.decimal, .double): self.init(.real, misfit: "typeof($) = 'text'")
    case (.uuid, .binaryData):
      self.init(new.allowsExternalBinaryDataStorage ? .wrapped : .copy)
    case (.binaryData, .uuid) where !old.allowsExternalBinaryDataStorage:
      self.init(.copy, misfit: "length($) != 16")
    default: return nil
    }
  }

  /// Whether the column can stay as it is if its name and type do not change.
  var isCopy: Bool {
    switch form {
    case .copy: misfit == nil
    case .real, .wrapped, .unwrapped: false
    }
  }

  /// Whether data gets the marker of external data, or loses it.
  var movesData: Bool {
    switch form {
    case .wrapped, .unwrapped: true
    case .copy, .real: false
    }
  }

  /// Returns an SQL expression for the new value.
  func expression(_ column: String) -> String {
    switch form {
    case .copy: column
    case .real: "CAST(\(column) AS REAL)"
    case .wrapped: "\(MigrationFunctions.wrap)(\(column))"
    case .unwrapped: "\(MigrationFunctions.unwrap)(\(column))"
    }
  }

  /// Returns an SQL condition on values that do not fit; nil if all values fit.
  func misfit(_ column: String) -> String? { misfit?.replacing("$", with: column) }
}

/// The SQL functions that conversions call.
enum MigrationFunctions {
  static let wrap = "frc_wrap"
  static let unwrap = "frc_unwrap"

  static func add(to database: Database, _ external: ExternalData) {
    let wrapping = DatabaseFunction(wrap, argumentCount: 1) { values in
      guard case .blob(let data) = values[0].storage else { return values[0] }
      return ExternalData.stored(data)
    }
    let unwrapping = DatabaseFunction(unwrap, argumentCount: 1) { values in
      guard case .blob(let data) = values[0].storage else { return values[0] }
      return try data.withUnsafeBytes { try external.data($0) }
    }
    database.add(function: wrapping)
    database.add(function: unwrapping)
  }
}
