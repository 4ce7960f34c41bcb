/// Whether a blank stands between two tokens of a line.
struct BlankRule {
  let marks: SourceMarks

  /// Says whether a blank stands between a token and the next.
  ///
  /// `isHead` tells that the colon between them introduces an entity's parent.
  func hasBlank(
    between left: ScriptTokens.Piece, and right: ScriptTokens.Piece, isHead: Bool
  ) -> Bool {
    if let foreign = left.foreign, foreign == right.foreign {
      return left.range.upperBound < right.range.lowerBound
    }
    if marks.prefixSigns.contains(left.range.lowerBound) { return false }
    if case .punctuator(let sign) = right.kind, right.foreign == nil {
      switch sign {
      case .rightParenthesis, .rightBracket, .comma, .semicolon, .dot, .question, .closedRange,
        .halfOpenRange:
        return false
      case .colon: return isHead
      case .leftParenthesis, .leftBracket:
        if marks.attachedBrackets.contains(right.range.lowerBound) { return false }
      default: break
      }
    }
    if case .punctuator(let sign) = left.kind, left.foreign == nil {
      switch sign {
      case .leftParenthesis, .leftBracket, .dot, .at, .closedRange, .halfOpenRange: return false
      default: break
      }
    }
    return true
  }
}
