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
    default: text.canonical
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

/// The methods that `FUNCTION(operand, 'selector:', …)` may call.
///
/// There is no Objective-C runtime here, so these are the useful methods of strings and
/// collections.
extension PredicateFunctions {
  static func perform(
    _ selector: PredicateValue, on operand: PredicateValue, _ arguments: [PredicateValue],
    range: Range<Int>
  ) throws(InvalidPredicateError) -> PredicateValue {
    let name = selector.description
    if operand.isNull { return .null }
    if case .value(.string(let text)) = operand,
      let value = try perform(name, on: text, arguments)
    {
      return value
    }
    if let elements = operand.elements, let value = try perform(name, on: elements, arguments) {
      return value
    }
    guard arguments.isEmpty, !name.hasSuffix(":"),
      let value = try? KeyValueCoding.value(forKey: name, of: operand)
    else { throw InvalidPredicateError.unsupportedSelector(name, range: range) }
    return value
  }

  private static func perform(
    _ name: String, on text: String, _ arguments: [PredicateValue]
  ) throws(InvalidPredicateError) -> PredicateValue? {
    let path = NSString(string: text)
    switch (name, arguments.count) {
    case ("lastPathComponent", 0): return .value(.string(path.lastPathComponent))
    case ("pathExtension", 0): return .value(.string(path.pathExtension))
    case ("stringByDeletingPathExtension", 0):
      return .value(.string(path.deletingPathExtension))
    case ("stringByDeletingLastPathComponent", 0):
      return .value(.string(path.deletingLastPathComponent))
    case ("stringByAppendingString:", 1):
      return .value(.string(text + (try string(arguments[0], name))))
    case ("stringByReplacingOccurrencesOfString:withString:", 2):
      let old = try string(arguments[0], name)
      return .value(
        .string(text.replacingOccurrences(of: old, with: try string(arguments[1], name))))
    case ("hasPrefix:", 1), ("hasSuffix:", 1), ("containsString:", 1):
      let part = try string(arguments[0], name)
      let operation: PredicateTree.Comparator.TextOperation =
        name == "hasPrefix:" ? .beginsWith : name == "hasSuffix:" ? .endsWith : .contains
      return .value(
        .bool(try TextTest(operation, [], pattern: part, locale: "").holds(text)))
    case ("substringFromIndex:", 1), ("substringToIndex:", 1):
      let units = Array(text.utf16)
      let index = try offset(arguments[0], name)
      guard 0...units.count ~= index else {
        // The end of the text is a place too.
        throw InvalidPredicateError.outOfBounds(Int64(index), count: units.count + 1)
      }
      let part = name == "substringToIndex:" ? units[..<index] : units[index...]
      return .value(.string(String(decoding: part, as: UTF16.self)))
    default: return nil
    }
  }

  private static func perform(
    _ name: String, on elements: [PredicateValue], _ arguments: [PredicateValue]
  ) throws(InvalidPredicateError) -> PredicateValue? {
    switch (name, arguments.count) {
    case ("count", 0): return .value(.int(Int64(elements.count)))
    case ("firstObject", 0): return elements.first ?? .null
    case ("lastObject", 0): return elements.last ?? .null
    case ("containsObject:", 1):
      return .value(.bool(try elements.contains(arguments[0], by: .equality)))
    case ("objectAtIndex:", 1):
      return try OperandNode.element(of: .list(elements), at: arguments[0])
    default: return nil
    }
  }

  private static func string(
    _ value: PredicateValue, _ name: String
  ) throws(InvalidPredicateError) -> String {
    guard case .value(.string(let text)) = value else {
      throw InvalidPredicateError.notString(value, in: name)
    }
    return text
  }

  private static func offset(
    _ value: PredicateValue, _ name: String
  ) throws(InvalidPredicateError) -> Int {
    let number = try PredicateStatistics.number(value, name)
    return Int(exactly: number.double.rounded(.towardZero)) ?? .max
  }
}

/// Numbers computed from many values: sums, averages, extremes.
enum PredicateStatistics {
  typealias Number = PredicateArithmetic.Number

  /// Adds the values.
  ///
  /// Nil counts as 0.
  static func sum(_ values: [PredicateValue], _ name: String) throws(InvalidPredicateError)
    -> Number
  {
    var sum = Number.int(0)
    for value in values where !value.isNull {
      sum = try PredicateArithmetic.apply(.add, sum, try number(value, name))
    }
    return sum
  }

  /// Returns the mean, with nil as 0; nil if there are no values.
  static func average(
    _ values: [PredicateValue], _ name: String
  ) throws(InvalidPredicateError) -> PredicateValue {
    guard !values.isEmpty else { return .null }
    let sum = try sum(values, name)
    if case .decimal(let decimal) = sum {
      return .value(.decimal(decimal / Decimal(values.count)))
    }
    return .value(.double(sum.double / Double(values.count)))
  }

  /// Returns the first value that precedes (or follows) all others.
  ///
  /// Nil values are ignored.
  static func extreme(
    _ values: [PredicateValue], _ comparator: PredicateTree.Comparator
  ) throws(InvalidPredicateError) -> PredicateValue {
    let rule = ComparisonRule(comparator, locale: "")
    var best = PredicateValue.null
    for value in values where !value.isNull {
      if best.isNull {
        best = value
      } else if try rule.holds(value, best) {
        best = value
      }
    }
    return best
  }

  /// Returns the middle value, or the mean of the two in the middle.
  static func median(
    _ values: [PredicateValue], _ name: String
  ) throws(InvalidPredicateError) -> PredicateValue {
    let sorted = try doubles(values, name).sorted()
    guard !sorted.isEmpty else { return .null }
    let middle = sorted.count / 2
    return .value(
      .double(sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2))
  }

  /// Returns the most frequent values, in the order of first occurrence.
  static func mode(_ values: [PredicateValue]) throws(InvalidPredicateError) -> PredicateValue {
    let unique = try values.withoutDuplicates(by: .equality)
    var counts: [Int] = []
    for value in unique {
      var count = 0
      for other in values where try ComparisonRule.equality.areEqual(value, other) { count += 1 }
      counts.append(count)
    }
    let most = counts.max() ?? 0
    return .list(zip(unique, counts).filter { $0.1 == most }.map(\.0))
  }

  /// Returns the standard deviation of a whole population.
  static func deviation(
    _ values: [PredicateValue], _ name: String
  ) throws(InvalidPredicateError) -> PredicateValue {
    let numbers = try doubles(values, name)
    guard !numbers.isEmpty else { return .null }
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let squares = numbers.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)
    return .value(.double((squares / Double(numbers.count)).squareRoot()))
  }

  private static func doubles(
    _ values: [PredicateValue], _ name: String
  ) throws(InvalidPredicateError) -> [Double] {
    var numbers: [Double] = []
    for value in values where !value.isNull { numbers.append(try number(value, name).double) }
    return numbers
  }

  static func number(
    _ value: PredicateValue, _ name: String
  ) throws(InvalidPredicateError) -> Number {
    guard let number = Number(value) else { throw InvalidPredicateError.notNumber(value, in: name) }
    return number
  }
}
