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
