extension PredicateParser {
  /// Reads a value without operators, keys and indexes behind it; or a
  /// predicate in parentheses.
  mutating func parsePrimary(minus: Int?) throws(PredicateSyntaxError) -> Term {
    let isPattern = expectsPattern
    expectsPattern = false
    let token = scanner.peekOperand()
    if let term = try hostArgument(at: token, minus: minus) { return term }
    switch token.kind {
    case .number: return try parseNumber(token, minus: minus)
    case .word: return try parseWord(token)
    case .byte(let byte): return try parsePunctuation(byte, token, isPattern: isPattern)
    case .endOfText, .endOfLine, .relation, .doubleAmpersand, .doubleBar, .doubleStar:
      throw unexpected(token, expected: .operand)
    }
  }

  /// Asks the host, but not for a variable that a SUBQUERY around has bound.
  private mutating func hostArgument(
    at token: PredicateScanner.Token, minus: Int?
  ) throws(PredicateSyntaxError) -> Term? {
    guard let host, token.kind != .endOfText, !isSubqueryVariable(token),
      let (index, end) = try host.embeddedArgument(in: scanner.bytes, at: token.start)
    else { return nil }
    scanner.take(upTo: end)
    let term = try operandTerm(.argument(index), range: token.start..<end)
    guard let minus else { return term }
    return try operandTerm(
      .negation(try operand(of: term)), over: term.height, range: minus..<end)
  }

  private func isSubqueryVariable(_ token: PredicateScanner.Token) -> Bool {
    guard !subqueryVariables.isEmpty, token.kind == .byte(UInt8(ascii: "$")),
      let end = scanner.endOfWord(at: token.end)
    else { return false }
    return subqueryVariables.contains(scanner.text(token.end..<end))
  }

  private mutating func parseNumber(
    _ token: PredicateScanner.Token, minus: Int?
  ) throws(PredicateSyntaxError) -> Term {
    let (kind, end) = try scanner.number(at: token.start, isNegative: minus != nil)
    scanner.take(upTo: end)
    return try operandTerm(kind, range: (minus ?? token.start)..<end)
  }

  private mutating func parsePunctuation(
    _ byte: UInt8, _ token: PredicateScanner.Token, isPattern: Bool
  ) throws(PredicateSyntaxError) -> Term {
    switch Unicode.Scalar(byte) {
    case "(": return try parseParenthesis(token)
    case "{": return try parseAggregate(token)
    case "'", "\"":
      let literal = try scanner.string(at: token.start, isPattern: isPattern && byte == 0x27)
      scanner.take(upTo: literal.end)
      for warning in literal.warnings { host?.warn(warning) }
      try checkQuotes(around: token.start..<literal.end)
      return try operandTerm(.string(literal.text), range: token.start..<literal.end)
    case "#":
      let name = try parseKey(token)
      return try operandTerm(.key(name, of: nil), range: token.start..<scanner.end)
    case "@":
      let name = try parseCollectionOperator(token)
      return try operandTerm(
        .collectionOperator(name, of: nil, right: []), range: token.start..<scanner.end)
    case "$": return try parseVariable(token)
    case "%":
      let (index, kind) = try parseConversion(token)
      let tree: OperandTree.Kind =
        kind == .keyPath ? .argumentKeyPath(index, of: nil) : .argument(index)
      return try operandTerm(tree, range: token.start..<scanner.end)
    default: throw unexpected(token, expected: .operand)
    }
  }

  /// Refuses a string that a quote in it has ended: `'JR's Pad'`.
  private func checkQuotes(around string: Range<Int>) throws(PredicateSyntaxError) {
    guard let end = scanner.endOfWord(at: string.upperBound),
      Keyword(scanner.text(string.upperBound..<end)) == nil
    else { return }
    let quote = scanner.bytes[string.lowerBound]
    var offset = end
    while let byte = scanner.byte(at: offset), byte != UInt8(ascii: "\n") {
      if byte == quote {
        throw PredicateSyntaxError(
          .quoteInString(Character(Unicode.Scalar(quote))),
          range: string.upperBound - 1..<string.upperBound)
      }
      offset += 1
    }
  }

  private mutating func parseParenthesis(
    _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> Term {
    scanner.take(token)
    var term = try bracketed(")") { (parser) throws(PredicateSyntaxError) in
      let term = try parser.parseDisjunction()
      let next = parser.scanner.peek()
      if next.kind != .byte(UInt8(ascii: ")")), next.kind != .endOfText {
        // A value with something behind it lacks its comparison.
        _ = try parser.predicate(of: term)
      }
      return term
    }
    term.range = token.start..<scanner.end
    if case .operand(var tree) = term.content {
      tree.range = SourceRange(token.start, scanner.end)
      term.content = .operand(tree)
    }
    return term
  }

  private mutating func parseAggregate(
    _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> Term {
    scanner.take(token)
    let (elements, height) = try bracketed("}", isList: true) {
      (parser) throws(PredicateSyntaxError) in
      if parser.scanner.peekOperand().kind == .byte(UInt8(ascii: "}")) {
        return ([OperandTree](), 0)
      }
      return try parser.parseOperands()
    }
    return try operandTerm(
      .aggregate(elements), over: height, range: token.start..<scanner.end)
  }

  /// Reads one value or more with commas between.
  mutating func parseOperands() throws(PredicateSyntaxError) -> ([OperandTree], height: Int) {
    var operands: [OperandTree] = []
    var height = 0
    repeat {
      let term = try parseOperand()
      operands.append(try operand(of: term))
      height = max(height, term.height)
    } while scanner.take(byte: UInt8(ascii: ","))
    return (operands, height)
  }

  private mutating func parseVariable(
    _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> Term {
    let name = try parseVariableName(token)
    let next = scanner.peek()
    guard next.kind == .byte(UInt8(ascii: ":")),
      scanner.byte(at: next.end) == UInt8(ascii: "=")
    else { return try operandTerm(.variable(name), range: token.start..<scanner.end) }
    scanner.take(upTo: next.end + 1)
    let value = try nested { (parser) throws(PredicateSyntaxError) in
      try parser.parseOperand()
    }
    return try operandTerm(
      .assignment(name, try operand(of: value)), over: value.height,
      range: token.start..<scanner.end)
  }
}
