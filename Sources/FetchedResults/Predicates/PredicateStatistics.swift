import Foundation
import PredicateSyntax

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
