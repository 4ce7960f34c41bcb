/// Reads predicates by recursive descent.
///
/// A parenthesis is read once and is then known to hold a predicate or a
/// value, so the time is linear in the length of the text. Nesting is limited
/// to ``maximumDepth`` levels, both of brackets and of the resulting tree:
/// whoever walks a tree may do so by recursion.
///
/// Where Apple's grammar leaves a choice, this one has chosen: `**` groups from
/// the right; `&`, `|` and `^` bind weaker than `+` and stronger than UNION,
/// INTERSECT and MINUS, each group from the left; a minus before a number
/// belongs to the number; `x NOT IN y` is `NOT x IN y`, and NONE is NOT ANY.
package struct PredicateParser {
  /// How deep parentheses and operators may nest.
  package static let maximumDepth = 200

  var scanner: PredicateScanner
  let host: (any PredicateHost)?
  var conversions: [ParsedFormat.Conversion] = []
  /// The variables of the SUBQUERYs around; they are not the host's.
  var subqueryVariables: [String] = []
  /// Whether the next value stands behind MATCHES.
  var expectsPattern = false
  private var prefixes = 0

  private init(_ scanner: PredicateScanner, host: (any PredicateHost)?) {
    self.scanner = scanner
    self.host = host
  }

  // MARK: Entry points

  /// Parses a format string; its `%` arguments are numbered in order.
  package static func parse(
    format: String
  ) throws(PredicateSyntaxError) -> PredicateTree {
    try parseFormat(format).tree
  }

  /// Parses a format string and tells which arguments it wants.
  package static func parseFormat(
    _ format: String
  ) throws(PredicateSyntaxError) -> ParsedFormat {
    let scanner = PredicateScanner(Array(format.utf8), isEmbedded: false)
    var parser = PredicateParser(scanner, host: nil)
    let tree = try parser.parseWholePredicate()
    let rest = parser.scanner.peek()
    guard rest.kind == .endOfText else {
      throw parser.unexpected(rest, expected: .logicalOperator)
    }
    return ParsedFormat(tree: tree, conversions: parser.conversions)
  }

  /// Parses the predicate that begins at `offset` in a script.
  ///
  /// It goes on up to the first token that cannot continue it: a clause word,
  /// `{`, `;`, a bracket not opened in it, or the end of a line. A line end
  /// counts as a blank inside brackets, behind an operator, AND, OR, NOT or
  /// `\`, and where the next line, apart from blank lines and comments, begins
  /// with AND, OR, `&&` or `||`.
  ///
  /// - Parameters:
  ///   - source: The script in UTF-8; ranges count from its start.
  ///   - offset: Where the predicate begins, in bytes.
  ///   - host: Who is asked for a value first wherever one begins.
  /// - Returns: The tree, and where its last token ends.
  /// - Throws: The first error; what lacks its rest at the end of the source is
  ///   ``PredicateSyntaxError/Kind/isUnfinished``.
  package static func parseEmbedded(
    in source: [UInt8], from offset: Int, host: (any PredicateHost)? = nil
  ) throws(PredicateSyntaxError) -> (predicate: PredicateTree, end: Int) {
    let scanner = PredicateScanner(source, from: offset, isEmbedded: true)
    var parser = PredicateParser(scanner, host: host)
    let tree = try parser.parseWholePredicate()
    return (tree, parser.scanner.end)
  }

  private mutating func parseWholePredicate() throws(PredicateSyntaxError) -> PredicateTree {
    let term = try parseDisjunction()
    return try predicate(of: term)
  }

  // MARK: Nesting

  /// Reads one level deeper, behind NOT, a minus or an operator.
  ///
  /// Brackets are counted apart, because the normal form adds one for each of
  /// these: what can be read can be printed and read again.
  mutating func nested<Result>(
    _ read: (inout Self) throws(PredicateSyntaxError) -> Result
  ) throws(PredicateSyntaxError) -> Result {
    guard prefixes < Self.maximumDepth else {
      throw tooDeep(scanner.end - 1..<scanner.end)
    }
    prefixes += 1
    defer { prefixes -= 1 }
    return try read(&self)
  }

  /// Reads what stands in a bracket already taken, and the closing one.
  ///
  /// Up to there line ends are blanks.
  mutating func bracketed<Result>(
    _ closing: Character, isList: Bool = false,
    _ read: (inout Self) throws(PredicateSyntaxError) -> Result
  ) throws(PredicateSyntaxError) -> Result {
    guard scanner.openBrackets < Self.maximumDepth else {
      throw tooDeep(scanner.end - 1..<scanner.end)
    }
    scanner.openBrackets += 1
    let result = try read(&self)
    guard let byte = closing.asciiValue, scanner.take(byte: byte) else {
      let closer = String(closing)
      throw unexpected(scanner.peek(), expected: isList ? .commaOr(closer) : .symbol(closer))
    }
    scanner.openBrackets -= 1
    return result
  }

  func tooDeep(_ range: Range<Int>) -> PredicateSyntaxError {
    PredicateSyntaxError(.tooDeep(limit: Self.maximumDepth), range: range)
  }

  // MARK: Errors

  /// The error for a token other than the expected one.
  func unexpected(
    _ token: PredicateScanner.Token, expected: PredicateSyntaxError.Expectation
  ) -> PredicateSyntaxError {
    switch found(token) {
    case .endOfText:
      PredicateSyntaxError(.unexpectedEnd(expected: expected), range: token.range)
    case let found:
      PredicateSyntaxError(.expected(expected, found: found), range: token.range)
    }
  }

  func found(_ token: PredicateScanner.Token) -> PredicateSyntaxError.Found {
    switch token.kind {
    case .endOfText: .endOfText
    case .endOfLine: .endOfLine
    default: .text(scanner.text(token.range))
    }
  }
}
