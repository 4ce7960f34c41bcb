import PredicateSyntax

/// Where the parsers of a script are in its text, and what they have found.
///
/// The small parsers share one cursor: each takes the tokens of its part.
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
  /// Where to note what could be at the cursor, when that is asked.
  var notes: CursorNotes?
  /// The variables in sight, kept for the notes.
  var locals: [LocalVariable] = []
  /// The source of the update whose braces are open, kept for the notes.
  var updatedSource: String?
  /// Whether the braces of a callback are open that gives a value, kept for the notes.
  var givesValue = false

  /// An open bracket and what it is to restore.
  struct Bracket {
    var text: String
    var closer: Punctuator
    var offset: Int
    /// The quote of the string that an interpolation is in.
    var quote: UInt8?
    var outerLineEndsCount: Bool
  }

  /// Creates a cursor at the beginning of a text.
  init(_ source: SourceText, setting: ScriptParser.Setting) {
    self.source = source
    self.setting = setting
    lexer = Lexer(source)
    token = lexer.token(after: 0, lineEndsCount: true, clauses: .none)
    previousEnd = source.lineStarts[0]
  }

  /// Creates a cursor where another one is, for a value that is read on the side.
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
    let diagnostic = ForeignForm.improved(error.diagnostic, in: source)
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
      .unknownStatement, .valueAlone, .absent, .clauseAlone, .assignmentToVariable, .notAssignable,
      .strayCloser, .tooDeep, .tooLong, .notUTF8, .unknownCharacter, .commentWithoutBlank,
      .foreignComment, .unknownEscape, .invalidEscape, .malformedNumber, .numberTooLarge,
      .malformedDate, .noSuchDate, .unknown, .lowercaseEntity, .repeatedClause, .repeatedCallback,
      .repeatedPart, .notInExtension, .wrongOperator, .chainedComparison, .wrongSeparator:
      false
    }
  }

  /// Whether a predicate is only not whole, with nothing but blanks after it.
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

  /// Notes where the text ends without an error, but within a comment or a line that continues.
  func finish() {
    if !hasErrors, lexer.skipBlanks(from: previousEnd).isOpen { needsMore = true }
  }
}
