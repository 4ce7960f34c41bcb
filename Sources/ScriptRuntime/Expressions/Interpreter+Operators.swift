import FetchedResults
import Foundation
import ScriptSyntax

extension Interpreter {
  func binary(
    _ left: ExpressionSyntax, _ sign: ExpressionSyntax.BinaryOperator, _ right: ExpressionSyntax,
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
    default: break
    }
    guard let ordering else { throw failure(.cannotCompare(left.kind, right.kind), range) }
    switch sign {
    case .less: return ordering == .ascending
    case .lessOrEqual: return ordering != .descending
    case .greater: return ordering == .descending
    default: return ordering != .ascending
    }
  }

  func negated(_ operand: ExpressionSyntax) throws(ScriptError) -> Value {
    try combine(.int(0), .subtract, scalar(operand), operand.range)
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
      guard a.count + b.count <= Self.longestText else {
        throw failure(.tooLong(limit: Self.longestText), range)
      }
      return .list(a + b)
    case (.date(let a), .subtract, .date(let b)): return .double(a.timeIntervalSince(b))
    case (.date(let a), .add, _):
      if let seconds = right.double { return .date(a.addingTimeInterval(seconds)) }
    case (.date(let a), .subtract, _):
      if let seconds = right.double { return .date(a.addingTimeInterval(-seconds)) }
    case (.decimal, _, _), (_, _, .decimal):
      if let a = left.decimal, let b = right.decimal { return try combine(a, sign, b, range) }
    default:
      if let a = left.double, let b = right.double { return try combine(a, sign, b, range) }
    }
    throw failure(.cannotCombine(left.kind, right.kind, operator: sign.rawValue), range)
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
      result = sign == .divide ? a.dividedReportingOverflow(by: b) : a.remainderReportingOverflow(dividingBy: b)
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
    switch sign {
    case .add: return .double(a + b)
    case .subtract: return .double(a - b)
    case .multiply: return .double(a * b)
    case .divide: return .double(a / b)
    case .remainder: return .double(a.truncatingRemainder(dividingBy: b))
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or:
      preconditionFailure("'\(sign.rawValue)' is no arithmetic")
    }
  }

  private func combine(
    _ a: Decimal, _ sign: ExpressionSyntax.BinaryOperator, _ b: Decimal, _ range: Range<Int>
  ) throws(ScriptError) -> Value {
    if b == 0, sign == .divide { throw failure(.divisionByZero, range) }
    switch sign {
    case .add: return .decimal(a + b)
    case .subtract: return .decimal(a - b)
    case .multiply: return .decimal(a * b)
    case .divide: return .decimal(a / b)
    case .remainder:
      throw failure(.cannotCombine("a decimal number", "a decimal number", operator: "%"), range)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or:
      preconditionFailure("'\(sign.rawValue)' is no arithmetic")
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

extension Value {
  fileprivate var decimal: Decimal? {
    switch self {
    case .decimal(let number): number
    case .int(let number): Decimal(number)
    case .double(let number): Decimal(string: number.description)
    case .null, .bool, .string, .date, .uuid, .uri, .data, .object, .list: nil
    }
  }
}
