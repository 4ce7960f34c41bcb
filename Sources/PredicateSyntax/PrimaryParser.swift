/// Reads a value, without the operators, keys and indexes that may follow it.
struct PrimaryParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  /// Reads a value without the operators, keys and indexes that may follow it, or a predicate in
  /// parentheses.
  func parse(minus: Int?) throws(PredicateSyntaxError) -> PredicateTerm {
    let isPattern = cursor.takePatternMark()
    let token = cursor.peekOperand()
    if let term = try hostArgument(at: token, minus: minus) { return term }
    switch token.kind {
    case .number: return try parseNumber(token, minus: minus)
    case .word: return try WordParser(cursor).parse(token)
    case .byte(let byte): return try parsePunctuation(byte, token, isPattern: isPattern)
    case .endOfText, .endOfLine, .relation, .doubleAmpersand, .doubleBar, .doubleStar:
      throw cursor.unexpected(token, expected: .operand)
    }
  }

  /// Asks the host for a value, except for a variable that an enclosing SUBQUERY has bound.
  private func hostArgument(
    at token: PredicateCursor.Token, minus: Int?
  ) throws(PredicateSyntaxError) -> PredicateTerm? {
    guard let host = cursor.host, token.kind != .endOfText, !cursor.isBoundVariable(token),
      let (index, end) = try host.embeddedArgument(in: cursor.bytes, at: token.start)
    else { return nil }
    cursor.take(upTo: end)
    let term = try cursor.operandTerm(.argument(index), range: token.start..<end)
    guard let minus else { return term }
    return try cursor.operandTerm(
      .negation(try cursor.operand(of: term)), over: term.height, range: minus..<end)
  }

  private func parseNumber(
    _ token: PredicateCursor.Token, minus: Int?
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let (kind, end) = try cursor.number(at: token.start, isNegative: minus != nil)
    cursor.take(upTo: end)
    return try cursor.operandTerm(kind, range: (minus ?? token.start)..<end)
  }

  private func parsePunctuation(
    _ byte: UInt8, _ token: PredicateCursor.Token, isPattern: Bool
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    switch Unicode.Scalar(byte) {
    case "(": return try parseParenthesis(token)
    case "{": return try parseAggregate(token)
    case "'", "\"":
      let literal = try cursor.string(at: token.start, isPattern: isPattern && byte == 0x27)
      cursor.take(upTo: literal.end)
      for warning in literal.warnings { cursor.host?.warn(warning) }
      try checkQuotes(around: token.start..<literal.end)
      return try cursor.operandTerm(.string(literal.text), range: token.start..<literal.end)
    case "#":
      let name = try NameParser(cursor).key(token)
      return try cursor.operandTerm(.key(name, of: nil), range: token.start..<cursor.end)
    case "@":
      let name = try NameParser(cursor).collectionOperator(token)
      return try cursor.operandTerm(
        .collectionOperator(name, of: nil, right: []), range: token.start..<cursor.end)
    case "$": return try parseVariable(token)
    case "%":
      let (index, kind) = try NameParser(cursor).argument(token)
      let tree: OperandTree.Kind =
        kind == .keyPath ? .argumentKeyPath(index, of: nil) : .argument(index)
      return try cursor.operandTerm(tree, range: token.start..<cursor.end)
    default: throw cursor.unexpected(token, expected: .operand)
    }
  }

  /// Throws for a string that was ended by an apostrophe: `'JR's Pad'`.
  private func checkQuotes(around string: Range<Int>) throws(PredicateSyntaxError) {
    guard let end = cursor.endOfWord(at: string.upperBound),
      Keyword(cursor.text(string.upperBound..<end)) == nil
    else { return }
    let quote = cursor.bytes[string.lowerBound]
    var offset = end
    while let byte = cursor.byte(at: offset), byte != UInt8(ascii: "\n") {
      if byte == quote {
        throw PredicateSyntaxError(
          .quoteInString(Character(Unicode.Scalar(quote))),
          range: string.upperBound - 1..<string.upperBound)
      }
      offset += 1
    }
  }

  private func parseParenthesis(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let isValue = cursor.predicateStart != token.start
    cursor.take(token)
    var term = try cursor.bracketed(")") { () throws(PredicateSyntaxError) in
      let term = try CompoundParser(cursor, isValue: isValue).parse()
      let next = cursor.peek()
      if next.kind != .byte(UInt8(ascii: ")")), next.kind != .endOfText {
        // A value before other text needs a comparison.
        _ = try cursor.predicate(of: term)
      }
      return term
    }
    term.range = token.start..<cursor.end
    if case .operand(var tree) = term.content {
      tree.range = SourceRange(token.start, cursor.end)
      term.content = .operand(tree)
    }
    return term
  }

  private func parseAggregate(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(token)
    let (elements, height) = try cursor.bracketed("}", isList: true) {
      () throws(PredicateSyntaxError) in
      if cursor.peekOperand().kind == .byte(UInt8(ascii: "}")) {
        return ([OperandTree](), 0)
      }
      return try OperandParser(cursor).parseList()
    }
    return try cursor.operandTerm(
      .aggregate(elements), over: height, range: token.start..<cursor.end)
  }

  private func parseVariable(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let name = try NameParser(cursor).variable(token)
    let next = cursor.peek()
    guard next.kind == .byte(UInt8(ascii: ":")),
      cursor.byte(at: next.end) == UInt8(ascii: "=")
    else { return try cursor.operandTerm(.variable(name), range: token.start..<cursor.end) }
    cursor.take(upTo: next.end + 1)
    let value = try cursor.nested { () throws(PredicateSyntaxError) in
      try OperandParser(cursor).parse()
    }
    return try cursor.operandTerm(
      .assignment(name, try cursor.operand(of: value)), over: value.height,
      range: token.start..<cursor.end)
  }
}

/// Reads a value and the keys and indexes that follow it.
struct PathParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  /// Reads a value and the keys and indexes that follow it.
  ///
  /// A minus before it may belong to the number that follows.
  func parse(
    minus: Int? = nil
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    var term = try PrimaryParser(cursor).parse(minus: minus)
    // Whether the next key belongs to the right part of a collection operator.
    var isRightPart = false
    if case .operand(let tree) = term.content, case .collectionOperator = tree.kind,
      cursor.byte(at: term.range.lowerBound) == UInt8(ascii: "@")
    {
      isRightPart = true
    }
    while case .operand(let base) = term.content {
      let token = cursor.peek()
      if token.kind == .byte(UInt8(ascii: ".")),
        cursor.byte(at: token.end) != UInt8(ascii: ".")
      {
        cursor.take(token)
        term = try parseMember(of: base, term, isRightPart: &isRightPart)
      } else if token.kind == .byte(UInt8(ascii: "[")) {
        cursor.take(token)
        term = try parseIndex(of: base, term)
        isRightPart = false
      } else {
        break
      }
    }
    return term
  }

  private func parseMember(
    of base: OperandTree, _ term: PredicateTerm, isRightPart: inout Bool
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let token = cursor.peekOperand()
    let start = term.range.lowerBound
    switch token.kind {
    case .byte(UInt8(ascii: "@")):
      let name = try NameParser(cursor).collectionOperator(token)
      if isRightPart { return try extended(base, "@" + name, term) }
      isRightPart = true
      return try cursor.operandTerm(
        .collectionOperator(name, of: base, right: []), over: term.height,
        range: start..<cursor.end)
    case .byte(UInt8(ascii: "%")):
      let (index, kind) = try NameParser(cursor).argument(token)
      guard kind == .keyPath else { throw cursor.unexpected(token, expected: .key) }
      return try cursor.operandTerm(
        .argumentKeyPath(index, of: base), over: term.height, range: start..<cursor.end)
    case .byte(UInt8(ascii: "$")):
      let name = try NameParser(cursor).variable(token)
      return try cursor.operandTerm(
        .variableKeyPath(name, of: base), over: term.height, range: start..<cursor.end)
    default:
      let name = try NameParser(cursor).key(token)
      if isRightPart { return try extended(base, name, term) }
      return try cursor.operandTerm(
        .key(name, of: base), over: term.height, range: start..<cursor.end)
    }
  }

  /// Adds a key to the right part of a collection operator.
  private func extended(
    _ base: OperandTree, _ key: String, _ term: PredicateTerm
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    guard case .collectionOperator(let name, let collection, let right) = base.kind else {
      return term
    }
    let range = term.range.lowerBound..<cursor.end
    guard right.count < PredicateParser.maximumDepth else { throw cursor.tooDeep(range) }
    return try cursor.operandTerm(
      .collectionOperator(name, of: collection, right: right + [key]), over: term.height - 1,
      range: range)
  }

  private func parseIndex(
    of base: OperandTree, _ term: PredicateTerm
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let (index, height) = try cursor.bracketed("]") { () throws(PredicateSyntaxError) in
      try parseIndexContent()
    }
    return try cursor.operandTerm(
      .index(base, index), over: term.height, height,
      range: term.range.lowerBound..<cursor.end)
  }

  private func parseIndexContent() throws(PredicateSyntaxError) -> (
    OperandTree.Index, height: Int
  ) {
    let token = cursor.peekOperand()
    let named: OperandTree.Index? =
      switch cursor.keyword(token) {
      case .first: .first
      case .last: .last
      case .size: .size
      default: nil
      }
    if let named {
      let isAlone = cursor.take(token) { cursor.peek().kind == .byte(UInt8(ascii: "]")) }
      if isAlone { return (named, 0) }
    }
    let term = try OperandParser(cursor).parse()
    return (.at(try cursor.operand(of: term)), term.height)
  }
}
