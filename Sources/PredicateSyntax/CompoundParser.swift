/// Reads AND, OR, NOT and their operands.
struct CompoundParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  private enum Joint {
    case and, or
  }

  /// Reads `a OR b OR …`, or a single term, which can still be a value.
  func parse() throws(PredicateSyntaxError) -> PredicateTerm {
    try parseCompound(.or)
  }

  /// Reads operands joined by one operator into a flat node.
  private func parseCompound(_ joint: Joint) throws(PredicateSyntaxError) -> PredicateTerm {
    let first = try parsePart(of: joint)
    guard isJoint(cursor.peek(), joint) else { return first }
    var parts = [try cursor.predicate(of: first)]
    var height = first.height
    var end = first.range.upperBound
    while case let token = cursor.peek(), isJoint(token, joint) {
      cursor.take(token)
      let next = try parsePart(of: joint)
      if case .operand = next.content,
        let problem = ComparisonParser(cursor).lackOfList(in: parts.last)
      {
        throw problem
      }
      parts.append(try cursor.predicate(of: next))
      height = max(height, next.height)
      end = next.range.upperBound
    }
    return try cursor.predicateTerm(
      joint == .and ? .and(parts) : .or(parts), over: height,
      range: first.range.lowerBound..<end)
  }

  /// Reads an operand.
  ///
  /// AND binds tighter than OR.
  private func parsePart(of joint: Joint) throws(PredicateSyntaxError) -> PredicateTerm {
    joint == .or ? try parseCompound(.and) : try parseNegation()
  }

  private func isJoint(_ token: PredicateCursor.Token, _ joint: Joint) -> Bool {
    switch joint {
    case .and: token.kind == .doubleAmpersand || cursor.keyword(token) == .and
    case .or: token.kind == .doubleBar || cursor.keyword(token) == .or
    }
  }

  // MARK: One part

  private func parseNegation() throws(PredicateSyntaxError) -> PredicateTerm {
    let token = cursor.peekOperand()
    if token.kind == .relation {
      guard cursor.text(token.range).allSatisfy({ $0 == "!" }) else {
        throw cursor.unexpected(token, expected: .operand)
      }
      cursor.take(upTo: token.start + 1)
      return try parseNegated(from: token.start)
    }
    switch cursor.keyword(token) {
    case .not:
      cursor.take(token)
      return try parseNegated(from: token.start)
    case .truePredicate: return try parseConstant(true, token)
    case .falsePredicate: return try parseConstant(false, token)
    case .anyOf, .someOf: return try parseModified(.any, token)
    case .allOf: return try parseModified(.all, token)
    case .noneOf:
      let any = try parseModified(.any, token)
      return try cursor.predicateTerm(
        .not(try cursor.predicate(of: any)), over: any.height, range: any.range)
    default:
      let term = try ComparisonParser(cursor).parse(modifier: nil)
      return try unfollowed(term)
    }
  }

  private func parseNegated(from start: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    let part = try cursor.nested { () throws(PredicateSyntaxError) in
      try parseNegation()
    }
    let range = start..<part.range.upperBound
    return try cursor.predicateTerm(
      .not(try cursor.predicate(of: part)), over: part.height, range: range)
  }

  private func parseConstant(
    _ value: Bool, _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(token)
    let term = try cursor.predicateTerm(.constant(value), over: 0, range: token.range)
    return try unfollowed(term)
  }

  private func parseModified(
    _ modifier: PredicateTree.Modifier, _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(token)
    var term = try ComparisonParser(cursor).parse(modifier: modifier)
    guard case .predicate(.comparison) = term.content else {
      throw PredicateSyntaxError(
        .expected(.comparison, found: .text(cursor.text(term.range))), range: term.range)
    }
    term.range = token.start..<term.range.upperBound
    return try unfollowed(term)
  }

  /// Checks that a predicate is not itself an operand of a comparison.
  private func unfollowed(_ term: PredicateTerm) throws(PredicateSyntaxError) -> PredicateTerm {
    guard case .predicate = term.content else { return term }
    let next = cursor.peek()
    guard next.kind == .relation || cursor.keyword(next)?.comparator != nil else { return term }
    throw cursor.unexpected(next, expected: .logicalOperator)
  }
}
