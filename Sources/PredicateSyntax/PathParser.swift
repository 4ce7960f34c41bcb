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
