/// The rule that decides whether a blank is between two tokens of a line.
struct BlankRule {
  let marks: SourceMarks

  /// Returns whether a blank is between a token and the next.
  ///
  /// - Parameter isHead: Whether the colon between them introduces an entity's parent.
  func hasBlank(
    between left: ScriptTokens.Piece, and right: ScriptTokens.Piece, isHead: Bool
  ) -> Bool {
    if let foreign = left.foreign, foreign == right.foreign {
      return left.range.upperBound < right.range.lowerBound
    }
    if marks.prefixSigns.contains(left.range.lowerBound) { return false }
    if case .punctuator(let sign) = right.kind, right.foreign == nil {
      if sign == .colon { return isHead }
      if sign.touchesTextBefore { return false }
      if marks.attachedBrackets.contains(right.range.lowerBound) { return false }
    }
    if case .punctuator(let sign) = left.kind, left.foreign == nil, sign.touchesTextAfter {
      return false
    }
    return true
  }
}

extension Punctuator {
  fileprivate var touchesTextBefore: Bool {
    switch self {
    case .rightParenthesis, .rightBracket, .comma, .colon, .semicolon, .dot, .question,
      .closedRange, .halfOpenRange:
      true
    case .leftParenthesis, .leftBracket, .leftBrace, .rightBrace, .at, .assign, .addAssign,
      .subtractAssign, .equal, .notEqual, .lessOrGreater, .less, .lessOrEqual, .equalOrLess,
      .greater, .greaterOrEqual, .equalOrGreater, .plus, .minus, .star, .slash, .percent, .not,
      .and, .or:
      false
    }
  }

  fileprivate var touchesTextAfter: Bool {
    switch self {
    case .leftParenthesis, .leftBracket, .dot, .at, .closedRange, .halfOpenRange: true
    case .rightParenthesis, .rightBracket, .leftBrace, .rightBrace, .comma, .colon, .semicolon,
      .question, .assign, .addAssign, .subtractAssign, .equal, .notEqual, .lessOrGreater, .less,
      .lessOrEqual, .equalOrLess, .greater, .greaterOrEqual, .equalOrGreater, .plus, .minus,
      .star, .slash, .percent, .not, .and, .or:
      false
    }
  }
}
