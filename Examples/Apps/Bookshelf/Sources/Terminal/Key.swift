/// A key that was pressed.
public enum Key: Hashable, Sendable {
  case character(Character)
  case control(Character)
  case up
  case down
  case pageUp
  case pageDown
  case home
  case end
  case enter
  case tab
  case backspace
  case escape
}

/// Reads keys from the bytes that a terminal sends.
///
/// A terminal may split a key over several reads. The decoder keeps the first part until the rest
/// arrives. Only the Escape key needs a rule: an escape byte at the end of a read is the key.
public struct KeyDecoder: Sendable {
  private var bytes: [UInt8] = []

  /// Creates a decoder that has seen nothing.
  public init() {}

  /// Takes the bytes of one read, and returns the keys that are complete.
  public mutating func keys(from read: some Sequence<UInt8>) -> [Key] {
    bytes += read
    var keys: [Key] = []
    while let first = bytes.first {
      if first == 0x1B {
        guard let length = sequenceLength() else { break }
        if let key = Self.key(ofSequence: bytes.prefix(length)) { keys.append(key) }
        bytes.removeFirst(length)
      } else if first < 0x20 || first == 0x7F {
        bytes.removeFirst()
        if let key = Self.key(ofControl: first) { keys.append(key) }
      } else {
        guard let length = Self.lengthOfCharacter(beginningWith: first), length <= bytes.count
        else {
          // The rest of the character has not arrived, or the byte begins no character.
          guard Self.lengthOfCharacter(beginningWith: first) == nil else { break }
          bytes.removeFirst()
          continue
        }
        let text = String(decoding: bytes.prefix(length), as: UTF8.self)
        keys += text.map(Key.character)
        bytes.removeFirst(length)
      }
    }
    return keys
  }

  /// The length of the escape sequence at the beginning; nil where it is not complete.
  private func sequenceLength() -> Int? {
    guard bytes.count > 1 else { return 1 }
    guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else { return 1 }
    guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return nil
    }
    return end + 1
  }

  private static func key(ofSequence bytes: some Collection<UInt8>) -> Key? {
    switch String(decoding: bytes, as: UTF8.self).dropFirst() {
    case "": .escape
    case "[A", "OA": .up
    case "[B", "OB": .down
    case "[H", "OH", "[1~", "[7~": .home
    case "[F", "OF", "[4~", "[8~": .end
    case "[5~": .pageUp
    case "[6~": .pageDown
    default: nil
    }
  }

  private static func key(ofControl byte: UInt8) -> Key? {
    switch byte {
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x08, 0x7F: .backspace
    case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x40)))
    default: nil
    }
  }

  /// The length in UTF-8; nil where no character begins with the byte.
  private static func lengthOfCharacter(beginningWith byte: UInt8) -> Int? {
    switch byte {
    case 0x20...0x7E: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: nil
    }
  }
}
