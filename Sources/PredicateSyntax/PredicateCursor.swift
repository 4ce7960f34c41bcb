/// Where the parsers of a predicate are in its text, and what they have found.
///
/// The small parsers share one cursor: each takes the tokens of its part.
final class PredicateCursor {
  typealias Token = PredicateScanner.Token

  private var scanner: PredicateScanner
  /// Who is asked first for each value; nil for a format string.
  let host: (any PredicateHost)?
  /// The `%` arguments read so far.
  private(set) var conversions: [ParsedFormat.Conversion] = []
  /// The variables of the SUBQUERYs around; they are not the host's.
  private var subqueryVariables: [String] = []
  /// Whether the next value follows MATCHES.
  private var expectsPattern = false
  private var prefixes = 0

  init(_ scanner: PredicateScanner, host: (any PredicateHost)?) {
    self.scanner = scanner
    self.host = host
  }

  // MARK: Tokens

  var bytes: [UInt8] { scanner.bytes }
  /// Whether the predicate is part of a script.
  var isEmbedded: Bool { scanner.isEmbedded }
  /// Where the last token taken ends.
  var end: Int { scanner.end }
  var isInBracket: Bool { scanner.openBrackets > 0 }

  /// The next token where an operator may follow.
  func peek() -> Token { scanner.peek() }

  /// The next token where a value must follow: line ends are blanks.
  func peekOperand() -> Token { scanner.peekOperand() }

  func take(_ token: Token) { scanner.take(token) }

  /// Takes a token, or a value that ends at `end`.
  func take(upTo end: Int) { scanner.take(upTo: end) }

  /// Takes the next token if it is this byte.
  func take(byte: UInt8) -> Bool { scanner.take(byte: byte) }

  func text(_ range: Range<Int>) -> String { scanner.text(range) }

  func byte(at offset: Int) -> UInt8? { scanner.byte(at: offset) }

  /// Where the identifier that begins here ends; nil if there is none.
  func endOfWord(at start: Int) -> Int? { scanner.endOfWord(at: start) }

  /// Reads the number that begins at `start`, without taking it.
  func number(
    at start: Int, isNegative: Bool
  ) throws(PredicateSyntaxError) -> (kind: OperandTree.Kind, end: Int) {
    try scanner.number(at: start, isNegative: isNegative)
  }

  /// Reads the string that begins at `start`, without taking it.
  func string(
    at start: Int, isPattern: Bool
  ) throws(PredicateSyntaxError) -> PredicateScanner.StringLiteral {
    try scanner.string(at: start, isPattern: isPattern)
  }

  func keyword(_ token: Token) -> Keyword? {
    guard token.kind == .word, token.end - token.start <= 15 else { return nil }
    return Keyword(scanner.text(token.range))
  }

  /// Takes a token, unless the one after it is not as wanted.
  ///
  /// - Parameter isWanted: Takes what follows the token.
  /// - Returns: Whether the token was taken.
  func take(_ token: Token, if isWanted: () -> Bool) -> Bool {
    let before = scanner
    scanner.take(token)
    if isWanted() { return true }
    scanner = before
    return false
  }

  // MARK: What is known at a place

  /// Keeps a `%` argument, and returns its number.
  func add(_ conversion: ParsedFormat.Conversion) -> Int {
    conversions.append(conversion)
    return conversions.count - 1
  }

  /// Reads the right side of an operator; a string in it may be a pattern.
  func readPattern<Result>(
    _ isPattern: Bool, _ read: () throws(PredicateSyntaxError) -> Result
  ) throws(PredicateSyntaxError) -> Result {
    expectsPattern = isPattern
    defer { expectsPattern = false }
    return try read()
  }

  /// Whether the value that begins now may be a pattern: only the first one
  /// after MATCHES.
  func takePatternMark() -> Bool {
    defer { expectsPattern = false }
    return expectsPattern
  }

  /// Reads a predicate in which a variable is bound.
  func binding<Result>(
    _ variable: String, _ read: () throws(PredicateSyntaxError) -> Result
  ) throws(PredicateSyntaxError) -> Result {
    subqueryVariables.append(variable)
    defer { subqueryVariables.removeLast() }
    return try read()
  }

  /// Whether a SUBQUERY around has bound the variable that begins here.
  func isBoundVariable(_ token: Token) -> Bool {
    guard !subqueryVariables.isEmpty, token.kind == .byte(UInt8(ascii: "$")),
      let end = endOfWord(at: token.end)
    else { return false }
    return subqueryVariables.contains(text(token.end..<end))
  }

  // MARK: Nesting

  /// Reads one level deeper, after NOT, a minus or an operator.
  ///
  /// Brackets are counted apart, because the normal form adds one for each of
  /// these: what can be read can be printed and read again.
  func nested<Result>(
    _ read: () throws(PredicateSyntaxError) -> Result
  ) throws(PredicateSyntaxError) -> Result {
    guard prefixes < PredicateParser.maximumDepth else {
      throw tooDeep(scanner.end - 1..<scanner.end)
    }
    prefixes += 1
    defer { prefixes -= 1 }
    return try read()
  }

  /// Reads what follows an opening bracket already taken, and the closing one.
  ///
  /// Up to there line ends are blanks.
  func bracketed<Result>(
    _ closing: Character, isList: Bool = false,
    _ read: () throws(PredicateSyntaxError) -> Result
  ) throws(PredicateSyntaxError) -> Result {
    guard scanner.openBrackets < PredicateParser.maximumDepth else {
      throw tooDeep(scanner.end - 1..<scanner.end)
    }
    scanner.openBrackets += 1
    let result = try read()
    guard let byte = closing.asciiValue, scanner.take(byte: byte) else {
      let closer = String(closing)
      throw unexpected(scanner.peek(), expected: isList ? .commaOr(closer) : .symbol(closer))
    }
    scanner.openBrackets -= 1
    return result
  }

  func tooDeep(_ range: Range<Int>) -> PredicateSyntaxError {
    PredicateSyntaxError(.tooDeep(limit: PredicateParser.maximumDepth), range: range)
  }

  // MARK: Errors

  /// The error for a token other than the expected one.
  func unexpected(
    _ token: Token, expected: PredicateSyntaxError.Expectation
  ) -> PredicateSyntaxError {
    switch found(token) {
    case .endOfText:
      PredicateSyntaxError(.unexpectedEnd(expected: expected), range: token.range)
    case let found:
      PredicateSyntaxError(.expected(expected, found: found), range: token.range)
    }
  }

  func found(_ token: Token) -> PredicateSyntaxError.Found {
    switch token.kind {
    case .endOfText: .endOfText
    case .endOfLine: .endOfLine
    case .word, .number, .relation, .doubleAmpersand, .doubleBar, .doubleStar, .byte:
      .text(scanner.text(token.range))
    }
  }
}
