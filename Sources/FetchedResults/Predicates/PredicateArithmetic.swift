import Foundation
import PredicateSyntax

/// Arithmetic with numbers of any kind.
///
/// The result of integers is an integer, also for a division, unless it would overflow; then it is
/// a floating-point number. With a decimal and no floating-point number, it is a decimal. If a side
/// is nil, the result is nil.
enum PredicateArithmetic {
  enum Number {
    case int(Int64)
    case double(Double)
    case decimal(Decimal)

    init?(_ value: PredicateValue) {
      switch value {
      case .value(.int(let number)): self = .int(number)
      case .value(.double(let number)): self = .double(number)
      case .value(.decimal(let number)): self = .decimal(number)
      case .value(.bool(let truth)): self = .int(truth ? 1 : 0)
      case .value, .list, .set, .dictionary, .subject: return nil
      }
    }

    var double: Double {
      switch self {
      case .int(let number): Double(number)
      case .double(let number): number
      case .decimal(let number): number.nearestDouble
      }
    }

    var decimal: Decimal? {
      switch self {
      case .int(let number): Decimal(number)
      case .decimal(let number): number
      case .double: nil
      }
    }

    var value: PredicateValue {
      switch self {
      case .int(let number): .value(.int(number))
      case .double(let number): .value(.double(number))
      case .decimal(let number): .value(.decimal(number))
      }
    }
  }

  typealias Operator = OperandTree.ArithmeticOperator

  static func apply(
    _ sign: Operator, _ left: PredicateValue, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    if left.isNull || right.isNull { return .null }
    guard let a = Number(left) else {
      throw InvalidPredicateError.notNumber(left, in: sign.rawValue)
    }
    guard let b = Number(right) else {
      throw InvalidPredicateError.notNumber(right, in: sign.rawValue)
    }
    return try apply(sign, a, b).value
  }

  static func apply(_ sign: Operator, _ a: Number, _ b: Number) throws(InvalidPredicateError)
    -> Number
  {
    switch sign {
    case .bitAnd: return .int(try bits(a) & bits(b))
    case .bitOr: return .int(try bits(a) | bits(b))
    case .bitXor: return .int(try bits(a) ^ bits(b))
    case .power: return power(a, b)
    case .add, .subtract, .multiply, .divide: break
    }
    if case .int(let a) = a, case .int(let b) = b { return try integers(sign, a, b) }
    if let a = a.decimal, let b = b.decimal { return try decimals(sign, a, b) }
    return .double(doubles(sign, a.double, b.double))
  }

  private static func integers(
    _ sign: Operator, _ a: Int64, _ b: Int64
  ) throws(InvalidPredicateError) -> Number {
    let (result, overflow) =
      switch sign {
      case .add: a.addingReportingOverflow(b)
      case .subtract: a.subtractingReportingOverflow(b)
      case .multiply: a.multipliedReportingOverflow(by: b)
      case .divide, .power, .bitAnd, .bitOr, .bitXor:
        if b == 0 {
          throw InvalidPredicateError.divisionByZero
        } else {
          a.dividedReportingOverflow(by: b)
        }
      }
    return overflow ? .double(doubles(sign, Double(a), Double(b))) : .int(result)
  }

  private static func decimals(
    _ sign: Operator, _ a: Decimal, _ b: Decimal
  ) throws(InvalidPredicateError) -> Number {
    switch sign {
    case .add: return .decimal(a + b)
    case .subtract: return .decimal(a - b)
    case .multiply: return .decimal(a * b)
    case .divide, .power, .bitAnd, .bitOr, .bitXor:
      guard b != 0 else { throw InvalidPredicateError.divisionByZero }
      return .decimal(a / b)
    }
  }

  private static func doubles(_ sign: Operator, _ a: Double, _ b: Double) -> Double {
    switch sign {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide, .power, .bitAnd, .bitOr, .bitXor: a / b
    }
  }

  /// The result is exact if both are integers and it fits exactly into a floating-point number.
  private static func power(_ a: Number, _ b: Number) -> Number {
    let result = pow(a.double, b.double)
    if case .int = a, case .int = b, abs(result) < 0x1p53, let integer = Int64(exactly: result) {
      return .int(integer)
    }
    return .double(result)
  }

  static func bits(_ number: Number) throws(InvalidPredicateError) -> Int64 {
    switch number {
    case .int(let number): return number
    case .double, .decimal:
      guard let integer = Int64(exactly: number.double.rounded(.towardZero)) else {
        throw InvalidPredicateError.notNumber(number.value, in: "bits")
      }
      return integer
    }
  }

  static func negated(_ value: PredicateValue) throws(InvalidPredicateError) -> PredicateValue {
    try apply(.subtract, .value(.int(0)), value)
  }
}
