/// The string literals of a Swift file, with "code" in place of interpolated values.
struct SwiftLiterals {
  struct Literal {
    let line: Int
    let text: String
  }

  private let text: [UInt8]
  private var index = 0
  private var line = 1

  /// Returns the literals in the order of the file, without those inside interpolations.
  static func all(in source: String) -> [Literal] {
    var reader = SwiftLiterals(text: Array(source.utf8))
    return reader.read()
  }

  private init(text: [UInt8]) { self.text = text }

  private mutating func read() -> [Literal] {
    var found: [Literal] = []
    while index < text.count {
      if starts(with: "//") {
        while index < text.count, text[index] != UInt8(ascii: "\n") { advance() }
      } else if starts(with: "#/") {
        skipExpression()
      } else if text[index] == UInt8(ascii: "\"") {
        found.append(literal())
      } else {
        advance()
      }
    }
    return found
  }

  private func starts(with prefix: String) -> Bool {
    // The first byte decides almost always.
    text[index] == prefix.utf8.first && text[index...].starts(with: prefix.utf8)
  }

  private mutating func advance(by count: Int = 1) {
    for _ in 0..<count where index < text.count {
      if text[index] == UInt8(ascii: "\n") { line += 1 }
      index += 1
    }
  }

  /// Skips a regular expression; quotes in it begin no literal.
  private mutating func skipExpression() {
    advance(by: 2)
    while index < text.count, !starts(with: "/#") { advance() }
    advance(by: 2)
  }

  private mutating func literal() -> Literal {
    let first = line
    var found: [UInt8] = []
    let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
    advance(by: quotes.count)
    while index < text.count, !starts(with: quotes) {
      if text[index] != UInt8(ascii: "\\") {
        found.append(text[index])
        advance()
      } else if starts(with: "\\(") {
        skipInterpolation()
        found += "code".utf8
      } else {
        advance()
        if index < text.count, text[index] != UInt8(ascii: "\n") {
          found.append(text[index] == UInt8(ascii: "n") ? UInt8(ascii: "\n") : text[index])
        }
        advance()
      }
    }
    advance(by: quotes.count)
    return Literal(line: first, text: String(decoding: found, as: UTF8.self))
  }

  private mutating func skipInterpolation() {
    advance(by: 2)
    var depth = 1
    while index < text.count, depth > 0 {
      switch text[index] {
      case UInt8(ascii: "\""):
        _ = literal()
        continue
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      default: break
      }
      advance()
    }
  }
}
