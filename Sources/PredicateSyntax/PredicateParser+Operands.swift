extension PredicateParser {
  /// A binary operator between values, with how tightly it binds.
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

  /// Reads a value with the operators that bind at least this tightly.
  ///
  /// Where a parenthesis holds a predicate, that is returned as it is.
  mutating func parseOperand(minimum: Int = 0) throws(PredicateSyntaxError) -> Term {
    var left = try parseUnary()
    while case .operand(let leftTree) = left.content,
      case let token = scanner.peek(), let next = binaryOperator(token), next.level >= minimum
    {
      scanner.take(token)
      let level = if case .arithmetic(.power) = next { next.level } else { next.level + 1 }
      let right = try nested { (parser) throws(PredicateSyntaxError) in
        try parser.parseOperand(minimum: level)
      }
      let rightTree = try operand(of: right)
      let kind: OperandTree.Kind =
        switch next {
        case .arithmetic(let sign): .arithmetic(leftTree, sign, rightTree)
        case .set(let sign): .setOperation(leftTree, sign, rightTree)
        }
      left = try operandTerm(
        kind, over: left.height, right.height,
        range: left.range.lowerBound..<right.range.upperBound)
    }
    return left
  }

  private func binaryOperator(_ token: PredicateScanner.Token) -> Operator? {
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
      switch keyword(token) {
      case .union: .set(.union)
      case .intersect: .set(.intersect)
      case .minus: .set(.minus)
      default: nil
      }
    default: nil
    }
  }

  private mutating func parseUnary() throws(PredicateSyntaxError) -> Term {
    let token = scanner.peekOperand()
    guard token.kind == .byte(UInt8(ascii: "-")) else { return try parsePostfix() }
    scanner.take(token)
    expectsPattern = false
    let next = scanner.peekOperand()
    if next.kind == .number {
      return try parsePostfix(minus: token.start)
    }
    let part = try nested { (parser) throws(PredicateSyntaxError) in try parser.parseUnary() }
    return try operandTerm(
      .negation(try operand(of: part)), over: part.height,
      range: token.start..<part.range.upperBound)
  }

  // MARK: Behind a value

  /// Reads a value and the keys and indexes behind it.
  ///
  /// A minus may stand before it that belongs to the number next.
  private mutating func parsePostfix(
    minus: Int? = nil
  ) throws(PredicateSyntaxError) -> Term {
    var term = try parsePrimary(minus: minus)
    // Whether a key now belongs to the right part of a collection operator.
    var isRightPart = false
    if case .operand(let tree) = term.content, case .collectionOperator = tree.kind,
      scanner.byte(at: term.range.lowerBound) == UInt8(ascii: "@")
    {
      isRightPart = true
    }
    while case .operand(let base) = term.content {
      let token = scanner.peek()
      if token.kind == .byte(UInt8(ascii: ".")),
        scanner.byte(at: token.end) != UInt8(ascii: ".")
      {
        scanner.take(token)
        term = try parseMember(of: base, term, isRightPart: &isRightPart)
      } else if token.kind == .byte(UInt8(ascii: "[")) {
        scanner.take(token)
        term = try parseIndex(of: base, term)
        isRightPart = false
      } else {
        break
      }
    }
    return term
  }

  private mutating func parseMember(
    of base: OperandTree, _ term: Term, isRightPart: inout Bool
  ) throws(PredicateSyntaxError) -> Term {
    let token = scanner.peekOperand()
    let start = term.range.lowerBound
    switch token.kind {
    case .byte(UInt8(ascii: "@")):
      let name = try parseCollectionOperator(token)
      if isRightPart { return try extended(base, "@" + name, term) }
      isRightPart = true
      return try operandTerm(
        .collectionOperator(name, of: base, right: []), over: term.height,
        range: start..<scanner.end)
    case .byte(UInt8(ascii: "%")):
      let (index, kind) = try parseConversion(token)
      guard kind == .keyPath else { throw unexpected(token, expected: .key) }
      return try operandTerm(
        .argumentKeyPath(index, of: base), over: term.height, range: start..<scanner.end)
    case .byte(UInt8(ascii: "$")):
      let name = try parseVariableName(token)
      return try operandTerm(
        .variableKeyPath(name, of: base), over: term.height, range: start..<scanner.end)
    default:
      let name = try parseKey(token)
      if isRightPart { return try extended(base, name, term) }
      return try operandTerm(
        .key(name, of: base), over: term.height, range: start..<scanner.end)
    }
  }

  /// Adds a key to the right part of a collection operator.
  private func extended(
    _ base: OperandTree, _ key: String, _ term: Term
  ) throws(PredicateSyntaxError) -> Term {
    guard case .collectionOperator(let name, let collection, let right) = base.kind else {
      return term
    }
    let range = term.range.lowerBound..<scanner.end
    guard right.count < Self.maximumDepth else { throw tooDeep(range) }
    return try operandTerm(
      .collectionOperator(name, of: collection, right: right + [key]), over: term.height - 1,
      range: range)
  }

  private mutating func parseIndex(
    of base: OperandTree, _ term: Term
  ) throws(PredicateSyntaxError) -> Term {
    let (index, height) = try bracketed("]") { (parser) throws(PredicateSyntaxError) in
      try parser.parseIndexContent()
    }
    return try operandTerm(
      .index(base, index), over: term.height, height,
      range: term.range.lowerBound..<scanner.end)
  }

  private mutating func parseIndexContent() throws(PredicateSyntaxError) -> (
    OperandTree.Index, height: Int
  ) {
    let token = scanner.peekOperand()
    let named: OperandTree.Index? =
      switch keyword(token) {
      case .first: .first
      case .last: .last
      case .size: .size
      default: nil
      }
    if let named {
      let beforeWord = scanner
      scanner.take(token)
      if scanner.peek().kind == .byte(UInt8(ascii: "]")) { return (named, 0) }
      scanner = beforeWord
    }
    let term = try parseOperand()
    return (.at(try operand(of: term)), term.height)
  }
}
