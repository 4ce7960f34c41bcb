extension PredicateParser {
  private enum Joint {
    case and, or
  }

  /// Reads `a OR b OR …`, or a single term, which may be a value still.
  mutating func parseDisjunction() throws(PredicateSyntaxError) -> Term {
    try parseCompound(.or)
  }

  /// Reads parts with a joint between two of them: one flat node.
  private mutating func parseCompound(_ joint: Joint) throws(PredicateSyntaxError) -> Term {
    let first = try parsePart(of: joint)
    guard isJoint(scanner.peek(), joint) else { return first }
    var parts = [try predicate(of: first)]
    var height = first.height
    var end = first.range.upperBound
    while case let token = scanner.peek(), isJoint(token, joint) {
      scanner.take(token)
      let next = try parsePart(of: joint)
      if case .operand = next.content, let problem = lackOfList(in: parts.last) { throw problem }
      parts.append(try predicate(of: next))
      height = max(height, next.height)
      end = next.range.upperBound
    }
    return try predicateTerm(
      joint == .and ? .and(parts) : .or(parts), over: height,
      range: first.range.lowerBound..<end)
  }

  /// AND binds tighter than OR.
  private mutating func parsePart(of joint: Joint) throws(PredicateSyntaxError) -> Term {
    joint == .or ? try parseCompound(.and) : try parseNegation()
  }

  private func isJoint(_ token: PredicateScanner.Token, _ joint: Joint) -> Bool {
    switch joint {
    case .and: token.kind == .doubleAmpersand || keyword(token) == .and
    case .or: token.kind == .doubleBar || keyword(token) == .or
    }
  }

  func keyword(_ token: PredicateScanner.Token) -> Keyword? {
    guard token.kind == .word, token.end - token.start <= 15 else { return nil }
    return Keyword(scanner.text(token.range))
  }

  // MARK: One part

  private mutating func parseNegation() throws(PredicateSyntaxError) -> Term {
    let token = scanner.peekOperand()
    if token.kind == .relation {
      guard scanner.text(token.range).allSatisfy({ $0 == "!" }) else {
        throw unexpected(token, expected: .operand)
      }
      scanner.take(upTo: token.start + 1)
      return try parseNegated(from: token.start)
    }
    switch keyword(token) {
    case .not:
      scanner.take(token)
      return try parseNegated(from: token.start)
    case .truePredicate: return try parseConstant(true, token)
    case .falsePredicate: return try parseConstant(false, token)
    case .anyOf, .someOf: return try parseModified(.any, token)
    case .allOf: return try parseModified(.all, token)
    case .noneOf:
      let any = try parseModified(.any, token)
      return try predicateTerm(
        .not(try predicate(of: any)), over: any.height, range: any.range)
    default:
      let term = try parseComparison(modifier: nil)
      return try unfollowed(term)
    }
  }

  private mutating func parseNegated(from start: Int) throws(PredicateSyntaxError) -> Term {
    let part = try nested { (parser) throws(PredicateSyntaxError) in
      try parser.parseNegation()
    }
    let range = start..<part.range.upperBound
    return try predicateTerm(.not(try predicate(of: part)), over: part.height, range: range)
  }

  private mutating func parseConstant(
    _ value: Bool, _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> Term {
    scanner.take(token)
    let term = try predicateTerm(.constant(value), over: 0, range: token.range)
    return try unfollowed(term)
  }

  private mutating func parseModified(
    _ modifier: PredicateTree.Modifier, _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> Term {
    scanner.take(token)
    var term = try parseComparison(modifier: modifier)
    guard case .predicate(.comparison) = term.content else {
      throw PredicateSyntaxError(
        .expected(.comparison, found: .text(scanner.text(term.range))), range: term.range)
    }
    term.range = token.start..<term.range.upperBound
    return try unfollowed(term)
  }

  /// Checks that a predicate is not compared with something in its turn.
  private mutating func unfollowed(_ term: Term) throws(PredicateSyntaxError) -> Term {
    guard case .predicate = term.content else { return term }
    let next = scanner.peek()
    guard next.kind == .relation || keyword(next)?.comparator != nil else { return term }
    throw unexpected(next, expected: .logicalOperator)
  }
}
