import PredicateSyntax

/// Reads statements by recursive descent and goes on after errors.
///
/// A function that meets a fault throws it; whoever reads a list of statements
/// or properties catches it, notes it and skips to the end of that one.
struct Parser {
  let source: SourceText
  let lexer: Lexer
  let setting: ScriptParser.Setting
  /// The token to be read next.
  var token: Token
  /// Where the last token read ends.
  var previousEnd: Int
  /// Where the last predicate ends.
  var predicateEnd: Int?
  /// Where the last request ends.
  var requestEnd: Int?
  /// Whether a line end is a token here, as it is outside `( )` and `[ ]`.
  var lineEndsCount = true
  /// The clauses with which a line may continue what is read.
  var clauses = ClauseWords.none
  /// The brackets open here, outermost first.
  var brackets: [Bracket] = []
  var depth = 0
  var diagnostics: [Diagnostic] = []
  /// Whether the first error is that the text ends.
  private(set) var needsMore = false
  /// Whether that is so within a bracket, a block or a string.
  private(set) var isOpen = false
  private var hasErrors = false
  /// The source without line ends and comments, for predicates in brackets.
  var flatSource: [UInt8]?
  var bracketPairs: BracketPairs?
  var marks = SourceMarks()
  /// Where to note what could stand at the cursor, when that is asked.
  var notes: CursorNotes?
  /// The variables in sight, kept for the notes.
  var locals: [LocalVariable] = []
  /// The source of the update whose braces are open, kept for the notes.
  var updatedSource: String?
  /// The callback whose braces are open, kept for the notes.
  var callback: CallbackSyntax.Callback?

  /// An open bracket and what it is to restore.
  struct Bracket {
    var text: String
    var closer: Punctuator
    var offset: Int
    /// The quote of the string that an interpolation stands in.
    var quote: UInt8?
    var outerLineEndsCount: Bool
  }

  init(_ source: SourceText, setting: ScriptParser.Setting) {
    self.source = source
    self.setting = setting
    lexer = Lexer(source)
    token = lexer.token(after: 0, lineEndsCount: true, clauses: .none)
    previousEnd = source.lineStarts[0]
  }

  mutating func parseScript() -> [Statement] {
    checkEncoding()
    if token.kind == .lineEnd { advance() }
    var statements: [Statement] = []
    while token.kind != .end {
      parseStatements(into: &statements)
      // Only a closing brace of nobody's stops the list before the end.
      guard token.kind != .end else { break }
      record(SyntaxError(.strayCloser(text(of: token)), range: token.range))
      advance()
    }
    if !hasErrors, lexer.skipBlanks(from: previousEnd).isOpen { needsMore = true }
    return statements
  }

  // MARK: Errors

  mutating func record(_ error: SyntaxError) {
    notes?.close(for: error)
    let diagnostic = error.diagnostic
    if diagnostic.severity == .error {
      // An entry at the prompt is cut off where its first error is known.
      if setting == .prompt, hasErrors, endsTooEarly(error) { return }
      if !hasErrors {
        needsMore = endsTooEarly(error)
        isOpen = needsMore && (!brackets.isEmpty || error.kind.isOpen)
      }
      hasErrors = true
    }
    diagnostics.append(diagnostic)
  }

  /// Whether an error is only that the text ends.
  private func endsTooEarly(_ error: SyntaxError) -> Bool {
    switch error.kind {
    case .expected(_, .endOfSource): true
    case .unclosed(_, _, let isAtEnd): isAtEnd
    case .unterminatedString: setting == .prompt
    case .predicate(let kind): kind.isUnfinished || endsTooEarly(kind, error.range)
    case .expected, .unexpected, .unexpectedBehindPredicate, .unexpectedBehindRequest,
      .unknownStatement, .valueAlone, .clauseAlone, .assignmentToVariable, .notAssignable,
      .strayCloser, .tooDeep, .tooLong, .notUTF8, .unknownCharacter, .commentWithoutBlank,
      .foreignComment, .unknownEscape, .invalidEscape, .malformedNumber, .numberTooLarge,
      .malformedDate, .noSuchDate, .unknown, .lowercaseEntity, .repeatedClause, .repeatedCallback,
      .repeatedPart, .wrongOperator, .chainedComparison, .wrongSeparator:
      false
    }
  }

  /// Whether a predicate is only not whole, with nothing but blanks behind it.
  private func endsTooEarly(_ kind: PredicateSyntaxError.Kind, _ range: Range<Int>) -> Bool {
    switch kind {
    case .missingComparison(_, .endOfText), .missingComparison(_, .endOfLine),
      .expected(_, .endOfText), .expected(_, .endOfLine):
      lexer.skipBlanks(from: range.upperBound).end == source.bytes.count
    case .host, .unexpectedEnd, .unterminatedString, .quoteInString, .expected,
      .missingComparison, .predicateAsOperand, .needsList, .unknownOperator, .unknownOption,
      .unknownCollectionOperator, .optionsNotAllowed, .reservedWord, .unknownFunction,
      .wrongArgumentCount, .malformedNumber, .numberTooLarge, .invalidEscape, .unknownEscape,
      .unknownConversion, .argumentInScript, .tooDeep:
      false
    }
  }

  func unexpected() -> SyntaxError {
    if let error = strange() { return error }
    return SyntaxError(.unexpected(found), range: errorRange)
  }

  func expected(_ expectation: SyntaxError.Expectation) -> SyntaxError {
    if let error = strange() { return error }
    return SyntaxError(.expected(expectation, found: found), range: errorRange)
  }

  /// The error that the token is by itself, if it is one.
  private func strange() -> SyntaxError? {
    switch token.kind {
    case .unknown: SyntaxError(unknownCharacter(), range: token.range)
    case .malformedNumber: SyntaxError(.malformedNumber(text(of: token)), range: token.range)
    case .word, .variable, .number, .date, .quote, .punctuator, .lineEnd, .end: nil
    }
  }

  var found: SyntaxError.Found {
    switch token.kind {
    case .lineEnd: .endOfLine
    case .end: .endOfSource
    case .quote: .string
    case .word, .variable, .number, .malformedNumber, .date, .punctuator, .unknown:
      .text(text(of: token))
    }
  }

  /// Where an error at the token is shown: an end right behind the last text.
  var errorRange: Range<Int> {
    switch token.kind {
    case .lineEnd, .end: previousEnd..<previousEnd
    case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown:
      token.range
    }
  }

  private func unknownCharacter() -> SyntaxError.Kind {
    let text = text(of: token)
    if text == "#" { return .commentWithoutBlank }
    guard let scalar = text.unicodeScalars.first else {
      return .unknownCharacter("''", instead: nil)
    }
    let isVisible = scalar.value > 0x20 && scalar.value != 0x7F && scalar != "\u{FEFF}"
    let code = String(scalar.value, radix: 16, uppercase: true)
    let shown =
      isVisible ? "'\(text)'" : "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
    return .unknownCharacter(shown, instead: lookalikes[scalar])
  }

  // MARK: Encoding

  /// Reports what is not UTF-8, once a line.
  private mutating func checkEncoding() {
    var offset = 0
    while offset < source.bytes.count {
      if let length = source.bytes[offset] < 0x80 ? 1 : lexer.scalar(at: offset)?.length {
        offset += length
      } else {
        record(SyntaxError(.notUTF8, range: offset..<offset + 1))
        offset = lexer.endOfLine(from: offset)
      }
    }
  }
}

/// Characters that keyboards and word processors put in place of a sign.
private let lookalikes: [Unicode.Scalar: String] = [
  "\u{201C}": "\"", "\u{201D}": "\"", "\u{201E}": "\"", "\u{2018}": "'", "\u{2019}": "'",
  "\u{FF08}": "(", "\u{FF09}": ")", "\u{FF3B}": "[", "\u{FF3D}": "]", "\u{FF5B}": "{",
  "\u{FF5D}": "}", "\u{FF0C}": ",", "\u{3001}": ",", "\u{FF1A}": ":", "\u{FF1B}": ";",
  "\u{FF1D}": "=", "\u{FF0B}": "+", "\u{2212}": "-", "\u{2013}": "-", "\u{FF02}": "\"",
  "\u{2026}": "...", "\u{2260}": "!=", "\u{2264}": "<=", "\u{2265}": ">=", "\u{FF0E}": ".",
]
