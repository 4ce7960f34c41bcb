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

/// Reads names: keys, collection operators, variables and `%` arguments.
struct NameParser {
  let cursor: PredicateCursor

  init(_ cursor: PredicateCursor) { self.cursor = cursor }

  /// Reads a key: any word, or `#` and a word.
  func key(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> String {
    if token.kind == .word {
      cursor.take(token)
      return cursor.text(token.range)
    }
    guard token.kind == .byte(UInt8(ascii: "#")), let end = cursor.endOfWord(at: token.end)
    else { throw cursor.unexpected(token, expected: .key) }
    cursor.take(upTo: end)
    return cursor.text(token.end..<end)
  }

  /// Reads `@count`, and returns the name without `@`.
  func collectionOperator(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> String {
    guard let end = cursor.endOfWord(at: token.end) else {
      throw cursor.unexpected(token, expected: .collectionOperator)
    }
    let name = cursor.text(token.end..<end)
    guard CollectionOperator(rawValue: name) != nil else {
      let near = nearestName(
        to: name, among: CollectionOperator.allCases.map(\.rawValue))
      throw PredicateSyntaxError(
        .unknownCollectionOperator(name, suggestion: near), range: token.start..<end)
    }
    cursor.take(upTo: end)
    return name
  }

  /// Reads `$x`, and returns the name without `$`.
  func variable(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> String {
    guard token.kind == .byte(UInt8(ascii: "$")), let end = cursor.endOfWord(at: token.end)
    else { throw cursor.unexpected(token, expected: .variable) }
    cursor.take(upTo: end)
    return cursor.text(token.end..<end)
  }

  /// Reads `%@`, `%K` or a number such as `%5.2lf`.
  func argument(
    _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> (index: Int, kind: ParsedFormat.Kind) {
    var end = token.end
    while let byte = cursor.byte(at: end), "0123456789.hlqztjL".utf8.contains(byte) {
      end += 1
    }
    guard let letter = cursor.byte(at: end) else {
      throw PredicateSyntaxError(.unexpectedEnd(expected: .conversion), range: end..<end)
    }
    let range = token.start..<end + 1
    guard let kind = Self.conversion(letter) else {
      let shown = letter > 0x20 && letter < 0x7F ? range : token.start..<end
      throw PredicateSyntaxError(.unknownConversion(cursor.text(shown)), range: shown)
    }
    guard !cursor.isEmbedded else {
      throw PredicateSyntaxError(.argumentInScript(cursor.text(range)), range: range)
    }
    cursor.take(upTo: end + 1)
    return (cursor.add(ParsedFormat.Conversion(kind: kind, range: range)), kind)
  }

  private static func conversion(_ letter: UInt8) -> ParsedFormat.Kind? {
    switch Unicode.Scalar(letter) {
    case "@": .object
    case "K": .keyPath
    case "d", "D", "i", "u", "U", "x", "X", "o", "O", "p": .integer
    case "f", "F", "e", "E", "g", "G", "a", "A": .real
    case "c", "C": .character
    case "s", "S": .string
    default: nil
    }
  }
}

/// A reserved word.
///
/// The raw value is its upper-case form.
enum Keyword: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  case anyOf = "ANY"
  case someOf = "SOME"
  case allOf = "ALL"
  case noneOf = "NONE"
  case between = "BETWEEN"
  case `in` = "IN"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"
  case union = "UNION"
  case intersect = "INTERSECT"
  case minus = "MINUS"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case null = "NULL"
  case `nil` = "NIL"
  case `true` = "TRUE"
  case yes = "YES"
  case `false` = "FALSE"
  case no = "NO"
  case evaluatedObject = "SELF"
  case anyKey = "ANYKEY"
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"
  case subquery = "SUBQUERY"
  case cast = "CAST"
  case ternary = "TERNARY"
  case function = "FUNCTION"
  case caseInsensitive = "CASEINSENSITIVE"
  case ci = "CI"
  case fetch = "FETCH"

  /// Reads a word in any case.
  init?(_ word: String) {
    guard word.utf8.count <= 15, let keyword = Self(rawValue: word.uppercased()) else {
      return nil
    }
    self = keyword
  }

  /// The operator that the word names; nil for other words.
  var comparator: PredicateTree.Comparator? {
    PredicateTree.Comparator(rawValue: rawValue)
  }

  /// Whether the word on its own is a key.
  ///
  /// Models have attributes with such names, and the word has no other meaning there.
  var mayBeKey: Bool {
    switch self {
    case .first, .last, .size, .union, .intersect, .minus, .ternary, .function: true
    default: false
    }
  }

  /// Whether Apple reserves the word, so that a key with that name is printed with `#`.
  var isReserved: Bool {
    switch self {
    case .union, .intersect, .minus, .ternary, .function: false
    default: true
    }
  }
}

/// The functions of the format language.
///
/// A name is written with its colons: `multiply:by:(2, 3)`. If it has at most one, it may be
/// written without it: `sum(prices)`, `now()`.
package enum PredicateFunction {
  /// All names including colons, in the order of Apple's list.
  package static let names = [
    "average:", "sum:", "count:", "min:", "max:", "median:", "mode:", "stddev:", "add:to:",
    "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:", "sqrt:", "log:", "ln:",
    "raise:toPower:", "exp:", "floor:", "ceiling:", "abs:", "trunc:", "random", "random:",
    "randomn:", "now", "uppercase:", "lowercase:", "bitwiseAnd:with:", "bitwiseOr:with:",
    "bitwiseXor:with:", "leftshift:by:", "rightshift:by:", "onesComplement:", "noindex:",
    "canonical:", "distanceToLocation:fromLocation:", "castObject:toType:",
    "objectFrom:withIndex:",
  ]

  static let known = Set(names)

  /// The functions over a list that may also be written as several arguments: `max(1, 5, 10)`.
  static let variadic: Set = [
    "average:", "sum:", "count:", "min:", "max:", "median:", "mode:", "stddev:",
  ]
}
