import FetchedResults
import Foundation
import ScriptSyntax

extension Interpreter {
  func binary(
    _ left: Operand, _ sign: ExpressionSyntax.BinaryOperator, _ right: ExpressionSyntax,
    _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    switch sign {
    case .and:
      guard try truth(of: left) else { return .bool(false) }
      return .bool(try truth(of: right))
    case .or:
      if try truth(of: left) { return .bool(true) }
      return .bool(try truth(of: right))
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      return .bool(try compare(scalar(left), sign, scalar(right), range))
    case .add, .subtract, .multiply, .divide, .remainder:
      return try combine(scalar(left), sign, scalar(right), range)
    }
  }

  /// Compares two values; what has no order is unequal, and an error for `<`.
  func compare(
    _ left: Value, _ sign: ExpressionSyntax.BinaryOperator, _ right: Value, _ range: Range<Int>
  ) throws(ScriptError) -> Bool {
    let ordering = left.isNull != right.isNull ? nil : left.ordering(right)
    switch sign {
    case .equal: return ordering == .same || left == right
    case .notEqual: return !(ordering == .same || left == right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .add, .subtract, .multiply, .divide,
      .remainder, .and, .or:
      break
    }
    guard let ordering else { throw failure(.cannotCompare(left.kind, right.kind), range) }
    switch sign {
    case .less: return ordering == .ascending
    case .lessOrEqual: return ordering != .descending
    case .greater: return ordering == .descending
    case .greaterOrEqual, .equal, .notEqual, .add, .subtract, .multiply, .divide, .remainder, .and,
      .or:
      return ordering != .ascending
    }
  }

  func negated(_ operand: ExpressionSyntax) throws(ScriptError) -> Value {
    let value = try scalar(operand)
    switch value {
    case .int(let number): return try combine(0, .subtract, number, operand.range)
    case .double(let number): return .double(-number)
    case .decimal(let number): return .decimal(-number)
    case .null, .bool, .string, .date, .uuid, .uri, .data, .object, .list, .unread:
      throw failure(.needed("a number", found: value.kind), operand.range)
    }
  }

  /// Adds, subtracts, multiplies or divides.
  ///
  /// Integers stay integers, and a division of two cuts the fraction off, as
  /// in Swift. `+` also joins strings and lists, and moves a date by seconds.
  func combine(
    _ left: Value, _ sign: ExpressionSyntax.BinaryOperator, _ right: Value, _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    switch (left, sign, right) {
    case (.int(let a), _, .int(let b)): return try combine(a, sign, b, range)
    case (.string(let a), .add, .string(let b)):
      guard a.utf8.count + b.utf8.count <= Self.longestText else {
        throw failure(.tooLong(limit: Self.longestText), range)
      }
      return .string(a + b)
    case (.list(let a), .add, .list(let b)):
      return try list(a + b, range)
    case (.date(let a), .subtract, .date(let b)): return .double(a.timeIntervalSince(b))
    case (.date(let a), .add, _):
      if let seconds = right.double { return try moved(a, by: seconds, range) }
    case (.date(let a), .subtract, _):
      if let seconds = right.double { return try moved(a, by: -seconds, range) }
    case (.decimal, _, _), (_, _, .decimal):
      if let a = left.decimal, let b = right.decimal { return try combine(a, sign, b, range) }
    default:
      if let a = left.double, let b = right.double { return try combine(a, sign, b, range) }
    }
    throw failure(.cannotCombine(left.kind, right.kind, operator: sign.rawValue), range)
  }

  /// Moves a date, within the years that a date can be written in.
  private func moved(
    _ date: Date, by seconds: Double, _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    let moved = date.addingTimeInterval(seconds)
    guard Date.writable.contains(moved) else { throw failure(.dateOutOfRange, range) }
    return .date(moved)
  }

  private func combine(
    _ a: Int64, _ sign: ExpressionSyntax.BinaryOperator, _ b: Int64, _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    let result: (partialValue: Int64, overflow: Bool)
    switch sign {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .divide, .remainder:
      if b == 0 { throw failure(.divisionByZero, range) }
      result =
        sign == .divide
        ? a.dividedReportingOverflow(by: b) : a.remainderReportingOverflow(dividingBy: b)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or:
      preconditionFailure("'\(sign.rawValue)' is no arithmetic")
    }
    if result.overflow { throw failure(.overflow, range) }
    return .int(result.partialValue)
  }

  private func combine(
    _ a: Double, _ sign: ExpressionSyntax.BinaryOperator, _ b: Double, _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    if b == 0, sign == .divide || sign == .remainder { throw failure(.divisionByZero, range) }
    let result: Double
    switch sign {
    case .add: result = a + b
    case .subtract: result = a - b
    case .multiply: result = a * b
    case .divide: result = a / b
    case .remainder: result = a.truncatingRemainder(dividingBy: b)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or:
      preconditionFailure("'\(sign.rawValue)' is no arithmetic")
    }
    guard result.isFinite else { throw failure(.tooLarge, range) }
    return .double(result)
  }

  private func combine(
    _ a: Decimal, _ sign: ExpressionSyntax.BinaryOperator, _ b: Decimal, _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    if b == 0, sign == .divide { throw failure(.divisionByZero, range) }
    let result: Decimal
    switch sign {
    case .add: result = a + b
    case .subtract: result = a - b
    case .multiply: result = a * b
    case .divide: result = a / b
    case .remainder:
      throw failure(.cannotCombine("a decimal number", "a decimal number", operator: "%"), range)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or:
      preconditionFailure("'\(sign.rawValue)' is no arithmetic")
    }
    guard !result.isNaN else { throw failure(.tooLarge, range) }
    return .decimal(result)
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
  /// The moments of the years 1 to 9999, as literals have them.
  fileprivate static let writable =
    Date(timeIntervalSince1970: -62_135_596_800)..<Date(timeIntervalSince1970: 253_402_300_800)
}

extension Value {
  fileprivate var decimal: Decimal? {
    switch self {
    case .decimal(let number): number
    case .int(let number): Decimal(number)
    case .double(let number): Decimal(string: number.description)
    case .null, .bool, .string, .date, .uuid, .uri, .data, .object, .list, .unread: nil
    }
  }
}
