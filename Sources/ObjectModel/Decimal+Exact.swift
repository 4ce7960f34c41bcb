package import Foundation

/// What Foundation does to decimals with less care.
extension Decimal {
  /// The floating-point number nearest to this one.
  ///
  /// Foundation's `doubleValue` divides by 10 once for each digit after the point and rounds each
  /// time, so that of 19.99 it makes 19.990000000000002.
  package var nearestDouble: Double { isNaN ? .nan : Double(description) ?? .nan }

  /// The shortest decimal of which a floating-point number is the nearest one;
  /// nil of what is not a number, or larger than a decimal can be.
  ///
  /// With at most 15 digits there is only one, so prices and the like are found
  /// without writing the number as a text.
  package init?(shortest number: Double) {
    var power = 1.0
    for exponent in 0...4 {
      let scaled = (number * power).rounded()
      guard abs(scaled) < 1e15 else { break }
      if scaled / power == number {
        let significand = Decimal(UInt64(abs(scaled)))
        // A negative zero would be a NaN.
        self =
          scaled == 0
          ? 0 : Decimal(sign: number.sign, exponent: -exponent, significand: significand)
        return
      }
      power *= 10
    }
    self.init(wholeText: number.description)
  }

  /// The number that a text is, all of it: digits with a point, a sign and an
  /// exponent.
  ///
  /// Foundation's own reading ends without a word where a text continues.
  ///
  /// - Complexity: O(*n*) in the text. A number of at most 18 digits, as a
  ///   floating-point number's always is, is made without Foundation's reader.
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
  /// The digits without the point, as far as there are at most 18 of them.
  private var significand: UInt64 = 0
  private var digits = 0
  private var exponent = 0

  private static let mostDigits = 18
  /// A decimal's own exponent is one byte.
  private static let exponents = -100...100

  /// - Returns: Nil if the text, or a part of it, is something else.
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
      // What is larger is read by Foundation anyway.
      while let digit = takeDigit() { power = min(power * 10 + Int(digit), 10_000) }
      exponent += isBelow ? -power : power
    }
    guard index == text.endIndex else { return nil }
  }

  private mutating func add(_ digit: UInt8) {
    // Zeros before the first digit do not count.
    if digit == 0, significand == 0 { return }
    digits += 1
    if digits <= Self.mostDigits { significand = significand * 10 + UInt64(digit) }
  }

  /// The number; nil if it has more digits than are kept here, or an exponent that a decimal may
  /// not have.
  var value: Decimal? {
    guard digits <= Self.mostDigits else { return nil }
    // A negative zero would be a NaN.
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
