/// A set of transaction numbers, most of which are consecutive.
package struct TransactionNumbers: Sendable {
  private var ranges: [ClosedRange<Int64>] = []

  package init() {}

  /// The highest of the numbers.
  package var last: Int64? { ranges.last?.upperBound }

  /// Adds a number that is higher than all others.
  package mutating func append(_ number: Int64) {
    if let last = ranges.last, last.upperBound == number - 1 {
      ranges[ranges.count - 1] = last.lowerBound...number
    } else {
      ranges.append(number...number)
    }
  }

  /// - Complexity: O(*r*) in the runs of numbers; the latest is checked first.
  package func contains(_ number: Int64) -> Bool {
    for range in ranges.reversed() where range.lowerBound <= number {
      return number <= range.upperBound
    }
    return false
  }
}
