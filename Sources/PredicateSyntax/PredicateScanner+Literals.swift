extension PredicateScanner {
  /// A string and the unknown escapes in it.
  struct StringLiteral {
    var text = ""
    var end = 0
    var warnings: [PredicateSyntaxError] = []
  }

  /// Reads the string that begins with the quote at `start`.
  ///
  /// In a pattern, an unknown escape keeps its backslash, because a regular expression in single
  /// quotes needs it: `'\d+'`.
  func string(
    at start: Int, isPattern: Bool
  ) throws(PredicateSyntaxError) -> StringLiteral {
    let quote = bytes[start]
    var literal = StringLiteral()
    var plain = start + 1
    var offset = plain
    while let byte = byte(at: offset) {
      if byte == quote {
        literal.text += text(plain..<offset)
        literal.end = offset + 1
        return literal
      }
      guard byte == UInt8(ascii: "\\") else {
        offset += 1
        continue
      }
      literal.text += text(plain..<offset)
      guard offset + 1 < bytes.count else { break }
      offset = try readEscape(at: offset, isPattern: isPattern, into: &literal)
      plain = offset
    }
    throw PredicateSyntaxError(
      .unterminatedString(quote: Character(Unicode.Scalar(quote))), range: start..<bytes.count)
  }

  /// Reads one escape, starting at its backslash, and returns its end.
  private func readEscape(
    at start: Int, isPattern: Bool, into literal: inout StringLiteral
  ) throws(PredicateSyntaxError) -> Int {
    let letter = bytes[start + 1]
    if let character = Self.simpleEscape(letter) {
      literal.text.unicodeScalars.append(character)
      return start + 2
    }
    switch letter {
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      return try readCode(at: start, digits: start + 1, radix: 8, count: 1...3, into: &literal)
    case UInt8(ascii: "x"):
      return try readCode(at: start, digits: start + 2, radix: 16, count: 2...2, into: &literal)
    case UInt8(ascii: "u") where byte(at: start + 2) == UInt8(ascii: "{"):
      return try readBracedCode(at: start, into: &literal)
    case UInt8(ascii: "u"):
      return try readUTF16(at: start, into: &literal)
    default:
      return readUnknownEscape(at: start, isPattern: isPattern, into: &literal)
    }
  }

  private static func simpleEscape(_ letter: UInt8) -> Unicode.Scalar? {
    switch letter {
    case UInt8(ascii: "a"): "\u{7}"
    case UInt8(ascii: "b"): "\u{8}"
    case UInt8(ascii: "f"): "\u{C}"
    case UInt8(ascii: "n"): "\n"
    case UInt8(ascii: "r"): "\r"
    case UInt8(ascii: "t"): "\t"
    case UInt8(ascii: "v"): "\u{B}"
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): Unicode.Scalar(letter)
    default: nil
    }
  }

  private func readUnknownEscape(
    at start: Int, isPattern: Bool, into literal: inout StringLiteral
  ) -> Int {
    var end = start + 2
    while let byte = byte(at: end), byte & 0xC0 == 0x80 { end += 1 }
    let character = text(start + 1..<end)
    literal.text += isPattern ? "\\" + character : character
    if !isPattern, let character = character.first {
      literal.warnings.append(
        PredicateSyntaxError(.unknownEscape(character), range: start..<end))
    }
    return end
  }

  // MARK: Escapes with digits

  private func readCode(
    at start: Int, digits: Int, radix: UInt8, count: ClosedRange<Int>,
    into literal: inout StringLiteral
  ) throws(PredicateSyntaxError) -> Int {
    guard let (value, end) = code(at: digits, radix: radix, count: count),
      let scalar = Unicode.Scalar(value)
    else { throw invalidEscape(start..<min(digits + 1, bytes.count)) }
    literal.text.unicodeScalars.append(scalar)
    return end
  }

  /// Reads `\u{1F600}`.
  private func readBracedCode(
    at start: Int, into literal: inout StringLiteral
  ) throws(PredicateSyntaxError) -> Int {
    guard let (value, end) = code(at: start + 3, radix: 16, count: 1...8),
      byte(at: end) == UInt8(ascii: "}"), let scalar = Unicode.Scalar(value)
    else { throw invalidEscape(start..<min(start + 3, bytes.count)) }
    literal.text.unicodeScalars.append(scalar)
    return end + 1
  }

  /// Reads `\uhhhh`, and a second one if the two form a surrogate pair.
  private func readUTF16(
    at start: Int, into literal: inout StringLiteral
  ) throws(PredicateSyntaxError) -> Int {
    guard let (first, end) = code(at: start + 2, radix: 16, count: 4...4) else {
      throw invalidEscape(start..<min(start + 3, bytes.count))
    }
    if let scalar = Unicode.Scalar(first) {
      literal.text.unicodeScalars.append(scalar)
      return end
    }
    guard first < 0xDC00, byte(at: end) == UInt8(ascii: "\\"),
      byte(at: end + 1) == UInt8(ascii: "u"),
      let (second, pairEnd) = code(at: end + 2, radix: 16, count: 4...4),
      0xDC00...0xDFFF ~= second,
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw invalidEscape(start..<end) }
    literal.text.unicodeScalars.append(scalar)
    return pairEnd
  }

  /// Reads a number that has at least and at most the given numbers of digits.
  private func code(
    at start: Int, radix: UInt8, count: ClosedRange<Int>
  ) -> (UInt32, end: Int)? {
    var value: UInt32 = 0
    var end = start
    while end - start < count.upperBound, let byte = byte(at: end),
      let digit = Self.digit(byte, radix: radix)
    {
      value = value << (radix == 16 ? 4 : 3) | UInt32(digit)
      end += 1
    }
    return end - start >= count.lowerBound ? (value, end) : nil
  }

  private func invalidEscape(_ range: Range<Int>) -> PredicateSyntaxError {
    PredicateSyntaxError(.invalidEscape(text(range)), range: range)
  }
}

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
