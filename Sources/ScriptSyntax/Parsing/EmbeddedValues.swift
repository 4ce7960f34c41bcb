import PredicateSyntax

/// Reads predicates in a script, with the script's own values inside them.
struct EmbeddedPredicateParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  func parse(
    on source: Name
  ) throws(SyntaxError) -> EmbeddedPredicate {
    guard !cursor.token.endsStatement else { throw cursor.expected(.predicate) }
    let start = cursor.token.range.lowerBound
    let host = EmbeddedValues(cursor, subject: source)
    let bytes = cursor.lineEndsCount ? cursor.source.bytes : flattenedSource()
    do throws(PredicateSyntaxError) {
      let (tree, end) = try PredicateParser.parseEmbedded(in: bytes, from: start, host: host)
      cursor.diagnostics += host.warnings
      cursor.marks.foreign.append(start..<end)
      cursor.marks.strings.merge(host.strings) { $1 }
      if let offset = cursor.notes?.offset, start..<end ~= offset {
        cursor.noteKey(of: source.text)
      }
      cursor.resume(at: end)
      cursor.predicateEnd = cursor.previousEnd
      for word in ["AND", "OR"] { cursor.note(word: word) }
      return EmbeddedPredicate(tree: tree, arguments: host.arguments, range: start..<end)
    } catch {
      cursor.diagnostics += host.warnings
      note(error, on: source)
      let problem = host.problem ?? SyntaxError(.predicate(error.kind), range: error.range)
      skipPredicate(to: problem)
      throw problem
    }
  }

  /// Records what can be between two values of a predicate, if the cursor is at the first text that
  /// the predicate cannot accept.
  ///
  /// Records a key, if the cursor follows the dot of a key path.
  private func note(_ error: PredicateSyntaxError, on source: Name) {
    switch error.kind {
    case .host, .unterminatedString, .quoteInString, .invalidEscape, .unknownEscape: break
    case .unexpectedEnd, .expected, .missingComparison, .predicateAsOperand, .needsList,
      .unknownOperator, .unknownOption, .unknownCollectionOperator, .optionsNotAllowed,
      .reservedWord, .unknownFunction, .wrongArgumentCount, .malformedNumber, .numberTooLarge,
      .unknownConversion, .argumentInScript, .tooDeep:
      cursor.noteKey(of: source.text)
    }
    guard let notes = cursor.notes, notes.offset == error.range.lowerBound,
      notes.wants.isEmpty,
      cursor.lexer.byte(at: notes.offset - 1) != UInt8(ascii: "[")
    else { return }
    switch error.kind {
    case .expected(.symbol, _):
      for word in ["AND", "OR"] { notes.add(.word(word), by: cursor) }
    case .expected(.commaOr, _): break
    case .host, .unexpectedEnd, .unterminatedString, .quoteInString, .expected,
      .missingComparison, .predicateAsOperand, .needsList, .unknownOperator, .unknownOption,
      .unknownCollectionOperator, .optionsNotAllowed, .reservedWord, .unknownFunction,
      .wrongArgumentCount, .malformedNumber, .numberTooLarge, .invalidEscape, .unknownEscape,
      .unknownConversion, .argumentInScript, .tooDeep:
      let keys = CursorNotes.keyPath(before: notes.offset, in: cursor.source.bytes)
      notes.add(.comparison(of: source.text, after: keys), by: cursor)
    }
  }

  /// Moves to an error in a predicate, past lines and into brackets, so that the search for the end
  /// of the statement starts after it.
  private func skipPredicate(to problem: SyntaxError) {
    cursor.lineEndsCount = true
    while cursor.token.kind != .end, cursor.token.range.upperBound <= problem.range.lowerBound {
      switch cursor.token.kind {
      case .quote:
        let quote = cursor.source.bytes[cursor.token.range.lowerBound]
        cursor.resume(
          at: cursor.lexer.endOfString(from: cursor.token.range.upperBound, quote: quote).offset)
        continue
      case .punctuator(let sign):
        if let closer = sign.closer {
          cursor.brackets.append(
            TokenCursor.Bracket(
              text: sign.rawValue, closer: closer, offset: cursor.token.range.lowerBound,
              outerLineEndsCount: true))
        } else if sign == cursor.brackets.last?.closer {
          cursor.brackets.removeLast()
        }
      case .word, .variable, .number, .malformedNumber, .date, .unknown, .lineEnd, .end: break
      }
      cursor.advance()
    }
  }

  /// Returns the source with blanks in place of line ends and comments.
  ///
  /// Inside the script's brackets line ends are ignored, but the parser of predicates does not know
  /// these brackets.
  private func flattenedSource() -> [UInt8] {
    if let flatSource = cursor.flatSource { return flatSource }
    var bytes = cursor.source.bytes
    var offset = 0
    while offset < bytes.count {
      let next = cursor.lexer.skipBlanks(from: offset).end
      for index in offset..<next { bytes[index] = UInt8(ascii: " ") }
      guard let byte = cursor.lexer.byte(at: next) else { break }
      offset = next + 1
      if byte == Byte.doubleQuote || byte == Byte.singleQuote {
        offset = cursor.lexer.endOfString(from: offset, quote: byte).offset
      }
    }
    cursor.flatSource = bytes
    return bytes
  }
}

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
  /// The last place where a predicate may begin, and not only a value.
  private var predicateStart: Int?
  /// The values that were already read, so that a parser that reads a place twice gets the same
  /// value.
  private var known: [Int: (index: Int, end: Int)] = [:]

  init(_ cursor: TokenCursor, subject: Name) {
    self.cursor = cursor
    self.subject = subject
  }

  func predicateMayBegin(at offset: Int) { predicateStart = offset }

  func embeddedArgument(
    in source: [UInt8], at offset: Int
  ) throws(PredicateSyntaxError) -> (index: Int, end: Int)? {
    if let notes = cursor.notes, notes.offset == offset {
      notes.add(
        .operand(of: subject.text, mayBePredicate: predicateStart == offset), by: cursor)
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
