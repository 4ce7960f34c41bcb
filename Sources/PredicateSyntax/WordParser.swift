import Basics

/// Reads what begins with a word: a constant, a function, or a key.
struct WordParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  /// Reads what begins with a word: a constant, a function, or a key.
  func parse(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let keyword = cursor.keyword(token)
    if let constant = Self.constant(keyword, as: cursor.text(token.range)) {
      cursor.take(token)
      return try cursor.operandTerm(constant, range: token.range)
    }
    let call = selector(at: token)
    if let keyword, let call, call.name.utf8.count == token.end - token.start {
      switch keyword {
      case .subquery: return try FormParser(cursor, word: token).subquery(open: call.open)
      case .cast: return try FormParser(cursor, word: token).cast(open: call.open)
      case .ternary: return try FormParser(cursor, word: token).ternary(open: call.open)
      case .function: return try FormParser(cursor, word: token).call(open: call.open)
      default: break
      }
    }
    if let keyword, !keyword.mayBeKey {
      throw PredicateSyntaxError(
        .reservedWord(cursor.text(token.range)), range: token.range)
    }
    if let call { return try parseFunction(call.name, token, open: call.open) }
    cursor.take(token)
    return try cursor.operandTerm(.key(cursor.text(token.range), of: nil), range: token.range)
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

  /// Returns a name before a parenthesis, including its colons: `multiply:by:(`.
  ///
  /// - Returns: The name, and where the parenthesis opens; nil for a key.
  private func selector(
    at token: PredicateCursor.Token
  ) -> (name: String, open: Int)? {
    var end = token.end
    while cursor.byte(at: end) == UInt8(ascii: ":") {
      end = cursor.endOfWord(at: end + 1) ?? end + 1
    }
    var open = end
    while let byte = cursor.byte(at: open), PredicateScanner.isBlank(byte) { open += 1 }
    guard cursor.byte(at: open) == UInt8(ascii: "(") else { return nil }
    return (cursor.text(token.start..<end), open)
  }

  // MARK: Functions by name

  private func parseFunction(
    _ name: String, _ token: PredicateCursor.Token, open: Int
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    let nameRange = token.start..<token.start + name.utf8.count
    try checkFunction(name, open: open, range: nameRange)
    cursor.take(upTo: open + 1)
    let (arguments, height) = try cursor.bracketed(")", isList: true) {
      () throws(PredicateSyntaxError) in
      if cursor.peekOperand().kind == .byte(UInt8(ascii: ")")) {
        return ([OperandTree](), 0)
      }
      return try OperandParser(cursor).parseList()
    }
    let function = try knownFunction(name, arguments: arguments.count, range: nameRange)
    return try cursor.operandTerm(
      .function(function, arguments), over: height, range: token.start..<cursor.end)
  }

  /// Throws for a name that no function has, whatever its arguments.
  private func checkFunction(
    _ name: String, open: Int, range: Range<Int>
  ) throws(PredicateSyntaxError) {
    let known = PredicateFunction.known
    if known.contains(name) || known.contains(name + ":") { return }
    var first = open + 1
    while let byte = cursor.byte(at: first), PredicateScanner.isBlank(byte) { first += 1 }
    let isWhole = name.hasSuffix(":") || cursor.byte(at: first) == UInt8(ascii: ")")
    let full = isWhole ? name : name + ":"
    let near = nearestName(to: full, among: PredicateFunction.names)
    throw PredicateSyntaxError(.unknownFunction(full, suggestion: near), range: range)
  }

  /// Finds the function with a known name, which may lack its last colon, and checks the number of
  /// arguments.
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
}
