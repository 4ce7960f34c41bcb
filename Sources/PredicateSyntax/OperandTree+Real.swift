extension OperandTree.Kind {
  /// Creates the number for a text with a decimal point or an exponent.
  ///
  /// It keeps the number's shortest text, so that `1.50` and `1.5` give equal trees, unless that
  /// would lose a digit.
  ///
  /// - Returns: Nil if the text is not a number, or if the number is too large.
  package init?(real text: String) {
    guard let value = Double(text), value.isFinite else { return nil }
    let shortest = value.description
    let digits = DecimalDigits(text)
    self = .real(value, text: digits != nil && digits == DecimalDigits(shortest) ? shortest : text)
  }
}

/// The exact value of a decimal text, however it is written.
private struct DecimalDigits: Equatable {
  private var isNegative = false
  /// The digits from the first to the last that is not 0.
  private var digits: [UInt8] = []
  /// The power of ten to multiply with the digits, read as an integer.
  private var exponent = 0

  /// - Returns: Nil if the exponent is not a 64-bit number.
  init?(_ text: String) {
    var isAfterPoint = false
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isAfterPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard let power = Int32(String(decoding: rest, as: UTF8.self)) else { return nil }
        exponent += Int(power)
        rest = rest[rest.endIndex...]
      default:
        if isAfterPoint { exponent -= 1 }
        if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
      }
    }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { exponent = 0 }
  }
}
