/// Searches for text that would crash the TOML library, which does not expect it.
///
/// It only knows strings, comments and brackets. The library itself reports all other errors.
struct SettingsScan {
  /// A flaw, with its line, counted from 1.
  struct Flaw: Equatable {
    let line: Int
    let reason: String
  }

  private var rest: Substring.UnicodeScalarView
  private var line = 1
  private var brackets: [Unicode.Scalar] = []
  private var isLineStart = true

  private init(_ text: String) {
    rest = text[...].unicodeScalars
    if rest.first == "\u{FEFF}" { rest.removeFirst() }
  }

  /// Returns the first flaw of a text; nil if the library can read it.
  static func flaw(in text: String) -> Flaw? {
    var scan = SettingsScan(text)
    while let scalar = scan.rest.popFirst() {
      if let reason = scan.read(scalar) { return Flaw(line: scan.line, reason: reason) }
    }
    return nil
  }

  /// Continues after a scalar.
  ///
  /// - Returns: The reason why the text cannot be used; nil if there is none so far.
  private mutating func read(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case " ", "\t": return nil
    case "\n", "\r":
      if scalar == "\n" { line += 1 }
      if brackets.isEmpty { isLineStart = true }
      return nil
    default: break
    }
    let beginsLine = isLineStart
    isLineStart = false
    switch scalar {
    case "#": rest = rest.drop { $0 != "\n" && $0 != "\r" }
    case "\"", "'": skipText(in: scalar)
    case "[":
      if beginsLine { return head() }
      brackets.append(scalar)
    case "{": brackets.append(scalar)
    case "]": if brackets.last == "[" { brackets.removeLast() }
    case "}":
      guard brackets.popLast() == "{" else { return "unexpected '}'" }
    default:
      if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
        return "a blank that is neither a space nor a tab"
      }
    }
    return nil
  }

  /// Reads the head of a table up to its name.
  private mutating func head() -> String? {
    if rest.first == "[" { rest.removeFirst() }
    rest = rest.drop { $0 == " " || $0 == "\t" }
    let nothing = "expected the name of a table after '['"
    guard let first = rest.first else { return nothing }
    switch first {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "\"", "'", "]": return nil
    default: return nothing
    }
  }

  /// Skips a string.
  ///
  /// If it is not closed, skips everything.
  private mutating func skipText(in quote: Unicode.Scalar) {
    let isLong = rest.starts(with: [quote, quote])
    if isLong { rest.removeFirst(2) }
    while let scalar = rest.popFirst() {
      if scalar == "\n" {
        line += 1
        // The library reports that the string is not closed.
        if !isLong { return rest.removeAll() }
      }
      if scalar == "\\", quote == "\"" {
        if rest.popFirst() == "\n" { line += 1 }
      } else if scalar == quote {
        if !isLong { return }
        guard rest.starts(with: [quote, quote]) else { continue }
        rest = rest.drop { $0 == quote }
        return
      }
    }
  }
}
