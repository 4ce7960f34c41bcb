extension Lexer {
  /// Returns where the identifier that begins at `start` ends; nil if none begins there.
  func endOfName(at start: Int) -> Int? {
    guard var end = endOfLetter(at: start, isFirst: true) else { return nil }
    while let next = endOfLetter(at: end, isFirst: false) { end = next }
    return end
  }

  private func endOfLetter(at offset: Int, isFirst: Bool) -> Int? {
    guard let byte = byte(at: offset) else { return nil }
    if byte < 0x80 {
      let isPart = Byte.isLetter(byte) || (!isFirst && Byte.isDigit(byte))
      return isPart ? offset + 1 : nil
    }
    guard let (scalar, length) = scalar(at: offset) else {
      // A byte that is not UTF-8 is reported, and counts as part of the name.
      return offset + 1
    }
    let properties = scalar.properties
    let isPart = isFirst ? properties.isXIDStart : properties.isXIDContinue
    return isPart ? offset + length : nil
  }

  /// Whether the name at `offset` begins with a capital letter.
  func isCapital(at offset: Int) -> Bool {
    guard let byte = byte(at: offset) else { return false }
    if byte < 0x80 { return 0x41...0x5A ~= byte }
    guard let properties = scalar(at: offset)?.scalar.properties else { return false }
    return properties.isUppercase || properties.generalCategory == .titlecaseLetter
  }

  /// Decodes the character at `offset`; nil if it is not UTF-8.
  func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    guard let first = byte(at: offset) else { return nil }
    let length: Int
    switch first {
    case 0..<0x80: return (Unicode.Scalar(first), 1)
    case 0xC2..<0xE0: length = 2
    case 0xE0..<0xF0: length = 3
    case 0xF0..<0xF5: length = 4
    default: return nil
    }
    guard offset + length <= bytes.count else { return nil }
    var value = UInt32(first) & (0xFF >> (UInt32(length) + 1))
    for next in bytes[offset + 1..<offset + length] {
      guard next & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(next & 0x3F)
    }
    let shortest: [UInt32] = [0, 0, 0x80, 0x800, 0x10000]
    guard value >= shortest[length], let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, length)
  }
}

// MARK: - Objects

extension Lexer {
  /// Returns where the object that begins at `start` ends; nil if none begins there.
  ///
  /// An object is a name with a capital letter, `/` and digits, without blanks.
  func endOfObject(at start: Int) -> Int? {
    guard isCapital(at: start), let nameEnd = endOfName(at: start),
      byte(at: nameEnd) == Byte.slash, byte(at: nameEnd + 1).map(Byte.isDigit) == true
    else { return nil }
    return endOfDigits(at: nameEnd + 1)
  }

  /// Returns the end of the letters and digits that begin at `start`.
  func endOfNameOrDigits(at start: Int) -> Int? {
    var end = endOfDigits(at: start)
    end = endOfName(at: end) ?? end
    return end > start ? end : nil
  }
}

extension String {
  /// Whether a script can write the text as a name, without quotes.
  package var isPlainScriptName: Bool {
    let source = SourceText(name: "", text: self)
    return !isEmpty && Lexer(source).endOfName(at: 0) == utf8.count
  }
}
