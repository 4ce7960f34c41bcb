package import Foundation

/// Conversions that Foundation does with a loss of accuracy.
extension Decimal {
  /// The floating-point number nearest to this decimal.
  ///
  /// Foundation's `doubleValue` divides by 10 once for each digit after the decimal point, and
  /// rounds each time. So it returns 19.990000000000002 for 19.99.
  package var nearestDouble: Double { isNaN ? .nan : Double(description) ?? .nan }

  /// Creates the shortest decimal whose nearest floating-point number is the given one; nil if the
  /// number is not finite, or too large for a decimal.
  ///
  /// There is only one candidate with at most 15 digits, so prices and similar numbers are found
  /// without writing the number as text.
  package init?(shortest number: Double) {
    var power = 1.0
    for exponent in 0...4 {
      let scaled = (number * power).rounded()
      guard abs(scaled) < 1e15 else { break }
      if scaled / power == number {
        let significand = Decimal(UInt64(abs(scaled)))
        // A negative zero would become a NaN.
        self =
          scaled == 0
          ? 0 : Decimal(sign: number.sign, exponent: -exponent, significand: significand)
        return
      }
      power *= 10
    }
    self.init(wholeText: number.description)
  }

  /// Creates a number from a whole text: digits with a decimal point, a sign and an exponent.
  ///
  /// Foundation's own parser silently stops at the first character that does not fit.
  ///
  /// - Complexity: O(*n*) in the text. Foundation's parser is not needed for a number of at most 18
  ///   digits, which includes every floating-point number.
  package init?(wholeText text: String) {
    var text = text
    guard let number = text.withUTF8({ DecimalText($0) }) else { return nil }
    if let value = number.value {
      self = value
    } else {
      guard let value = Decimal(string: text) else { return nil }
      self = value
    }
  }
}

/// The parts of a number's text.
private struct DecimalText {
  private var isNegative = false
  /// The first 18 digits, without the decimal point.
  private var significand: UInt64 = 0
  private var digits = 0
  private var exponent = 0

  private static let mostDigits = 18
  /// The exponent of a decimal is one byte.
  private static let exponents = -100...100

  /// - Returns: Nil if the text, or a part of it, is not a number.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    var index = text.startIndex
    func take(_ first: UInt8, or second: UInt8) -> UInt8? {
      guard index < text.endIndex, text[index] == first || text[index] == second else {
        return nil
      }
      defer { index += 1 }
      return text[index]
    }
    func takeDigit() -> UInt8? {
      guard index < text.endIndex, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index])
      else { return nil }
      defer { index += 1 }
      return text[index] - UInt8(ascii: "0")
    }

    isNegative = take(UInt8(ascii: "-"), or: UInt8(ascii: "+")) == UInt8(ascii: "-")
    var hasDigits = false
    while let digit = takeDigit() {
      hasDigits = true
      add(digit)
    }
    if take(UInt8(ascii: "."), or: UInt8(ascii: ".")) != nil {
      while let digit = takeDigit() {
        hasDigits = true
        add(digit)
        exponent -= 1
      }
    }
    guard hasDigits else { return nil }
    if take(UInt8(ascii: "e"), or: UInt8(ascii: "E")) != nil {
      let isBelow = take(UInt8(ascii: "-"), or: UInt8(ascii: "+")) == UInt8(ascii: "-")
      guard let first = takeDigit() else { return nil }
      var power = Int(first)
      // The value stops growing here, because Foundation reads larger exponents anyway.
      while let digit = takeDigit() { power = min(power * 10 + Int(digit), 10_000) }
      exponent += isBelow ? -power : power
    }
    guard index == text.endIndex else { return nil }
  }

  private mutating func add(_ digit: UInt8) {
    // Leading zeros do not count.
    if digit == 0, significand == 0 { return }
    digits += 1
    if digits <= Self.mostDigits { significand = significand * 10 + UInt64(digit) }
  }

  /// The number; nil if it has more digits than are kept here, or an exponent outside a decimal's
  /// range.
  var value: Decimal? {
    guard digits <= Self.mostDigits else { return nil }
    // A negative zero would become a NaN.
    guard significand != 0 else { return 0 }
    var (significand, exponent) = (significand, exponent)
    while exponent < 0, significand % 10 == 0 {
      significand /= 10
      exponent += 1
    }
    guard Self.exponents.contains(exponent) else { return nil }
    return Decimal(
      sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(significand))
  }
}
