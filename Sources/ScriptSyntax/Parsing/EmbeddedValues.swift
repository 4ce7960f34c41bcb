import PredicateSyntax

/// The script's values in one predicate.
///
/// The script's parser reads dates, `uuid("…")`, objects and strings with an interpolation. In the
/// predicate they are arguments.
final class EmbeddedValues: PredicateHost {
  private(set) var arguments: [ExpressionSyntax] = []
  /// The error that the script's parser found in a value.
  private(set) var problem: SyntaxError?
  private(set) var warnings: [Diagnostic] = []
  /// The end of each string among the values; see ``SourceMarks``.
  private(set) var strings: [Int: Int] = [:]
  private let cursor: TokenCursor
  /// The source that the predicate is about.
  private let subject: Name
  /// The values that were already read, so that a parser that reads a place twice gets the same
  /// value.
  private var known: [Int: (index: Int, end: Int)] = [:]

  init(_ cursor: TokenCursor, subject: Name) {
    self.cursor = cursor
    self.subject = subject
  }

  func embeddedArgument(
    in source: [UInt8], at offset: Int
  ) throws(PredicateSyntaxError) -> (index: Int, end: Int)? {
    if let notes = cursor.notes, notes.offset == offset {
      notes.add(.operand(of: subject.text), by: cursor)
    }
    if let known = known[offset] { return known }
    guard beginsValue(at: offset) else { return nil }
    let cursor = TokenCursor(beside: cursor)
    cursor.resume(at: offset)
    do throws(SyntaxError) {
      let value = try ExpressionParser(cursor).parsePrimary()
      warnings += cursor.diagnostics
      strings.merge(cursor.marks.strings) { $1 }
      arguments.append(value)
      let result = (index: arguments.count - 1, end: cursor.previousEnd)
      known[offset] = result
      return result
    } catch {
      problem = problem ?? error
      throw PredicateSyntaxError(.host(error.kind.description), range: error.range)
    }
  }

  func warn(_ warning: PredicateSyntaxError) {
    let kind = SyntaxError.Kind.predicate(warning.kind)
    warnings.append(
      Diagnostic(severity: .warning, message: kind.description, range: warning.range))
  }

  private func beginsValue(at offset: Int) -> Bool {
    let lexer = cursor.lexer
    switch lexer.byte(at: offset) {
    case Byte.at: return lexer.byte(at: offset + 1).map(Byte.isDigit) == true
    case Byte.doubleQuote:
      return lexer.hasInterpolation(from: offset + 1) || !isClosed(at: offset)
    case Byte.singleQuote: return !isClosed(at: offset)
    case UInt8(ascii: "u"):
      guard let end = lexer.endOfName(at: offset), end - offset == 4,
        lexer.bytes[offset..<end].elementsEqual("uuid".utf8)
      else { return false }
      return lexer.token(after: end, lineEndsCount: true).kind == .punctuator(.leftParenthesis)
    default: return lexer.endOfObject(at: offset) != nil
    }
  }

  /// Whether the string that begins here ends on its line.
  ///
  /// If it does not, the script's parser reports that.
  private func isClosed(at offset: Int) -> Bool {
    let lexer = cursor.lexer
    return cursor.setting == .prompt
      || lexer.endOfString(from: offset + 1, quote: lexer.bytes[offset]).isClosed
  }
}
