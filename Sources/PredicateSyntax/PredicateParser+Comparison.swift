import NearNames

extension PredicateParser {
  /// Reads `left operator right`, or a single term where no operator follows.
  mutating func parseComparison(
    modifier: PredicateTree.Modifier?
  ) throws(PredicateSyntaxError) -> Term {
    let left = try parseOperand()
    guard case .operand(let leftTree) = left.content else {
      if modifier != nil { throw PredicateSyntaxError(.predicateAsOperand, range: left.range) }
      return left
    }
    guard let (comparator, isNegated) = try parseComparator() else {
      // A modifier wants its comparison here and now.
      if modifier != nil { _ = try predicate(of: left) }
      return left
    }
    let options = try parseOptions(of: comparator)
    expectsPattern = comparator == .matches
    let right = try parseOperand()
    expectsPattern = false
    try checkList(right, of: comparator)
    let range = left.range.lowerBound..<right.range.upperBound
    let tree = PredicateTree.comparison(
      PredicateTree.Comparison(
        modifier: modifier, left: leftTree, comparator: comparator, options: options,
        right: try operand(of: right), range: SourceRange(range.lowerBound, range.upperBound)))
    let height = max(left.height, right.height)
    guard isNegated else { return try predicateTerm(tree, over: height, range: range) }
    return try predicateTerm(.not(tree), over: height + 1, range: range)
  }

  /// Takes a comparison's operator; nil where none stands.
  ///
  /// - Returns: The operator, and whether it was `NOT IN`.
  private mutating func parseComparator() throws(PredicateSyntaxError) -> (
    PredicateTree.Comparator, isNegated: Bool
  )? {
    let token = scanner.peek()
    if token.kind == .relation {
      let text = scanner.text(token.range)
      guard let comparator = Self.comparator(text) else {
        let near = nearestName(to: text, among: Self.relations)
        throw PredicateSyntaxError(.unknownOperator(text, suggestion: near), range: token.range)
      }
      scanner.take(token)
      return (comparator, false)
    }
    let keyword = keyword(token)
    if let comparator = keyword?.comparator {
      scanner.take(token)
      return (comparator, false)
    }
    guard keyword == .not else { return nil }
    let beforeNot = scanner
    scanner.take(token)
    let next = scanner.peekOperand()
    guard self.keyword(next) == .in else {
      scanner = beforeNot
      return nil
    }
    scanner.take(next)
    return (.in, true)
  }

  private static let relations = ["!=", "==", "<", "<=", ">", ">=", "=", "<>", "=<", "=>"]

  private static func comparator(_ text: String) -> PredicateTree.Comparator? {
    switch text {
    case "=", "==": .equal
    case "!=", "<>": .notEqual
    case "<": .less
    case "<=", "=<": .lessOrEqual
    case ">": .greater
    case ">=", "=>": .greaterOrEqual
    default: nil
    }
  }

  // MARK: Lists

  /// Refuses `IN 1, 2` where no list is open that the comma could belong to.
  private mutating func checkList(
    _ right: Term, of comparator: PredicateTree.Comparator
  ) throws(PredicateSyntaxError) {
    guard comparator == .in || comparator == .between, scanner.openBrackets == 0,
      case .operand(let value) = right.content, value.isNumber,
      scanner.peek().kind == .byte(UInt8(ascii: ","))
    else { return }
    throw lackOfList(comparator, right.range)
  }

  /// The error for `BETWEEN 1 AND 5`, once no comparison follows the AND.
  func lackOfList(in part: PredicateTree?) -> PredicateSyntaxError? {
    guard case .comparison(let comparison) = part, comparison.comparator == .between else {
      return nil
    }
    switch comparison.right.kind {
    case .aggregate, .setOperation, .subquery: return nil
    case .null, .boolean, .integer, .real, .string, .evaluatedObject, .anyKey, .key,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .index, .function, .call, .cast, .ternary, .assignment:
      return lackOfList(.between, comparison.right.range.range)
    }
  }

  private func lackOfList(
    _ comparator: PredicateTree.Comparator, _ range: Range<Int>
  ) -> PredicateSyntaxError {
    PredicateSyntaxError(
      .needsList(operator: comparator.rawValue, found: scanner.text(range)), range: range)
  }

  // MARK: Options

  /// Reads `[cd]` behind an operator.
  ///
  /// Where a host may have lists in brackets, `IN [1, 2]` has no options: a
  /// bracket with other than option letters is options only where it follows
  /// the operator without a blank, and never for IN and BETWEEN.
  private mutating func parseOptions(
    of comparator: PredicateTree.Comparator
  ) throws(PredicateSyntaxError) -> PredicateTree.Options {
    let isAdjacent = scanner.byte(at: scanner.end) == UInt8(ascii: "[")
    let start = scanner.end
    let token = scanner.peekOperand()
    guard token.kind == .byte(UInt8(ascii: "[")) else { return [] }
    guard let (options, end) = try readOptions(at: token.end) else {
      if host != nil, !isAdjacent || comparator == .in || comparator == .between { return [] }
      throw optionError(at: token.end)
    }
    guard comparator != .between else {
      throw PredicateSyntaxError(.optionsNotAllowed("BETWEEN"), range: start..<end)
    }
    scanner.take(upTo: end)
    return options
  }

  /// Reads letters up to the closing bracket; nil where other things stand.
  private func readOptions(
    at start: Int
  ) throws(PredicateSyntaxError) -> (PredicateTree.Options, end: Int)? {
    var options: PredicateTree.Options = []
    var offset = start
    while let byte = scanner.byte(at: offset) {
      offset += 1
      switch Unicode.Scalar(byte) {
      case "c", "C": options.insert(.caseInsensitive)
      case "d", "D": options.insert(.diacriticInsensitive)
      case "n", "N": options.insert(.normalized)
      case "l", "L": options.insert(.locale)
      case "]" where !options.isEmpty: return (options, offset)
      case " ", "\t", "\n", "\r": continue
      default: return nil
      }
    }
    throw PredicateSyntaxError(
      .unexpectedEnd(expected: .symbol("]")), range: offset..<offset)
  }

  private func optionError(at start: Int) -> PredicateSyntaxError {
    var offset = start
    while let byte = scanner.byte(at: offset), "cdnlCDNL \t\n\r".utf8.contains(byte) { offset += 1 }
    guard offset < scanner.bytes.count else {
      return PredicateSyntaxError(
        .unexpectedEnd(expected: .symbol("]")), range: offset..<offset)
    }
    var end = offset + 1
    while let byte = scanner.byte(at: end), byte & 0xC0 == 0x80 { end += 1 }
    let text = scanner.text(offset..<end)
    if text == "]" {
      return PredicateSyntaxError(
        .expected(.option, found: .text(text)), range: offset..<end)
    }
    return PredicateSyntaxError(.unknownOption(text), range: offset..<end)
  }
}

extension OperandTree {
  fileprivate var isNumber: Bool {
    switch kind {
    case .integer, .real: true
    case .null, .boolean, .string, .aggregate, .evaluatedObject, .anyKey, .key,
      .collectionOperator, .variable, .argument, .argumentKeyPath, .variableKeyPath, .negation,
      .arithmetic, .setOperation, .index, .function, .call, .subquery, .cast, .ternary,
      .assignment:
      false
    }
  }
}
