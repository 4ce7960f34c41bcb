extension PredicateScanner {
  /// Returns the end of the identifier that begins here; nil if there is none.
  ///
  /// Identifiers follow the rules of C, with letters of any script.
  func endOfWord(at start: Int) -> Int? {
    guard let first = byte(at: start) else { return nil }
    var end = start
    if Self.isLetter(first) {
      end += 1
    } else if first >= 0x80, let (scalar, length) = scalar(at: start),
      scalar.properties.isXIDStart
    {
      end += length
    } else {
      return nil
    }
    while let byte = byte(at: end) {
      if Self.isLetter(byte) || Self.isDigit(byte) {
        end += 1
      } else if byte >= 0x80, let (scalar, length) = scalar(at: end),
        scalar.properties.isXIDContinue
      {
        end += length
      } else {
        break
      }
    }
    return end
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9")
  }

  /// Returns the value of a digit in a base up to 16; nil if it is not a digit.
  static func digit(_ byte: UInt8, radix: UInt8) -> UInt8? {
    let value: UInt8
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): value = byte - UInt8(ascii: "A") + 10
    default: return nil
    }
    return value < radix ? value : nil
  }

  /// Returns the Unicode scalar of several bytes that begins here; nil if the bytes are not UTF-8.
  private func scalar(at offset: Int) -> (Unicode.Scalar, length: Int)? {
    let length = bytes[offset] >= 0xF0 ? 4 : bytes[offset] >= 0xE0 ? 3 : 2
    guard offset + length <= bytes.count else { return nil }
    var iterator = bytes[offset..<offset + length].makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator),
      UTF8.width(scalar) == length
    else { return nil }
    return (scalar, length)
  }
}
