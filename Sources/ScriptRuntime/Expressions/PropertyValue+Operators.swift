import FetchedResults
import Foundation
import ScriptSyntax

extension PropertyValue {
  /// The largest size of a text that an expression may create, in bytes.
  static var longestText: Int { 16 * 1024 * 1024 }

  /// The largest number of elements in a list, including those of lists inside it.
  static var longestList: Int { 1_000_000 }

  /// Returns a list, or throws an error if it would be too long.
  static func list(of values: [PropertyValue]) throws(ScriptError.Kind) -> PropertyValue {
    var rest = longestList
    guard values.allSatisfy({ $0.takeElements(from: &rest) }), rest >= 0 else {
      throw .tooManyElements(limit: longestList)
    }
    return .list(values)
  }

  /// Subtracts the elements of a list and of the lists inside it from a limit.
  ///
  /// - Returns: False if the limit is too small; the count then stops.
  private func takeElements(from rest: inout Int) -> Bool {
    rest -= 1
    guard case .list(let values) = self else { return rest >= 0 }
    return rest >= 0 && values.allSatisfy { $0.takeElements(from: &rest) }
  }

  /// Compares two values.
  ///
  /// Values without an order are unequal, and an error for `<`.
  func compared(
    _ sign: ExpressionSyntax.BinaryOperator, to right: PropertyValue
  ) throws(ScriptError.Kind) -> Bool {
    let ordering = isNull != right.isNull ? nil : ordering(right)
    switch sign {
    case .equal: return ordering == .same || self == right
    case .notEqual: return !(ordering == .same || self == right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .add, .subtract, .multiply, .divide,
      .remainder, .and, .or:
      break
    }
    guard let ordering else { throw .cannotCompare(kind, right.kind) }
    switch sign {
    case .less: return ordering == .ascending
    case .lessOrEqual: return ordering != .descending
    case .greater: return ordering == .descending
    case .greaterOrEqual, .equal, .notEqual, .add, .subtract, .multiply, .divide, .remainder, .and,
      .or:
      return ordering != .ascending
    }
  }

  func negated() throws(ScriptError.Kind) -> PropertyValue {
    switch self {
    case .int(let number): return try Self.combine(0, .subtract, number)
    case .double(let number): return .double(-number)
    case .decimal(let number): return .decimal(-number)
    case .null, .bool, .string, .date, .uuid, .uri, .data, .object, .list:
      throw .needed("a number", found: kind)
    }
  }

  /// Adds, subtracts, multiplies or divides.
  ///
  /// The result of integers is an integer, and division drops the fraction, as in Swift. `+` also
  /// joins strings and lists, and moves a date by seconds.
  func combined(
    _ sign: ExpressionSyntax.BinaryOperator, with right: PropertyValue
  ) throws(ScriptError.Kind) -> PropertyValue {
    switch (self, sign, right) {
    case (.int(let a), _, .int(let b)): return try Self.combine(a, sign, b)
    case (.string(let a), .add, .string(let b)):
      guard a.utf8.count + b.utf8.count <= Self.longestText else {
        throw .tooLong(limit: Self.longestText)
      }
      return .string(a + b)
    case (.list(let a), .add, .list(let b)): return try .list(of: a + b)
    case (.date(let a), .subtract, .date(let b)): return .double(a.timeIntervalSince(b))
    case (.date(let a), .add, _):
      if let seconds = right.double { return try Self.moved(a, by: seconds) }
    case (.date(let a), .subtract, _):
      if let seconds = right.double { return try Self.moved(a, by: -seconds) }
    case (.decimal, _, _), (_, _, .decimal):
      if let a = decimal, let b = right.decimal { return try Self.combine(a, sign, b) }
    default:
      if let a = double, let b = right.double { return try Self.combine(a, sign, b) }
    }
    throw .cannotCombine(kind, right.kind, operator: sign.rawValue)
  }

  /// Returns a moved date, if its year is one that a literal can have.
  private static func moved(
    _ date: Date, by seconds: Double
  ) throws(ScriptError.Kind) -> PropertyValue {
    let moved = date.addingTimeInterval(seconds)
    guard Date.writable.contains(moved) else { throw .dateOutOfRange }
    return .date(moved)
  }

  private static func combine(
    _ a: Int64, _ sign: ExpressionSyntax.BinaryOperator, _ b: Int64
  ) throws(ScriptError.Kind) -> PropertyValue {
    let result: (partialValue: Int64, overflow: Bool)
    switch sign {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .divide, .remainder:
      if b == 0 { throw .divisionByZero }
      result =
        sign == .divide
        ? a.dividedReportingOverflow(by: b) : a.remainderReportingOverflow(dividingBy: b)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or:
      preconditionFailure("'\(sign.rawValue)' is not arithmetic")
    }
    if result.overflow { throw .overflow }
    return .int(result.partialValue)
  }

  private static func combine(
    _ a: Double, _ sign: ExpressionSyntax.BinaryOperator, _ b: Double
  ) throws(ScriptError.Kind) -> PropertyValue {
    if b == 0, sign == .divide || sign == .remainder { throw .divisionByZero }
    let result: Double
    switch sign {
    case .add: result = a + b
    case .subtract: result = a - b
    case .multiply: result = a * b
    case .divide: result = a / b
    case .remainder: result = a.truncatingRemainder(dividingBy: b)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or:
      preconditionFailure("'\(sign.rawValue)' is not arithmetic")
    }
    guard result.isFinite else { throw .tooLarge }
    return .double(result)
  }

  private static func combine(
    _ a: Decimal, _ sign: ExpressionSyntax.BinaryOperator, _ b: Decimal
  ) throws(ScriptError.Kind) -> PropertyValue {
    if b == 0, sign == .divide { throw .divisionByZero }
    let result: Decimal
    switch sign {
    case .add: result = a + b
    case .subtract: result = a - b
    case .multiply: result = a * b
    case .divide: result = a / b
    case .remainder: throw .cannotCombine("a decimal number", "a decimal number", operator: "%")
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or:
      preconditionFailure("'\(sign.rawValue)' is not arithmetic")
    }
    guard !result.isNaN else { throw .tooLarge }
    return .decimal(result)
  }

  private var decimal: Decimal? {
    switch self {
    case .decimal(let number): number
    case .int(let number): Decimal(number)
    case .double(let number): Decimal(string: number.description)
    case .null, .bool, .string, .date, .uuid, .uri, .data, .object, .list: nil
    }
  }
}

extension ExpressionSyntax.BinaryOperator {
  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .add, .subtract, .multiply, .divide, .remainder, .and, .or: false
    }
  }
}

extension Date {
  /// The range of dates in the years 1 to 9999, which literals can have.
  ///
  /// The year 1 is one of the Julian calendar.
  fileprivate static let writable =
    Date(timeIntervalSince1970: -62_135_769_600)..<Date(timeIntervalSince1970: 253_402_300_800)
}
