import Basics

/// Reads a comparison of two values: its left side, its operator with options, its right side.
struct ComparisonParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  /// Reads `left operator right`, or a single term if no operator follows.
  func parse(
    modifier: PredicateTree.Modifier?
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let left = try OperandParser(cursor).parse()
    guard case .operand(let leftTree) = left.content else {
      if modifier != nil { throw PredicateSyntaxError(.predicateAsOperand, range: left.range) }
      return left
    }
    guard let (comparator, isNegated) = try parseComparator() else {
      // A comparison must follow directly after a modifier.
      if modifier != nil { _ = try cursor.predicate(of: left) }
      return left
    }
    let options = try OptionParser(cursor).parse(of: comparator)
    let right = try cursor.readPattern(comparator == .matches) { () throws(PredicateSyntaxError) in
      try OperandParser(cursor).parse()
    }
    try checkList(right, of: comparator)
    let range = left.range.lowerBound..<right.range.upperBound
    var comparison = PredicateTree.Comparison(
      modifier: modifier, left: leftTree, comparator: comparator, options: options,
      right: try cursor.operand(of: right), range: SourceRange(range.lowerBound, range.upperBound))
    comparison.spelling.isNotIn = isNegated
    let tree = PredicateTree.comparison(comparison)
    let height = max(left.height, right.height)
    guard isNegated else { return try cursor.predicateTerm(tree, over: height, range: range) }
    return try cursor.predicateTerm(.not(tree), over: height + 1, range: range)
  }

  /// Reads a comparison's operator; nil if there is none.
  ///
  /// - Returns: The operator, and whether it was `NOT IN`.
  private func parseComparator() throws(PredicateSyntaxError) -> (
    PredicateTree.Comparator, isNegated: Bool
  )? {
    let token = cursor.peek()
    if token.kind == .relation {
      let text = cursor.text(token.range)
      guard let comparator = Self.comparator(text) else {
        let near = nearestName(to: text, among: Self.relations)
        throw PredicateSyntaxError(.unknownOperator(text, suggestion: near), range: token.range)
      }
      cursor.take(token)
      return (comparator, false)
    }
    let keyword = cursor.keyword(token)
    if let comparator = keyword?.comparator {
      cursor.take(token)
      return (comparator, false)
    }
    guard keyword == .not else { return nil }
    var next = token
    let isNotIn = cursor.take(token) {
      next = cursor.peekOperand()
      return cursor.keyword(next) == .in
    }
    guard isNotIn else { return nil }
    cursor.take(next)
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

  /// Throws for `IN 1, 2`, unless the comma belongs to an open list.
  private func checkList(
    _ right: PredicateTerm, of comparator: PredicateTree.Comparator
  ) throws(PredicateSyntaxError) {
    guard comparator == .in || comparator == .between, !cursor.isInBracket,
      case .operand(let value) = right.content, value.isNumber,
      cursor.peek().kind == .byte(UInt8(ascii: ","))
    else { return }
    throw lackOfList(comparator, right.range)
  }

  /// Returns the error for `BETWEEN 1 AND 5`, if no comparison follows the AND.
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
      .needsList(operator: comparator.rawValue, found: cursor.text(range)), range: range)
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

/// Reads a value with its arithmetic and set operators.
struct OperandParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  /// A binary operator between values, with its precedence.
  private enum Operator {
    case arithmetic(OperandTree.ArithmeticOperator)
    case set(OperandTree.SetOperator)

    var level: Int {
      switch self {
      case .set: 0
      case .arithmetic(.bitAnd), .arithmetic(.bitOr), .arithmetic(.bitXor): 1
      case .arithmetic(.add), .arithmetic(.subtract): 2
      case .arithmetic(.multiply), .arithmetic(.divide): 3
      case .arithmetic(.power): 4
      }
    }
  }

  /// Reads a value with all operators of at least the given precedence.
  ///
  /// If a parenthesis contains a predicate, it is returned as it is.
  func parse(minimum: Int = 0) throws(PredicateSyntaxError) -> PredicateTerm {
    var left = try parseUnary()
    while case .operand(let leftTree) = left.content,
      case let token = cursor.peek(), let next = binaryOperator(token), next.level >= minimum
    {
      cursor.take(token)
      let level = if case .arithmetic(.power) = next { next.level } else { next.level + 1 }
      let right = try cursor.nested { () throws(PredicateSyntaxError) in
        try parse(minimum: level)
      }
      let rightTree = try cursor.operand(of: right)
      let kind: OperandTree.Kind =
        switch next {
        case .arithmetic(let sign): .arithmetic(leftTree, sign, rightTree)
        case .set(let sign): .setOperation(leftTree, sign, rightTree)
        }
      left = try cursor.operandTerm(
        kind, over: left.height, right.height,
        range: left.range.lowerBound..<right.range.upperBound)
    }
    return left
  }

  /// Reads one or more values with commas between them.
  func parseList() throws(PredicateSyntaxError) -> ([OperandTree], height: Int) {
    var operands: [OperandTree] = []
    var height = 0
    repeat {
      let term = try parse()
      operands.append(try cursor.operand(of: term))
      height = max(height, term.height)
    } while cursor.take(byte: UInt8(ascii: ","))
    return (operands, height)
  }

  private func binaryOperator(_ token: PredicateCursor.Token) -> Operator? {
    switch token.kind {
    case .doubleStar: .arithmetic(.power)
    case .byte(UInt8(ascii: "*")): .arithmetic(.multiply)
    case .byte(UInt8(ascii: "/")): .arithmetic(.divide)
    case .byte(UInt8(ascii: "+")): .arithmetic(.add)
    case .byte(UInt8(ascii: "-")): .arithmetic(.subtract)
    case .byte(UInt8(ascii: "&")): .arithmetic(.bitAnd)
    case .byte(UInt8(ascii: "|")): .arithmetic(.bitOr)
    case .byte(UInt8(ascii: "^")): .arithmetic(.bitXor)
    case .word:
      switch cursor.keyword(token) {
      case .union: .set(.union)
      case .intersect: .set(.intersect)
      case .minus: .set(.minus)
      default: nil
      }
    default: nil
    }
  }

  private func parseUnary() throws(PredicateSyntaxError) -> PredicateTerm {
    let token = cursor.peekOperand()
    guard token.kind == .byte(UInt8(ascii: "-")) else { return try PathParser(cursor).parse() }
    cursor.take(token)
    _ = cursor.takePatternMark()
    let next = cursor.peekOperand()
    if next.kind == .number {
      return try PathParser(cursor).parse(minus: token.start)
    }
    let part = try cursor.nested { () throws(PredicateSyntaxError) in try parseUnary() }
    return try cursor.operandTerm(
      .negation(try cursor.operand(of: part)), over: part.height,
      range: token.start..<part.range.upperBound)
  }
}
