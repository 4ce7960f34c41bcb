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
  /// by a division. Other numbers need integers of 128 bits, and only very small or large ones
  /// are written as text.
  package init?(shortest number: Double) {
    let scaled = Self.rounded(number * 1e4)
    if abs(scaled) < 1e15 {
      if scaled / 1e4 == number {
        var digits = UInt64(abs(scaled))
        var exponent = -4
        while exponent < 0, digits % 10 == 0 {
          digits /= 10
          exponent += 1
        }
        self.init(digits: digits, exponent: exponent, isNegative: number < 0)
        return
      }
    } else if let found = Self.withFewDigitsAfterPoint(number) {
      self = found
      return
    }
    if let digits = ShortestDigits(of: number.magnitude) {
      self.init(digits: digits.significand, exponent: digits.exponent, isNegative: number < 0)
    } else {
      self.init(wholeText: number.description)
    }
  }

  /// Returns a large number of at most 15 digits, of which three at most are after the point; nil if
  /// the number has more.
  @inline(never)
  private static func withFewDigitsAfterPoint(_ number: Double) -> Decimal? {
    var power = 1.0
    for exponent in 0...3 {
      let scaled = rounded(number * power)
      guard abs(scaled) < 1e15 else { return nil }
      if scaled / power == number {
        return Decimal(
          digits: UInt64(abs(scaled)), exponent: -exponent, isNegative: number < 0)
      }
      power *= 10
    }
    return nil
  }

  /// Returns the whole number next to a number below 2⁵¹.
  @inline(__always)
  private static func rounded(_ number: Double) -> Double {
    // The last bit of a number of this size counts as 1, so adding it rounds, without a call.
    (number + 0x1.8p52) - 0x1.8p52
  }

  /// Creates a decimal from its digits and the place of the decimal point.
  ///
  /// - Parameters:
  ///   - exponent: The power of 10 that the digits are multiplied by, within a decimal's range.
  ///   - isNegative: Ignored for zero, because a negative zero would be a NaN.
  fileprivate init(digits: UInt64, exponent: Int, isNegative: Bool) {
    self =
      digits == 0
      ? 0
      : Decimal(
        sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(digits))
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
    return Decimal(digits: significand, exponent: exponent, isNegative: isNegative)
  }
}

/// The fewest digits that only one floating-point number is nearest to, and of those the nearest.
///
/// They are the digits of the number's text. All numbers here are exact: the number is a whole
/// multiple of a power of 2, and so are the bounds halfway to its neighbours.
private struct ShortestDigits {
  let significand: UInt64
  /// The power of 10 that they are multiplied by.
  let exponent: Int

  /// The powers of 10 that fit into 64 bits.
  private static let powers: [UInt64] = (0..<20).map { power in
    (0..<power).reduce(1) { number, _ in number * 10 }
  }

  /// - Returns: Nil for a number outside of 2⁻⁹ to 2⁵³, and for a power of 2, whose neighbours are
  ///   not equally far away.
  init?(of number: Double) {
    guard 0x1p-9..<0x1p53 ~= number, number.significandBitPattern != 0 else { return nil }
    let twice = UInt128((number.significandBitPattern | 1 << 52) * 2)
    let shift = 53 - Int(number.exponent)
    // As whole numbers of 17 digits, the bounds are 1 to 22 apart. The power may be 1 too high.
    var power = 16 - Int((Double(number.exponent) * 0.30103).rounded(.down))
    if (twice * UInt128(Self.powers[power])) >> shift >= 100_000_000_000_000_000 { power -= 1 }
    let middle = twice * UInt128(Self.powers[power])
    // Neither bound is a whole number: it has more factors of 2 below than the power has above.
    let lowest = UInt64((middle - UInt128(Self.powers[power])) >> shift) + 1
    let highest = UInt64((middle + UInt128(Self.powers[power])) >> shift)
    var unit: UInt64 = 1
    while highest - highest % (unit * 10) >= lowest { unit *= 10 }

    // The multiple of the unit that is nearest to the number.
    let whole = UInt64(middle >> shift)
    let rest = UInt128(whole % unit) << shift | middle & ((1 << shift) - 1)
    let half = UInt128(unit) << (shift - 1)
    let isUp = rest > half || rest == half && whole / unit % 2 == 1
    significand = whole - whole % unit + (isUp ? unit : 0)
    exponent = -power
  }
}
