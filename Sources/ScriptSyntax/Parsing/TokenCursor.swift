import PredicateSyntax

/// The place of a script's parsers in its text, and what they have found.
///
/// The small parsers share one cursor, and each takes the tokens of its part.
final class TokenCursor {
  let source: SourceText
  let lexer: Lexer
  let setting: ScriptParser.Setting
  // Checks for overlapping accesses took a fifth of the time of 'frc check'. What is read for each
  // token has none.
  /// The token to be read next.
  @exclusivity(unchecked) var token: Token
  /// Where the last token read ends.
  @exclusivity(unchecked) var previousEnd: Int
  /// Where the last predicate ends.
  var predicateEnd: Int?
  /// Where the last request ends.
  var requestEnd: Int?
  /// Whether a line end is a token here.
  ///
  /// It is one outside `( )` and `[ ]`.
  @exclusivity(unchecked) var lineEndsCount = true
  /// The clauses with which a line may continue the current statement.
  @exclusivity(unchecked) var clauses = ClauseWords.none
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
      .unknownStatement, .valueAlone, .absent, .clauseAlone, .clauseOfObservers,
      .dictionaries, .resultOfBatches, .assignmentToVariable, .notAssignable, .strayCloser,
      .tooDeep, .tooLong, .notUTF8, .unknownCharacter, .commentWithoutBlank, .foreignComment,
      .unknownEscape, .invalidEscape, .malformedNumber, .numberTooLarge,
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

extension TokenCursor {
  func advance() {
    previousEnd = token.range.upperBound
    token = token(after: previousEnd)
  }

  /// Continues after text that the parser has read by itself.
  func resume(at offset: Int) {
    previousEnd = offset
    token = token(after: offset)
  }

  func peek() -> Token { token(after: token.range.upperBound) }

  /// Returns the token after `offset`, as the parser's present state reads it.
  func token(after offset: Int) -> Token {
    lexer.token(after: offset, lineEndsCount: lineEndsCount, clauses: clauses)
  }

  /// Reads something that lines with some clauses may continue.
  func withClauses<Result>(
    _ clauses: ClauseWords, _ read: () throws(SyntaxError) -> Result
  ) throws(SyntaxError) -> Result {
    let outer = self.clauses
    self.clauses = clauses
    defer {
      self.clauses = outer
      // A line end that ends this part may continue the outer one.
      if clauses != outer, token.kind == .lineEnd { token = token(after: previousEnd) }
    }
    return try read()
  }

  func text(of token: Token) -> String { source.text(in: token.range) }

  // MARK: Signs

  func isAt(_ punctuator: Punctuator) -> Bool { token.kind == .punctuator(punctuator) }

  func take(_ punctuator: Punctuator) -> Bool {
    guard isAt(punctuator) else { return false }
    advance()
    return true
  }

  /// Takes a sign that must be here.
  func expect(_ punctuator: Punctuator) throws(SyntaxError) {
    guard take(punctuator) else { throw expected(.oneOf([punctuator.rawValue])) }
  }

  // MARK: Words

  func isAt(word: String) -> Bool {
    note(word: word)
    return token.kind == .word && isText(word, of: token)
  }

  func isText(_ text: String, of token: Token) -> Bool {
    token.range.count == text.utf8.count && source.bytes[token.range].elementsEqual(text.utf8)
  }

  func take(word: String) -> Bool {
    guard isAt(word: word) else { return false }
    advance()
    return true
  }

  /// Takes a word that must be here.
  func expect(word: String) throws(SyntaxError) {
    skipLineEndsAtPrompt()
    guard take(word: word) else { throw expected(.oneOf([word])) }
  }

  /// Takes a name that must be here.
  func expectName(
    _ expectation: SyntaxError.Expectation
  ) throws(SyntaxError) -> Name {
    skipLineEndsAtPrompt()
    if case .oneOf(let words) = expectation { words.forEach(note(word:)) }
    guard token.kind == .word else { throw expected(expectation) }
    return takeName()
  }

  /// Takes the word that is here.
  func takeName() -> Name {
    let name = Name(text(of: token), range: token.range)
    advance()
    return name
  }

  // MARK: Line ends

  /// Continues on the next line, after a comma or an operator.
  func skipLineEnd() {
    if token.kind == .lineEnd { advance() }
  }

  /// At the prompt, continues on the next line, because something must follow.
  func skipLineEndsAtPrompt() {
    if setting == .prompt { skipLineEnd() }
  }

  /// Continues on the next line, unless that line begins a statement.
  ///
  /// In that case the value was forgotten.
  func skipLineEndAfterAssignment() {
    guard token.kind == .lineEnd else { return }
    let next = peek()
    let isValue = ["count", "fetch", "insert"].contains { isText($0, of: next) }
    if setting == .prompt || isValue || !beginsStatement(next) { advance() }
  }
}

extension TokenCursor {
  /// Takes the name of an entity, which begins with a capital letter.
  func expectEntity() throws(SyntaxError) -> Name {
    let name = try expectName(.name(of: "an entity"))
    guard let first = name.text.first, first.isLowercase else { return name }
    throw SyntaxError(
      .lowercaseEntity(name.text, suggestion: first.uppercased() + name.text.dropFirst()),
      range: name.range)
  }

  func expectMergePolicy() throws(SyntaxError) -> Name {
    try expectWord(of: ContextDeclaration.mergePolicies, .mergePolicy)
  }

  /// Takes one of some words.
  func expectWord(
    of words: [String], _ family: SyntaxError.Family
  ) throws(SyntaxError) -> Name {
    let name = try expectName(.oneOf(words))
    guard words.contains(name.text) else { throw .unknown(family, name, among: words) }
    return name
  }

  /// Takes the word of one of a type's cases.
  func expectWord<Word: CaseIterable & RawRepresentable<String>>(
    _ family: SyntaxError.Family, among allowed: [Word] = Array(Word.allCases)
  ) throws(SyntaxError) -> Word {
    let words = allowed.map(\.rawValue)
    let name = try expectName(.oneOf(words))
    guard let word = Word(rawValue: name.text) else {
      throw .unknown(family, name, among: words)
    }
    return word
  }

  /// Takes `on` or `off`; returns whether it is `on`.
  func expectSwitch() throws(SyntaxError) -> Bool {
    let words = ["on", "off"]
    let word = try expectName(.oneOf(words))
    guard words.contains(word.text) else {
      throw SyntaxError(.expected(.oneOf(words), found: .text(word.text)), range: word.range)
    }
    return word.text == "on"
  }

  var assignmentOperator: Statement.AssignmentOperator? {
    guard case .punctuator(let sign) = token.kind else { return nil }
    return Statement.AssignmentOperator(rawValue: sign.rawValue)
  }

  // MARK: Objects

  /// Whether `Book/3` is here.
  var isAtObject: Bool {
    token.kind == .word && lexer.endOfObject(at: token.range.lowerBound) != nil
  }

  /// Whether `.self` is here.
  var isAtSelf: Bool { isAt(.dot) && isText("self", of: peek()) }

  /// Whether `.self` follows a token, with the end or a clause after it.
  func isSelf(after token: Token) -> Bool {
    let dot = self.token(after: token.range.upperBound)
    let word = self.token(after: dot.range.upperBound)
    return dot.kind == .punctuator(.dot) && isText("self", of: word)
  }
}

/// A record of what a parser would accept at the cursor.
///
/// It is a class because values in predicates are parsed with a cursor of their own.
final class CursorNotes {
  /// The offset of the placeholder.
  let offset: Int
  private(set) var wants: [CursorPlace.Want] = []
  private(set) var locals: [LocalVariable] = []
  private(set) var updatedSource: String?

  /// Whether the cursor is known to be in a string.
  private var isClosed = false

  /// The word in place of the one at the cursor: a letter that no keyboard has, and that is neither
  /// upper nor lower case.
  static let placeholder = "\u{A015}"

  init(offset: Int) {
    self.offset = offset
  }

  func add(_ want: CursorPlace.Want, by cursor: TokenCursor) {
    guard !isClosed, !wants.contains(want) else { return }
    wants.append(want)
    locals = cursor.locals
    updatedSource = cursor.updatedSource
  }

  /// Stops recording if a string without an end contains the cursor, because the parser continues
  /// after its first line.
  func close(for error: SyntaxError) {
    guard case .unterminatedString = error.kind else { return }
    isClosed = isClosed || error.range.upperBound > offset
  }

  /// Returns the keys of the key path that ends before a place, without blanks between them.
  ///
  /// Returns none if something else ends there.
  ///
  /// An operator of collections keeps its `@`, and a variable its `$`.
  static func keyPath(before place: Int, in bytes: [UInt8]) -> [String] {
    var end = place
    while end > 0, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x0A { end -= 1 }
    var keys: [String] = []
    while true {
      let start = startOfWord(endingAt: end, in: Array(bytes[..<end]))
      guard start < end else { return [] }
      var key = String(decoding: bytes[start..<end], as: UTF8.self)
      end = start
      if end > 0, bytes[end - 1] == Byte.at {
        end -= 1
        key = "@" + key
      }
      keys.insert(key, at: 0)
      guard end > 0, bytes[end - 1] == Byte.dot else { return keys }
      end -= 1
    }
  }

  /// Returns the start of the word that ends at `end`, including its `$`.
  static func startOfWord(endingAt end: Int, in bytes: [UInt8]) -> Int {
    let lexer = Lexer(SourceText(name: "", bytes: bytes))
    // Names may contain any letters, so the start is searched from each place where a character
    // begins.
    var start = end
    var candidate = end
    while candidate > 0, end - candidate < 256 {
      candidate -= 1
      let byte = bytes[candidate]
      if byte & 0xC0 == 0x80 { continue }
      if lexer.endOfName(at: candidate) == end {
        start = candidate
      } else if !Byte.isDigit(byte) {
        break
      }
    }
    let hasDollar = start > 0 && bytes[start - 1] == Byte.dollar
    return hasDollar ? start - 1 : start
  }
}

/// What can be written at one place of a text that is being typed.
///
/// The parser reads the text before the place and records what it would accept there, so the result
/// always agrees with the grammar.
package struct CursorPlace: Equatable, Sendable {
  /// The start of the word before the cursor, in UTF-8 bytes; the cursor's own place if there is no
  /// word.
  package internal(set) var start: Int
  /// The word up to the cursor, with its `$` if it has one.
  package internal(set) var typed: String
  /// What the parser would accept instead of the word.
  ///
  /// Empty inside strings and comments, and where only a new name is allowed.
  package internal(set) var wants: [Want] = []
  /// The local variables that the text itself defines, innermost last.
  package var locals: [LocalVariable] = []
  /// The source whose attributes bare names refer to, inside `update { }`.
  package internal(set) var updatedSource: String?

  /// One kind of text that can be at a place.
  package enum Want: Equatable, Sendable {
    /// A statement; `words` are the possible first words.
    case statement(words: [String])
    /// A fixed word.
    case word(String)
    /// The name of an entity.
    case entity
    /// The name of an entity, followed by the values of an insert.
    case insertedEntity
    /// The name of an entity that may have objects of its own, which are imported.
    case importedEntity
    /// An entity, a request, a controller or an observer.
    case source
    /// An entity, a request or a controller, which `fetch` fetches.
    case fetchedSource
    /// A controller or an observer.
    case controller
    /// An observer of the history.
    case historyObserver
    case table
    case context
    /// The name of a type in an entity.
    case type
    /// An attribute of the entity of a source or a controller.
    case attribute(of: String, AttributeRole, besides: [String] = [])
    /// A key of a key path on a source, after these keys. If `isOperator`, the `@` of an operator
    /// is already typed.
    case key(of: String, after: [String], isOperator: Bool)
    /// A relationship of the entity of a source, or of the entity that these keys lead to.
    case relationship(of: String, after: [String])
    /// A value outside predicates.
    case value
    /// A member of a value.
    case member(of: ExpressionSyntax)
    /// An argument of a method; the index is counted from 0.
    case argument(of: String, index: Int)
    /// A value in a predicate on a source. The source may be empty, if only the object after the
    /// predicate decides it. If `mayBePredicate`, a predicate with a word before it may begin here.
    case operand(of: String, mayBePredicate: Bool)
    /// What is between two values of a predicate on a source.
    ///
    /// The first value is the key path of these keys, or another value if there are none.
    case comparison(of: String, after: [String])
  }

  /// The role of an attribute, which decides what follows its name.
  package enum AttributeRole: Equatable, Sendable {
    /// A value follows, as in `insert Book(title: …)`.
    case inserted
    /// A sign and a value follow, as in `update Book { pages = … }`.
    case assigned
    /// Nothing or further words follow, as in `sort by title`.
    case key
  }
}

extension ScriptParser {
  /// Returns what can be written at a place in an entry at the prompt.
  ///
  /// - Parameters:
  ///   - text: The entry so far. Text after the place is ignored.
  ///   - offset: The place, in UTF-8 bytes.
  /// - Complexity: O(*n*), where *n* is the length of the text before the place.
  package static func place(in text: String, at offset: Int) -> CursorPlace {
    let bytes = Array(text.utf8.prefix(max(0, offset)))
    let start = CursorNotes.startOfWord(endingAt: bytes.count, in: bytes)
    let typed = String(decoding: bytes[start...], as: UTF8.self)
    let notes = CursorNotes(offset: start)
    // A word that the language does not have replaces the one being typed.
    let word = (typed.hasPrefix("$") ? "$" : "") + CursorNotes.placeholder
    let source = SourceText(name: "", bytes: bytes[..<start] + Array(word.utf8))
    let cursor = TokenCursor(source, setting: .prompt)
    cursor.notes = notes
    _ = StatementParser(cursor).parseScript()
    return CursorPlace(
      start: start, typed: typed, wants: notes.wants, locals: notes.locals,
      updatedSource: notes.updatedSource)
  }
}

/// Recording of what a text that is being typed could contain at the cursor.
extension TokenCursor {
  /// Whether a token is the placeholder for the word at the cursor.
  func isCursor(_ token: Token) -> Bool {
    guard let notes else { return false }
    return token.range.lowerBound == notes.offset
      && (token.kind == .word || token.kind == .variable)
  }

  /// Records what could be here, if the cursor is here.
  func note(_ want: CursorPlace.Want) {
    guard let notes, isCursor(token) else { return }
    notes.add(want, by: self)
  }

  /// Records a fixed word that could be here.
  func note(word: String) {
    guard notes != nil else { return }
    note(.word(word))
  }

  /// Records a key of a key path, if the cursor is directly after its dot.
  func noteKey(of source: String) {
    guard let notes, notes.wants.isEmpty else { return }
    let bytes = self.source.bytes
    var end = notes.offset
    let isOperator = end > 0 && bytes[end - 1] == Byte.at
    if isOperator { end -= 1 }
    var keys: [String] = []
    while end > 0, bytes[end - 1] == Byte.dot {
      let start = CursorNotes.startOfWord(endingAt: end - 1, in: Array(bytes[..<(end - 1)]))
      guard start < end - 1 else { return }
      keys.insert(String(decoding: bytes[start..<(end - 1)], as: UTF8.self), at: 0)
      end = start
    }
    guard !keys.isEmpty else { return }
    notes.add(.key(of: source, after: keys, isOperator: isOperator), by: self)
  }

  /// Records a statement that could begin here.
  ///
  /// `return` is recorded only in a callback that returns a value.
  func noteStatement() {
    guard notes != nil else { return }
    let words = StatementWord.all
    note(
      .statement(words: givesValue ? words : words.filter { $0 != StatementWord.return.rawValue }))
  }
}
