import Basics

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
