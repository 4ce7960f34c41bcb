extension PredicateScanner {
  /// Reads the number whose first digit is at the token's start.
  ///
  /// A minus before it belongs to the number, so that the smallest integer can be written.
  func number(
    at start: Int, isNegative: Bool
  ) throws(PredicateSyntaxError) -> (kind: OperandTree.Kind, end: Int) {
    let (digits, radix) = radix(at: start)
    let read =
      radix == 10
      ? decimal(at: start, isNegative: isNegative)
      : integer(digits: digits, radix: radix, isNegative: isNegative)
    if let rest = endOfWord(at: read.end) {
      throw PredicateSyntaxError(.malformedNumber(text(start..<rest)), range: start..<rest)
    }
    guard let kind = read.kind else {
      let text = text(start..<read.end)
      throw PredicateSyntaxError(
        read.end > digits ? .numberTooLarge(text) : .malformedNumber(text),
        range: start..<read.end)
    }
    return (kind, read.end)
  }

  /// Returns the base for a prefix `0x`, `0o` or `0b`, and where the digits begin.
  private func radix(at start: Int) -> (digits: Int, radix: UInt8) {
    guard bytes[start] == UInt8(ascii: "0"), let letter = byte(at: start + 1) else {
      return (start, 10)
    }
    switch letter {
    case UInt8(ascii: "x"), UInt8(ascii: "X"): return (start + 2, 16)
    case UInt8(ascii: "o"), UInt8(ascii: "O"): return (start + 2, 8)
    case UInt8(ascii: "b"), UInt8(ascii: "B"): return (start + 2, 2)
    default: return (start, 10)
    }
  }

  private func integer(
    digits: Int, radix: UInt8, isNegative: Bool
  ) -> (kind: OperandTree.Kind?, end: Int) {
    var end = digits
    while let byte = byte(at: end), Self.digit(byte, radix: radix) != nil { end += 1 }
    let text = (isNegative ? "-" : "") + text(digits..<end)
    return (Int64(text, radix: Int(radix)).map(OperandTree.Kind.integer), end)
  }

  private func decimal(
    at start: Int, isNegative: Bool
  ) -> (kind: OperandTree.Kind?, end: Int) {
    var end = endOfDigits(from: start)
    var isInteger = true
    if byte(at: end) == UInt8(ascii: "."), let next = byte(at: end + 1), Self.isDigit(next) {
      isInteger = false
      end = endOfDigits(from: end + 1)
    }
    if let exponent = endOfExponent(at: end) {
      isInteger = false
      end = exponent
    }
    let text = (isNegative ? "-" : "") + text(start..<end)
    if isInteger, let value = Int64(text) { return (.integer(value), end) }
    return (OperandTree.Kind(real: text), end)
  }

  private func endOfDigits(from start: Int) -> Int {
    var end = start
    while let byte = byte(at: end), Self.isDigit(byte) { end += 1 }
    return end
  }

  private func endOfExponent(at start: Int) -> Int? {
    guard let letter = byte(at: start), letter | 0x20 == UInt8(ascii: "e") else { return nil }
    var digits = start + 1
    if let sign = byte(at: digits), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
      digits += 1
    }
    let end = endOfDigits(from: digits)
    return end > digits ? end : nil
  }
}
