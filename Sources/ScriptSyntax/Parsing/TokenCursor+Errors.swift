extension TokenCursor {
  func unexpected() -> SyntaxError {
    if let error = strange() { return error }
    return SyntaxError(.unexpected(found), range: errorRange)
  }

  func expected(_ expectation: SyntaxError.Expectation) -> SyntaxError {
    if let error = strange() { return error }
    return SyntaxError(.expected(expectation, found: found), range: errorRange)
  }

  /// Returns the error that the token itself is; nil if it is valid.
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

  /// The range of an error at the token.
  ///
  /// At the end of the text, this is directly after the last token.
  var errorRange: Range<Int> {
    switch token.kind {
    case .lineEnd, .end: previousEnd..<previousEnd
    case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown:
      token.range
    }
  }

  func wrongOperator(_ instead: String) -> SyntaxError {
    SyntaxError(.wrongOperator(text(of: token), instead: instead), range: token.range)
  }

  /// The error for a comment with Swift's signs; nil if none begins here or began with the sign
  /// before.
  var foreignComment: SyntaxError? {
    for start in [token.range.lowerBound, token.range.lowerBound - 1] where start >= 0 {
      let range = start..<min(start + 2, source.bytes.count)
      let found = source.text(in: range)
      if found == "//" || found == "/*" { return SyntaxError(.foreignComment(found), range: range) }
    }
    return nil
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

  /// Reports bytes that are not UTF-8, once per line.
  func checkEncoding() {
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

/// Characters that keyboards and word processors insert in place of a sign.
private let lookalikes: [Unicode.Scalar: String] = [
  "\u{201C}": "\"", "\u{201D}": "\"", "\u{201E}": "\"", "\u{2018}": "'", "\u{2019}": "'",
  "\u{FF08}": "(", "\u{FF09}": ")", "\u{FF3B}": "[", "\u{FF3D}": "]", "\u{FF5B}": "{",
  "\u{FF5D}": "}", "\u{FF0C}": ",", "\u{3001}": ",", "\u{FF1A}": ":", "\u{FF1B}": ";",
  "\u{FF1D}": "=", "\u{FF0B}": "+", "\u{2212}": "-", "\u{2013}": "-", "\u{FF02}": "\"",
  "\u{2026}": "...", "\u{2260}": "!=", "\u{2264}": "<=", "\u{2265}": ">=", "\u{FF0E}": ".",
]

/// Finds where parsing can continue after an error.
struct ErrorRecovery {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// Continues after a statement, or a part of one, that has an error.
  ///
  /// Blocks of the statement are still parsed, so that errors inside them are found too.
  ///
  /// - Parameters:
  ///   - outer: The number of brackets that were open before it.
  ///   - outerDepth: The nesting depth before it.
  func recover(
    from error: SyntaxError, brackets outer: Int, depth outerDepth: Int, hasBlock: Bool = false
  ) {
    var open = Array(cursor.brackets[outer...])
    cursor.brackets.removeSubrange(outer...)
    cursor.depth = outerDepth
    cursor.lineEndsCount = true
    // The clauses of a request with an error are skipped with it.
    let outerClauses = cursor.clauses
    cursor.clauses = .all
    defer { cursor.clauses = outerClauses }
    if case .unclosed = error.kind { _ = open.popLast() }
    // The closing brackets were probably meant to follow the string.
    if case .unterminatedString = error.kind { open = [] }
    if open.isEmpty, cursor.token.startsLine {
      // Because of open brackets, the parser has read past the end of the line.
      cursor.resume(at: cursor.previousEnd)
    } else {
      cursor.token = cursor.lexer.token(
        after: cursor.token.kind == .lineEnd ? cursor.previousEnd : cursor.token.range.lowerBound,
        lineEndsCount: true)
    }
    skipBrackets(open)
    skipToEnd(readsBlocks: hasBlock)
  }

  /// Skips to after the end of the outermost open bracket, or to the next line that begins a
  /// statement, whichever comes first.
  private func skipBrackets(_ open: [TokenCursor.Bracket]) {
    if let string = open.firstIndex(where: { $0.quote != nil }) {
      skipString(open[string])
      skipBrackets(Array(open[..<string]))
      return
    }
    guard !open.isEmpty else { return }
    let pairs = pairs()
    guard let end = open.lazy.compactMap({ pairs.closer(of: $0.offset) }).first else { return }
    while cursor.token.kind != .end, cursor.token.range.lowerBound <= end,
      !cursor.beginsStatement(cursor.token)
    {
      skipToken()
    }
  }

  /// Skips from inside an interpolation to after its string, which ends on the same line.
  private func skipString(_ interpolation: TokenCursor.Bracket) {
    guard let quote = interpolation.quote else { return }
    let end = cursor.lexer.endOfString(
      from: interpolation.offset + interpolation.text.utf8.count, quote: quote, isText: false)
    if end.offset > cursor.token.range.lowerBound { cursor.resume(at: end.offset) }
  }

  /// Skips to the end of a statement.
  private func skipToEnd(readsBlocks: Bool) {
    var continues = false
    while cursor.token.kind != .end, !cursor.isAt(.rightBrace) {
      if cursor.token.endsStatement {
        guard cursor.token.kind == .lineEnd else { return }
        let next = cursor.peek()
        // No statement begins with a brace, so this brace belongs to the statement before.
        let isBlock = next.kind == .punctuator(.leftBrace)
        guard isBlock || continues && !cursor.beginsStatement(next) else { return }
        cursor.advance()
      }
      if readsBlocks, cursor.isAt(.leftBrace), cursor.depth < ScriptParser.maximumDepth {
        readBlock()
        continue
      }
      continues = joinsLines(cursor.token)
      skipToken()
    }
  }

  /// Whether a line that ends with this token continues on the next line.
  private func joinsLines(_ token: Token) -> Bool {
    switch token.kind {
    case .punctuator(let sign): sign == .comma || sign.isOperator
    case .word: ["AND", "OR", "and", "or"].contains { cursor.isText($0, of: token) }
    case .variable, .number, .malformedNumber, .date, .quote, .unknown, .lineEnd, .end: false
    }
  }

  /// Skips a token, a string, or a bracket with its contents.
  private func skipToken() {
    switch cursor.token.kind {
    case .quote:
      let quote = cursor.source.bytes[cursor.token.range.lowerBound]
      cursor.resume(
        at: cursor.lexer.endOfString(from: cursor.token.range.upperBound, quote: quote).offset)
    case .punctuator(let sign) where sign.closer != nil:
      if let end = pairs().closer(of: cursor.token.range.lowerBound) {
        cursor.resume(at: end + 1)
      } else {
        cursor.advance()
      }
    case .unknown:
      cursor.resume(at: cursor.lexer.endOfControls(from: cursor.token.range.upperBound))
    case .word, .variable, .number, .malformedNumber, .date, .punctuator, .lineEnd, .end:
      cursor.advance()
    }
  }

  /// Parses a block of a statement with an error, to find the errors inside the block.
  private func readBlock() {
    let outer = (cursor.brackets.count, cursor.depth)
    do throws(SyntaxError) {
      _ = try BlockParser(cursor).parseBlock()
    } catch {
      cursor.record(error)
      cursor.brackets.removeSubrange(outer.0...)
      cursor.depth = outer.1
    }
  }

  /// The pairs of brackets, computed when they are first needed.
  private func pairs() -> BracketPairs {
    if let pairs = cursor.bracketPairs { return pairs }
    let pairs = BracketPairs(cursor.lexer)
    cursor.bracketPairs = pairs
    return pairs
  }
}

extension TokenCursor {
  /// Takes an opening bracket.
  func open(_ opener: Punctuator) throws(SyntaxError) {
    guard let closer = opener.closer, isAt(opener) else {
      throw expected(.oneOf([opener.rawValue]))
    }
    try descend()
    brackets.append(
      Bracket(
        text: opener.rawValue, closer: closer, offset: token.range.lowerBound,
        outerLineEndsCount: lineEndsCount))
    lineEndsCount = opener == .leftBrace
    advance()
  }

  /// Takes the bracket that closes the innermost open one.
  ///
  /// - Parameter others: What else is allowed here, for the error message.
  func close(
    orExpected others: [String] = []
  ) throws(SyntaxError) {
    guard let bracket = brackets.last else { throw unexpected() }
    guard isAt(bracket.closer) else { throw notClosed(bracket, others: others) }
    leaveBracket()
    advance()
  }

  /// Removes the innermost bracket from the open ones, and takes no token.
  func leaveBracket() {
    guard let bracket = brackets.popLast() else { return }
    lineEndsCount = bracket.outerLineEndsCount
    depth -= 1
  }

  private func notClosed(_ bracket: Bracket, others: [String]) -> SyntaxError {
    let closer = bracket.closer.rawValue
    guard token.kind == .end || isAt(.rightBrace) || beginsStatement(token) else {
      return expected(.oneOf(others + [closer]))
    }
    return unclosed(bracket)
  }

  func unclosed(_ bracket: Bracket) -> SyntaxError {
    SyntaxError(
      .unclosed(bracket.closer.rawValue, opener: bracket.text, isAtEnd: token.kind == .end),
      range: bracket.offset..<bracket.offset + bracket.text.utf8.count)
  }

  /// Whether a token is the first of its line and begins a statement.
  ///
  /// If so, an open bracket was probably forgotten.
  func beginsStatement(_ token: Token) -> Bool {
    token.startsLine && token.kind == .word && StatementWord.begins(text(of: token))
      && !lexer.isNamed(after: token.range.upperBound)
  }

  // MARK: Lists

  /// Reads a list in brackets, its parts separated by commas.
  func parseList<Part>(
    of part: () throws(SyntaxError) -> Part
  ) throws(SyntaxError) -> [Part] {
    let opener = isAt(.leftBracket) ? Punctuator.leftBracket : .leftParenthesis
    var parts: [Part] = []
    try open(opener)
    while !isAtCloser {
      parts.append(try part())
      guard take(.comma) else { break }
    }
    try close(orExpected: [","])
    return parts
  }

  /// Whether a list ends here, or its closing bracket was forgotten.
  private var isAtCloser: Bool {
    guard let closer = brackets.last?.closer else { return true }
    return isAt(closer)
  }

  // MARK: Depth

  /// Increases the nesting depth.
  ///
  /// The caller must later run `depth -= 1`.
  func descend() throws(SyntaxError) {
    guard depth < ScriptParser.maximumDepth else {
      throw SyntaxError(.tooDeep(limit: ScriptParser.maximumDepth), range: errorRange)
    }
    depth += 1
  }

  func nested<Result>(
    _ parse: () throws(SyntaxError) -> Result
  ) throws(SyntaxError) -> Result {
    try descend()
    let result = try parse()
    depth -= 1
    return result
  }
}
