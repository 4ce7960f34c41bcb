package import ScriptSyntax

/// A condition on the tags of a test: `slow and not (sqlite or cache)`.
package indirect enum TagExpression: Hashable, Sendable {
  case tag(String)
  case not(TagExpression)
  case and(TagExpression, TagExpression)
  case or(TagExpression, TagExpression)

  /// Parses an expression.
  ///
  /// - Throws: A diagnostic with the place of the error in the text.
  package init(_ text: String) throws(ScriptDiagnostic) {
    var parser = TagParser(text)
    self = try parser.parse()
  }

  /// Whether tags fulfil the expression.
  package func matches(_ tags: Set<String>) -> Bool {
    switch self {
    case .tag(let name): tags.contains(name)
    case .not(let operand): !operand.matches(tags)
    case .and(let left, let right): left.matches(tags) && right.matches(tags)
    case .or(let left, let right): left.matches(tags) || right.matches(tags)
    }
  }

  /// The tags in the expression.
  package var names: Set<String> {
    switch self {
    case .tag(let name): [name]
    case .not(let operand): operand.names
    case .and(let left, let right), .or(let left, let right): left.names.union(right.names)
    }
  }
}

/// A diagnostic as an error.
package struct ScriptDiagnostic: Error, Hashable {
  package let diagnostic: Diagnostic
}

/// A parser for tag expressions.
private struct TagParser {
  private struct Word {
    let text: String
    /// The range, in bytes.
    let range: Range<Int>
  }

  private var words: ArraySlice<Word>
  /// The end of the text, in bytes.
  private let end: Int
  private var depth = 0

  /// The largest depth of nested parentheses and `not`.
  private static let maximumDepth = 100

  init(_ text: String) {
    var words: [Word] = []
    var start: Int?
    let bytes = Array(text.utf8)
    func close(at index: Int) {
      guard let from = start else { return }
      words.append(
        Word(text: String(decoding: bytes[from..<index], as: UTF8.self), range: from..<index))
      start = nil
    }
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: ")"):
        close(at: index)
        words.append(
          Word(text: String(Character(Unicode.Scalar(byte))), range: index..<index + 1))
      case 0...0x20: close(at: index)
      default: if start == nil { start = index }
      }
    }
    close(at: bytes.count)
    self.words = words[...]
    end = bytes.count
  }

  mutating func parse() throws(ScriptDiagnostic) -> TagExpression {
    let expression = try alternatives()
    if let word = words.first { throw failure("expected 'and' or 'or', found '\(word.text)'") }
    return expression
  }

  private mutating func alternatives() throws(ScriptDiagnostic) -> TagExpression {
    var expression = try conjunction()
    while take("or") { expression = .or(expression, try conjunction()) }
    return expression
  }

  private mutating func conjunction() throws(ScriptDiagnostic) -> TagExpression {
    var expression = try operand()
    while take("and") { expression = .and(expression, try operand()) }
    return expression
  }

  private mutating func operand() throws(ScriptDiagnostic) -> TagExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw failure("the expression nests too deep") }
    if take("not") { return .not(try operand()) }
    if take("(") {
      let inner = try alternatives()
      guard take(")") else { throw failure("expected ')', found \(found)") }
      return inner
    }
    guard let word = words.first, !["and", "or", ")"].contains(word.text) else {
      throw failure("expected a tag, found \(found)")
    }
    words.removeFirst()
    return .tag(word.text)
  }

  private mutating func take(_ text: String) -> Bool {
    guard words.first?.text == text else { return false }
    words.removeFirst()
    return true
  }

  private var found: String { words.first.map { "'\($0.text)'" } ?? "the end" }

  private func failure(_ message: String) -> ScriptDiagnostic {
    ScriptDiagnostic(
      diagnostic: Diagnostic(message: message, range: words.first?.range ?? end..<end))
  }
}
