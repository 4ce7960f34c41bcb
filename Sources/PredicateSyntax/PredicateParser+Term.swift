import NearNames

extension PredicateParser {
  /// What was read where a predicate or a value may stand.
  struct Term {
    var content: Content
    /// How high its tree is.
    var height: Int
    /// Its text, parentheses included.
    var range: Range<Int>
  }

  enum Content {
    case predicate(PredicateTree)
    case operand(OperandTree)
  }

  /// Makes a value's term over parts of these heights.
  func operandTerm(
    _ kind: OperandTree.Kind, over heights: Int..., range: Range<Int>
  ) throws(PredicateSyntaxError) -> Term {
    let height = (heights.max() ?? 0) + 1
    guard height <= Self.maximumDepth else { throw tooDeep(range) }
    let tree = OperandTree(kind, range: SourceRange(range.lowerBound, range.upperBound))
    return Term(content: .operand(tree), height: height, range: range)
  }

  /// Makes a predicate's term over parts of these heights.
  func predicateTerm(
    _ tree: PredicateTree, over height: Int, range: Range<Int>
  ) throws(PredicateSyntaxError) -> Term {
    guard height < Self.maximumDepth else { throw tooDeep(range) }
    return Term(content: .predicate(tree), height: height + 1, range: range)
  }

  /// The value that a term is, where only a value may stand.
  func operand(of term: Term) throws(PredicateSyntaxError) -> OperandTree {
    guard case .operand(let operand) = term.content else {
      throw PredicateSyntaxError(.predicateAsOperand, range: term.range)
    }
    return operand
  }

  /// The predicate that a term is, where only a predicate may stand.
  mutating func predicate(of term: Term) throws(PredicateSyntaxError) -> PredicateTree {
    switch term.content {
    case .predicate(let predicate): return predicate
    case .operand: throw missingComparison(behind: term)
    }
  }

  /// The error for a value that no comparison follows.
  private mutating func missingComparison(behind term: Term) -> PredicateSyntaxError {
    let next = scanner.peek()
    if next.kind == .word, case let word = scanner.text(next.range),
      let near = word.uppercased() == "IS"
        ? "==" : nearestName(to: word, among: Self.wordOperators)
    {
      return PredicateSyntaxError(.unknownOperator(word, suggestion: near), range: next.range)
    }
    let found = found(next)
    let kind = PredicateSyntaxError.Kind.missingComparison(
      operand: scanner.text(term.range), found: found)
    if case .text = found { return PredicateSyntaxError(kind, range: next.range) }
    return PredicateSyntaxError(kind, range: term.range)
  }

  private static let wordOperators = Keyword.allCases.filter { $0.comparator != nil }
    .map(\.rawValue)
}
