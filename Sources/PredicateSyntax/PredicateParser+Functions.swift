import NearNames

extension PredicateParser {
  /// Reads what begins with a word: a constant, a function, or a key.
  mutating func parseWord(
    _ token: PredicateScanner.Token
  ) throws(PredicateSyntaxError) -> Term {
    let keyword = keyword(token)
    if let constant = Self.constant(keyword, as: scanner.text(token.range)) {
      scanner.take(token)
      return try operandTerm(constant, range: token.range)
    }
    let call = selector(at: token)
    if let keyword, let call, call.name.utf8.count == token.end - token.start {
      switch keyword {
      case .subquery: return try parseSubquery(token, open: call.open)
      case .cast: return try parseCast(token, open: call.open)
      case .ternary: return try parseTernary(token, open: call.open)
      case .function: return try parseCall(token, open: call.open)
      default: break
      }
    }
    if let keyword, !keyword.mayBeKey {
      throw PredicateSyntaxError(
        .reservedWord(scanner.text(token.range)), range: token.range)
    }
    if let call { return try parseFunction(call.name, token, open: call.open) }
    scanner.take(token)
    return try operandTerm(.key(scanner.text(token.range), of: nil), range: token.range)
  }

  private static func constant(_ keyword: Keyword?, as word: String) -> OperandTree.Kind? {
    switch keyword {
    case .null, .nil: .null
    case .true, .yes: .boolean(true, word: word)
    case .false, .no: .boolean(false, word: word)
    case .evaluatedObject: .evaluatedObject
    case .anyKey: .anyKey
    default: nil
    }
  }

  /// A name that a parenthesis follows, with its colons: `multiply:by:(`.
  ///
  /// - Returns: The name, and where the parenthesis opens; nil for a key.
  private func selector(
    at token: PredicateScanner.Token
  ) -> (name: String, open: Int)? {
    var end = token.end
    while scanner.byte(at: end) == UInt8(ascii: ":") {
      end = scanner.endOfWord(at: end + 1) ?? end + 1
    }
    var open = end
    while let byte = scanner.byte(at: open), PredicateScanner.isBlank(byte) { open += 1 }
    guard scanner.byte(at: open) == UInt8(ascii: "(") else { return nil }
    return (scanner.text(token.start..<end), open)
  }

  // MARK: Functions by name

  private mutating func parseFunction(
    _ name: String, _ token: PredicateScanner.Token, open: Int
  ) throws(PredicateSyntaxError) -> Term {
    let nameRange = token.start..<token.start + name.utf8.count
    try checkFunction(name, open: open, range: nameRange)
    scanner.take(upTo: open + 1)
    let (arguments, height) = try bracketed(")", isList: true) {
      (parser) throws(PredicateSyntaxError) in
      if parser.scanner.peekOperand().kind == .byte(UInt8(ascii: ")")) {
        return ([OperandTree](), 0)
      }
      return try parser.parseOperands()
    }
    let function = try knownFunction(name, arguments: arguments.count, range: nameRange)
    return try operandTerm(
      .function(function, arguments), over: height, range: token.start..<scanner.end)
  }

  /// Refuses a name that no function has, whatever its arguments.
  private func checkFunction(
    _ name: String, open: Int, range: Range<Int>
  ) throws(PredicateSyntaxError) {
    let known = PredicateFunction.known
    if known.contains(name) || known.contains(name + ":") { return }
    var first = open + 1
    while let byte = scanner.byte(at: first), PredicateScanner.isBlank(byte) { first += 1 }
    let isWhole = name.hasSuffix(":") || scanner.byte(at: first) == UInt8(ascii: ")")
    let full = isWhole ? name : name + ":"
    let near = nearestName(to: full, among: PredicateFunction.names)
    throw PredicateSyntaxError(.unknownFunction(full, suggestion: near), range: range)
  }

  /// Finds the function of a known name, which may lack its last colon, and
  /// checks the number of its arguments.
  private func knownFunction(
    _ name: String, arguments: Int, range: Range<Int>
  ) throws(PredicateSyntaxError) -> String {
    let full = arguments > 0 && !name.hasSuffix(":") ? name + ":" : name
    let known = PredicateFunction.known
    let function = [full, name].first(where: known.contains) ?? name + ":"
    let expected = function.utf8.count { $0 == UInt8(ascii: ":") }
    let isVariadic = PredicateFunction.variadic.contains(function)
    guard arguments == expected || (isVariadic && arguments > 0) else {
      throw PredicateSyntaxError(
        .wrongArgumentCount(function: function, expected: expected, found: arguments),
        range: range)
    }
    return function
  }

  // MARK: Forms of their own

  private mutating func parseSubquery(
    _ token: PredicateScanner.Token, open: Int
  ) throws(PredicateSyntaxError) -> Term {
    scanner.take(upTo: open + 1)
    let (kind, height) = try bracketed(")") { (parser) throws(PredicateSyntaxError) in
      let collection = try parser.parseOperand()
      let tree = try parser.operand(of: collection)
      try parser.takeComma(in: token, behind: 1, of: 3)
      let variable = try parser.parseVariableName(parser.scanner.peekOperand())
      try parser.takeComma(in: token, behind: 2, of: 3)
      parser.subqueryVariables.append(variable)
      let condition = try parser.parseDisjunction()
      parser.subqueryVariables.removeLast()
      let predicate = try parser.predicate(of: condition)
      return (
        OperandTree.Kind.subquery(tree, variable: variable, predicate),
        max(collection.height, condition.height)
      )
    }
    return try operandTerm(kind, over: height, range: token.start..<scanner.end)
  }

  private mutating func parseCast(
    _ token: PredicateScanner.Token, open: Int
  ) throws(PredicateSyntaxError) -> Term {
    scanner.take(upTo: open + 1)
    let (kind, height) = try bracketed(")") { (parser) throws(PredicateSyntaxError) in
      let value = try parser.parseOperand()
      let tree = parser.asWritten(try parser.operand(of: value))
      try parser.takeComma(in: token, behind: 1, of: 2)
      let type = try parser.parseOperand()
      let typeTree = try parser.operand(of: type)
      return (OperandTree.Kind.cast(tree, to: typeTree), max(value.height, type.height))
    }
    return try operandTerm(kind, over: height, range: token.start..<scanner.end)
  }

  /// A number with all the digits that it was written with: a date's seconds
  /// print with six behind the point, as Apple prints them.
  private func asWritten(_ tree: OperandTree) -> OperandTree {
    guard case .real(let value, _) = tree.kind,
      case let text = scanner.text(tree.range.range), Double(text) == value
    else { return tree }
    return OperandTree(.real(value, text: text), range: tree.range)
  }

  private mutating func parseTernary(
    _ token: PredicateScanner.Token, open: Int
  ) throws(PredicateSyntaxError) -> Term {
    scanner.take(upTo: open + 1)
    let (kind, height) = try bracketed(")") { (parser) throws(PredicateSyntaxError) in
      let condition = try parser.parseDisjunction()
      let predicate = try parser.predicate(of: condition)
      try parser.takeComma(in: token, behind: 1, of: 3)
      let positive = try parser.parseOperand()
      let positiveTree = try parser.operand(of: positive)
      try parser.takeComma(in: token, behind: 2, of: 3)
      let negative = try parser.parseOperand()
      let negativeTree = try parser.operand(of: negative)
      return (
        OperandTree.Kind.ternary(predicate, positiveTree, negativeTree),
        max(condition.height, positive.height, negative.height)
      )
    }
    return try operandTerm(kind, over: height, range: token.start..<scanner.end)
  }

  /// Reads `FUNCTION(operand, 'selector:', …)`.
  private mutating func parseCall(
    _ token: PredicateScanner.Token, open: Int
  ) throws(PredicateSyntaxError) -> Term {
    scanner.take(upTo: open + 1)
    let (kind, height) = try bracketed(")", isList: true) { (parser) throws(PredicateSyntaxError) in
      let (operands, height) = try parser.parseOperands()
      guard operands.count > 1 else { throw parser.missingComma(in: token, behind: 1, of: 2) }
      let arguments = Array(operands.dropFirst(2))
      return (OperandTree.Kind.call(operands[0], selector: operands[1], arguments), height)
    }
    return try operandTerm(kind, over: height, range: token.start..<scanner.end)
  }

  /// Takes the comma behind so many arguments of a form.
  private mutating func takeComma(
    in word: PredicateScanner.Token, behind found: Int, of count: Int
  ) throws(PredicateSyntaxError) {
    guard scanner.take(byte: UInt8(ascii: ",")) else {
      throw missingComma(in: word, behind: found, of: count)
    }
  }

  /// The error where no comma follows: a form that is closed has too few
  /// arguments.
  private mutating func missingComma(
    in word: PredicateScanner.Token, behind found: Int, of count: Int
  ) -> PredicateSyntaxError {
    let next = scanner.peek()
    guard next.kind == .byte(UInt8(ascii: ")")) else {
      return unexpected(next, expected: .symbol(","))
    }
    let name = scanner.text(word.range)
    return PredicateSyntaxError(
      .wrongArgumentCount(function: name, expected: count, found: found), range: word.range)
  }
}
