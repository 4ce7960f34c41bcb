package import Foundation

/// What Foundation does to decimals with less care.
extension Decimal {
  /// The floating-point number nearest to this one.
  ///
  /// Foundation's `doubleValue` divides by 10 once for each digit behind the
  /// point and rounds each time, so that of 19.99 it makes 19.990000000000002.
  package var nearestDouble: Double { isNaN ? .nan : Double(description) ?? .nan }

  /// The number that a text is, all of it: digits with a point, a sign and an
  /// exponent.
  ///
  /// Foundation's own reading ends without a word where a text goes on.
  package init?(wholeText text: String) {
    let number = /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/
    guard text.wholeMatch(of: number) != nil, let value = Decimal(string: text) else { return nil }
    self = value
  }
}
