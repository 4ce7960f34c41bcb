import FetchedResults

extension String {
  /// The name as Swift code: a keyword is in backticks.
  var swiftName: String { Self.swiftKeywords.contains(self) ? "`\(self)`" : self }

  /// The text without line breaks, for a comment of one line.
  ///
  /// A comment ends at every kind of line break, and the rest of the text would be code.
  var inOneLine: String { textLines.joined(separator: " ") }

  /// The lines of the text as a comment that begins with `mark`.
  func comment(_ mark: String) -> [String] { textLines.map { "\(mark) \($0)" } }

  private var textLines: [Substring] { split(whereSeparator: \.isNewline) }

  /// The name with a capital first letter.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The name with a small first letter.
  var uncapitalizedFirst: String { prefix(1).lowercased() + dropFirst() }

  /// The keywords of Swift that cannot be used as names.
  private static let swiftKeywords: Set = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch",
    "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
    "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
    "where", "while",
  ]
}

extension [String] {
  /// Returns the lines indented; empty lines stay empty.
  func indented(by columns: Int = 2) -> [String] {
    let blanks = String(repeating: " ", count: columns)
    return map { $0.isEmpty ? $0 : blanks + $0 }
  }
}

extension EntityDescription {
  /// Returns a key path that the compiler checks: `#keyPath(Book.author.name)`.
  func swiftKeyPath(_ path: String) -> String {
    let keys = path.split(separator: ".").map { String($0).swiftName }
    return "#keyPath(\(name.swiftName).\(keys.joined(separator: ".")))"
  }
}
