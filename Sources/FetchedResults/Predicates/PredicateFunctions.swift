import Foundation
import PredicateSyntax

/// The functions of the format language.
///
/// A function of a single value returns nil for nil.
enum PredicateFunctions {
  typealias Number = PredicateArithmetic.Number

  static func call(
    _ name: String, _ arguments: [PredicateValue], _ environment: EvaluationEnvironment
  ) throws(InvalidPredicateError) -> PredicateValue {
    if let statistic = try statistic(name, arguments) { return statistic }
    switch arguments.count {
    case 0: return try withoutArguments(name, environment)
    case 1: return try unary(name, arguments[0], environment)
    case 2: return try binary(name, arguments[0], arguments[1])
    default: throw InvalidPredicateError.unsupportedFunction(name)
    }
  }

  private static func withoutArguments(
    _ name: String, _ environment: EvaluationEnvironment
  ) throws(InvalidPredicateError) -> PredicateValue {
    switch name {
    case "now": .value(.date(environment.now()))
    case "random": .value(.double(environment.random()))
    default: throw InvalidPredicateError.unsupportedFunction(name)
    }
  }

  // MARK: Many values

  /// The functions of one list or of several arguments.
  private static func statistic(
    _ name: String, _ arguments: [PredicateValue]
  ) throws(InvalidPredicateError) -> PredicateValue? {
    switch name {
    case "sum:": try PredicateStatistics.sum(members(arguments), name).value
    case "count:": .value(.int(Int64(members(arguments).count)))
    case "average:": try PredicateStatistics.average(members(arguments), name)
    case "min:": try PredicateStatistics.extreme(members(arguments), .less)
    case "max:": try PredicateStatistics.extreme(members(arguments), .greater)
    case "median:": try PredicateStatistics.median(members(arguments), name)
    case "mode:": try PredicateStatistics.mode(members(arguments))
    case "stddev:": try PredicateStatistics.deviation(members(arguments), name)
    default: nil
    }
  }

  private static func members(_ arguments: [PredicateValue]) -> [PredicateValue] {
    guard arguments.count == 1 else { return arguments }
    return arguments[0].elements ?? (arguments[0].isNull ? [] : arguments)
  }

  // MARK: One value

  private static func unary(
    _ name: String, _ value: PredicateValue, _ environment: EvaluationEnvironment
  ) throws(InvalidPredicateError) -> PredicateValue {
    if name == "noindex:" || value.isNull { return value }
    switch name {
    case "uppercase:", "lowercase:", "canonical:":
      guard case .value(.string(let text)) = value else {
        throw InvalidPredicateError.notString(value, in: name)
      }
      return .value(.string(converted(text, name)))
    default: break
    }
    let number = try PredicateStatistics.number(value, name)
    switch name {
    case "sqrt:": return .value(.double(number.double.squareRoot()))
    case "log:": return .value(.double(log10(number.double)))
    case "ln:": return .value(.double(log(number.double)))
    case "exp:": return .value(.double(exp(number.double)))
    case "floor:": return rounded(number, .down)
    case "ceiling:": return rounded(number, .up)
    case "trunc:": return rounded(number, .towardZero)
    case "abs:":
      return number.double < 0 ? try PredicateArithmetic.negated(value) : number.value
    case "onesComplement:": return .value(.int(~(try PredicateArithmetic.bits(number))))
    case "random:", "randomn:":
      let limit = max(number.double, 0)
      return .value(.int(Int64(exactly: (environment.random() * limit).rounded(.down)) ?? 0))
    default: throw InvalidPredicateError.unsupportedFunction(name)
    }
  }

  private static func converted(_ text: String, _ name: String) -> String {
    switch name {
    case "uppercase:": text.uppercased()
    case "lowercase:": text.lowercased()
    default: text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
  }

  private static func rounded(
    _ number: Number, _ rule: FloatingPointRoundingRule
  ) -> PredicateValue {
    if case .int = number { return number.value }
    return .value(.double(number.double.rounded(rule)))
  }

  // MARK: Two values

  private static func binary(
    _ name: String, _ left: PredicateValue, _ right: PredicateValue
  ) throws(InvalidPredicateError) -> PredicateValue {
    switch name {
    case "add:to:": return try PredicateArithmetic.apply(.add, left, right)
    case "from:subtract:": return try PredicateArithmetic.apply(.subtract, left, right)
    case "multiply:by:": return try PredicateArithmetic.apply(.multiply, left, right)
    case "divide:by:": return try PredicateArithmetic.apply(.divide, left, right)
    case "raise:toPower:": return try PredicateArithmetic.apply(.power, left, right)
    case "bitwiseAnd:with:": return try PredicateArithmetic.apply(.bitAnd, left, right)
    case "bitwiseOr:with:": return try PredicateArithmetic.apply(.bitOr, left, right)
    case "bitwiseXor:with:": return try PredicateArithmetic.apply(.bitXor, left, right)
    case "castObject:toType:": return try PredicateCast.cast(left, to: right.description)
    case "objectFrom:withIndex:": return try OperandNode.element(of: left, at: right)
    case "modulus:by:", "leftshift:by:", "rightshift:by:": break
    default: throw InvalidPredicateError.unsupportedFunction(name)
    }
    if left.isNull || right.isNull { return .null }
    let a = try PredicateStatistics.number(left, name)
    let b = try PredicateStatistics.number(right, name)
    switch name {
    case "leftshift:by:":
      return .value(.int(try PredicateArithmetic.bits(a) << PredicateArithmetic.bits(b)))
    case "rightshift:by:":
      return .value(.int(try PredicateArithmetic.bits(a) >> PredicateArithmetic.bits(b)))
    default: return try modulus(a, b)
    }
  }

  private static func modulus(_ a: Number, _ b: Number) throws(InvalidPredicateError)
    -> PredicateValue
  {
    guard case .int(let a) = a, case .int(let b) = b else {
      return .value(.double(fmod(a.double, b.double)))
    }
    guard b != 0 else { throw InvalidPredicateError.divisionByZero }
    return .value(.int(b == -1 ? 0 : a % b))
  }
}
