/// The string literals of a Swift file, with "code" in place of interpolated values.
struct SwiftLiterals {
  struct Literal {
    let line: Int
    var text: String
  }

  private let text: [Character]
  private var index = 0
  private var line = 1

  /// Returns the literals in the order of the file, without those inside interpolations.
  static func all(in source: String) -> [Literal] {
    var reader = SwiftLiterals(text: Array(source))
    return reader.read()
  }

  private init(text: [Character]) { self.text = text }

  private mutating func read() -> [Literal] {
    var found: [Literal] = []
    while index < text.count {
      if starts(with: "//") {
        while index < text.count, text[index] != "\n" { advance() }
      } else if starts(with: "#/") {
        skipExpression()
      } else if text[index] == "\"" {
        found.append(literal())
      } else {
        advance()
      }
    }
    return found
  }

  private func starts(with prefix: String) -> Bool { text[index...].starts(with: prefix) }

  private mutating func advance(by count: Int = 1) {
    for _ in 0..<count where index < text.count {
      if text[index] == "\n" { line += 1 }
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
    var literal = Literal(line: line, text: "")
    let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
    advance(by: quotes.count)
    while index < text.count, !starts(with: quotes) {
      if text[index] != "\\" {
        literal.text.append(text[index])
        advance()
      } else if starts(with: "\\(") {
        skipInterpolation()
        literal.text += "code"
      } else {
        advance()
        if index < text.count, !text[index].isNewline {
          literal.text.append(text[index] == "n" ? "\n" : text[index])
        }
        advance()
      }
    }
    advance(by: quotes.count)
    return literal
  }

  private mutating func skipInterpolation() {
    advance(by: 2)
    var depth = 1
    while index < text.count, depth > 0 {
      switch text[index] {
      case "\"":
        _ = literal()
        continue
      case "(": depth += 1
      case ")": depth -= 1
      default: break
      }
      advance()
    }
  }
}
