/// The bytes that the lexer looks for, by name.
enum Byte {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let hash = UInt8(ascii: "#")
  static let backslash = UInt8(ascii: "\\")
  static let doubleQuote = UInt8(ascii: "\"")
  static let singleQuote = UInt8(ascii: "'")
  static let leftParenthesis = UInt8(ascii: "(")
  static let rightParenthesis = UInt8(ascii: ")")
  static let leftBrace = UInt8(ascii: "{")
  static let rightBrace = UInt8(ascii: "}")
  static let at = UInt8(ascii: "@")
  static let dollar = UInt8(ascii: "$")
  static let dot = UInt8(ascii: ".")
  static let slash = UInt8(ascii: "/")
  static let underscore = UInt8(ascii: "_")
  static let equals = UInt8(ascii: "=")
  static let plus = UInt8(ascii: "+")
  static let minus = UInt8(ascii: "-")
  static let colon = UInt8(ascii: ":")

  static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

  /// Returns the value of a digit in a radix up to 16; nil if the byte is not a digit.
  static func digit(_ byte: UInt8, radix: UInt32) -> UInt32? {
    let value: UInt32
    switch byte {
    case 0x30...0x39: value = UInt32(byte - 0x30)
    case 0x41...0x46: value = UInt32(byte - 0x41 + 10)
    case 0x61...0x66: value = UInt32(byte - 0x61 + 10)
    default: return nil
    }
    return value < radix ? value : nil
  }

  /// Whether the byte is an ASCII letter or an underscore.
  static func isLetter(_ byte: UInt8) -> Bool {
    0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == underscore
  }
}
