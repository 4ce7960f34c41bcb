import Basics

/// The state of the parsers of a predicate: the position in the text, and what they have found.
///
/// The small parsers share one cursor, and each reads the tokens of its part.
final class PredicateCursor {
  typealias Token = PredicateScanner.Token

  private var scanner: PredicateScanner
  /// The host, which is asked first for each value; nil for a format string.
  let host: (any PredicateHost)?
  /// The `%` arguments read so far.
  private(set) var conversions: [ParsedFormat.Conversion] = []
  /// The variables of the enclosing SUBQUERYs, which do not belong to the host.
  private var subqueryVariables: [String] = []
  /// Whether the next value follows MATCHES.
  private var expectsPattern = false
  /// The last place where a predicate may begin, and not only a value.
  private(set) var predicateStart: Int?
  private var prefixes = 0

  init(_ scanner: PredicateScanner, host: (any PredicateHost)?) {
    self.scanner = scanner
    self.host = host
  }

  // MARK: Tokens

  var bytes: [UInt8] { scanner.bytes }
  /// Whether the predicate is part of a script.
  var isEmbedded: Bool { scanner.isEmbedded }
  /// The end of the last token that was read.
  var end: Int { scanner.end }
  var isInBracket: Bool { scanner.openBrackets > 0 }

  /// Returns the next token at a place where an operator may follow.
  func peek() -> Token { scanner.peek() }

  /// Returns the next token at a place where a value must follow.
  ///
  /// Line ends count as blanks.
  func peekOperand() -> Token { scanner.peekOperand() }

  func take(_ token: Token) { scanner.take(token) }

  /// Moves past a token, or past a value that ends at `end`.
  func take(upTo end: Int) { scanner.take(upTo: end) }

  /// Reads the next token if it is this byte.
  func take(byte: UInt8) -> Bool { scanner.take(byte: byte) }

  func text(_ range: Range<Int>) -> String { scanner.text(range) }

  func byte(at offset: Int) -> UInt8? { scanner.byte(at: offset) }

  /// Returns the end of the identifier that begins here; nil if there is none.
  func endOfWord(at start: Int) -> Int? { scanner.endOfWord(at: start) }

  /// Parses the number that begins at `start`, without moving past it.
  func number(
    at start: Int, isNegative: Bool
  ) throws(PredicateSyntaxError) -> (kind: OperandTree.Kind, end: Int) {
    try scanner.number(at: start, isNegative: isNegative)
  }

  /// Parses the string that begins at `start`, without moving past it.
  func string(
    at start: Int, isPattern: Bool
  ) throws(PredicateSyntaxError) -> PredicateScanner.StringLiteral {
    try scanner.string(at: start, isPattern: isPattern)
  }

  func keyword(_ token: Token) -> Keyword? {
    guard token.kind == .word, token.end - token.start <= 15 else { return nil }
    return Keyword(scanner.text(token.range))
  }

  /// Moves past a token, if the text after it fits.
  ///
  /// - Parameter isWanted: Reads what follows the token, and returns whether it fits.
  /// - Returns: Whether the cursor moved.
  func take(_ token: Token, if isWanted: () -> Bool) -> Bool {
    let before = scanner
    scanner.take(token)
    if isWanted() { return true }
    scanner = before
    return false
  }

  // MARK: What is known at a place

  /// Notes that a predicate may begin at a place, and not only a value.
  func notePredicate(at offset: Int) {
    predicateStart = offset
    host?.predicateMayBegin(at: offset)
  }

  /// Adds a `%` argument, and returns its index.
  func add(_ conversion: ParsedFormat.Conversion) -> Int {
    conversions.append(conversion)
    return conversions.count - 1
  }

  /// Reads the right side of an operator, where a string may be a pattern.
  func readPattern<Result>(
    _ isPattern: Bool, _ read: () throws(PredicateSyntaxError) -> Result
  ) throws(PredicateSyntaxError) -> Result {
    expectsPattern = isPattern
    defer { expectsPattern = false }
    return try read()
  }

  /// Returns whether the value that begins here may be a pattern.
  ///
  /// That is true only for the first one after MATCHES.
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

  /// Whether an enclosing SUBQUERY has bound the variable that begins here.
  func isBoundVariable(_ token: Token) -> Bool {
    guard !subqueryVariables.isEmpty, token.kind == .byte(UInt8(ascii: "$")),
      let end = endOfWord(at: token.end)
    else { return false }
    return subqueryVariables.contains(text(token.end..<end))
  }

  // MARK: Nesting

  /// Reads one level deeper, after NOT, a minus or an operator.
  ///
  /// Brackets are counted separately, because the normal form adds one for each of these. So every
  /// predicate that can be read can also be printed and read again.
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

  /// Reads the content after an opening bracket, and the closing bracket.
  ///
  /// Inside, line ends count as blanks.
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

  /// Returns the error for an unexpected token.
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

/// Creates terms with a checked height, and checks what kind of term is needed.
extension PredicateCursor {
  /// Creates a value's term from parts with these heights.
  func operandTerm(
    _ kind: OperandTree.Kind, over heights: Int..., range: Range<Int>
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let height = (heights.max() ?? 0) + 1
    guard height <= PredicateParser.maximumDepth else { throw tooDeep(range) }
    let tree = OperandTree(kind, range: SourceRange(range.lowerBound, range.upperBound))
    return PredicateTerm(content: .operand(tree), height: height, range: range)
  }

  /// Creates a predicate's term from parts with these heights.
  func predicateTerm(
    _ tree: PredicateTree, over height: Int, range: Range<Int>
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    guard height < PredicateParser.maximumDepth else { throw tooDeep(range) }
    return PredicateTerm(content: .predicate(tree), height: height + 1, range: range)
  }

  /// Returns the value of a term, where only a value is allowed.
  func operand(of term: PredicateTerm) throws(PredicateSyntaxError) -> OperandTree {
    guard case .operand(let operand) = term.content else {
      throw PredicateSyntaxError(.predicateAsOperand, range: term.range)
    }
    return operand
  }

  /// Returns the predicate of a term, where only a predicate is allowed.
  func predicate(of term: PredicateTerm) throws(PredicateSyntaxError) -> PredicateTree {
    switch term.content {
    case .predicate(let predicate): return predicate
    case .operand: throw missingComparison(after: term)
    }
  }

  /// Returns the error for a value without a comparison.
  private func missingComparison(after term: PredicateTerm) -> PredicateSyntaxError {
    let next = peek()
    if next.kind == .word, case let word = text(next.range),
      let near = word.uppercased() == "IS"
        ? "==" : nearestName(to: word, among: Self.wordOperators)
    {
      return PredicateSyntaxError(.unknownOperator(word, suggestion: near), range: next.range)
    }
    let found = found(next)
    let kind = PredicateSyntaxError.Kind.missingComparison(
      operand: text(term.range), found: found)
    if case .text = found { return PredicateSyntaxError(kind, range: next.range) }
    return PredicateSyntaxError(kind, range: term.range)
  }

  private static let wordOperators = Keyword.allCases.filter { $0.comparator != nil }
    .map(\.rawValue)
}

/// A part of the text that is either a predicate or a value.
struct PredicateTerm {
  var content: Content
  /// The height of its tree.
  var height: Int
  /// The range of its text, including parentheses.
  var range: Range<Int>

  enum Content {
    case predicate(PredicateTree)
    case operand(OperandTree)
  }
}

/// A language that contains predicates, and adds its own values.
///
/// The parser asks the host at the start of each operand. So a script's dates, objects and
/// interpolated strings become arguments of the predicate, and this module does not need to know
/// them.
package protocol PredicateHost: AnyObject {
  /// Returns the argument that begins at `offset`; nil if the text there belongs to the predicate
  /// language.
  ///
  /// - Parameters:
  ///   - source: The whole source in UTF-8.
  ///   - offset: The start of an operand, in bytes.
  /// - Returns: The argument's index and the offset after its text.
  /// - Throws: A ``PredicateSyntaxError/Kind/host(_:)`` if the host's own text has an error.
  func embeddedArgument(
    in source: [UInt8], at offset: Int
  ) throws(PredicateSyntaxError) -> (index: Int, end: Int)?

  /// Learns that a predicate may begin at `offset`, and not only a value.
  ///
  /// The parser calls this before it asks for the argument there.
  func predicateMayBegin(at offset: Int)

  /// Receives a warning, such as about an unknown escape.
  func warn(_ warning: PredicateSyntaxError)
}

extension PredicateHost {
  /// Does nothing.
  package func predicateMayBegin(at _: Int) {}

  /// Does nothing.
  package func warn(_: PredicateSyntaxError) {}
}
