import PredicateSyntax

/// The place of a script's parsers in its text, and what they have found.
///
/// The small parsers share one cursor, and each takes the tokens of its part.
final class TokenCursor {
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
  /// Whether a line end is a token here.
  ///
  /// It is one outside `( )` and `[ ]`.
  var lineEndsCount = true
  /// The clauses with which a line may continue the current statement.
  var clauses = ClauseWords.none
  /// The open brackets, outermost first.
  var brackets: [Bracket] = []
  var depth = 0
  var diagnostics: [Diagnostic] = []
  /// Whether the first error is that the text ends too early.
  private(set) var needsMore = false
  /// Whether the text ends within a bracket, a block or a string.
  private(set) var isOpen = false
  private var hasErrors = false
  /// The source without line ends and comments, for predicates in brackets.
  var flatSource: [UInt8]?
  var bracketPairs: BracketPairs?
  var marks = SourceMarks()
  /// Records what could be at the cursor; nil if that is not needed.
  var notes: CursorNotes?
  /// The visible variables, for the notes.
  var locals: [LocalVariable] = []
  /// The source of the update whose braces are open, for the notes.
  var updatedSource: String?
  /// Whether the braces of a callback that returns a value are open, for the notes.
  var givesValue = false

  /// An open bracket, and the state to restore after it.
  struct Bracket {
    var text: String
    var closer: Punctuator
    var offset: Int
    /// The quote of the string that contains the interpolation.
    var quote: UInt8?
    var outerLineEndsCount: Bool
  }

  /// Creates a cursor at the start of a text.
  init(_ source: SourceText, setting: ScriptParser.Setting) {
    self.source = source
    self.setting = setting
    lexer = Lexer(source)
    token = lexer.token(after: 0, lineEndsCount: true, clauses: .none)
    previousEnd = source.lineStarts[0]
  }

  /// Creates a cursor at the place of another one, to read a value separately.
  init(beside other: TokenCursor) {
    source = other.source
    setting = other.setting
    lexer = other.lexer
    token = other.token
    previousEnd = other.previousEnd
    lineEndsCount = other.lineEndsCount
    clauses = other.clauses
    brackets = other.brackets
    depth = other.depth
    hasErrors = other.hasErrors
    flatSource = other.flatSource
    notes = other.notes
    locals = other.locals
    updatedSource = other.updatedSource
    givesValue = other.givesValue
  }
}

// MARK: - What was found

extension TokenCursor {
  func record(_ error: SyntaxError) {
    notes?.close(for: error)
    // Where completion reads a draft, nobody sees the message.
    let diagnostic =
      notes == nil ? ForeignForm.improved(error.diagnostic, in: source) : error.diagnostic
    if diagnostic.severity == .error {
      // An entry at the prompt is incomplete if its first error is that it ends too early.
      if setting == .prompt, hasErrors, endsTooEarly(error) { return }
      if !hasErrors {
        needsMore = endsTooEarly(error)
        isOpen = needsMore && (!brackets.isEmpty || error.kind.isOpen)
      }
      hasErrors = true
    }
    diagnostics.append(diagnostic)
  }

  /// Whether an error says only that the text ends too early.
  private func endsTooEarly(_ error: SyntaxError) -> Bool {
    switch error.kind {
    case .expected(_, .endOfSource): true
    case .unclosed(_, _, let isAtEnd): isAtEnd
    case .unterminatedString: setting == .prompt
    case .predicate(let kind): kind.isUnfinished || endsTooEarly(kind, error.range)
    case .expected, .unexpected, .unexpectedAfterPredicate, .unexpectedAfterRequest,
      .unknownStatement, .valueAlone, .absent, .clauseAlone, .assignmentToVariable, .notAssignable,
      .strayCloser, .tooDeep, .tooLong, .notUTF8, .unknownCharacter, .commentWithoutBlank,
      .foreignComment, .unknownEscape, .invalidEscape, .malformedNumber, .numberTooLarge,
      .malformedDate, .noSuchDate, .unknown, .lowercaseEntity, .repeatedClause, .repeatedCallback,
      .repeatedPart, .notInExtension, .wrongOperator, .chainedComparison, .wrongSeparator:
      false
    }
  }

  /// Whether a predicate is only incomplete, with nothing but blanks after it.
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

  /// Records whether the text ends without an error, but within a comment or a line that continues.
  func finish() {
    if !hasErrors, lexer.skipBlanks(from: previousEnd).isOpen { needsMore = true }
  }
}
