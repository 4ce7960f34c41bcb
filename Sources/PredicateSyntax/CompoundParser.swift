/// Reads predicates by recursive descent.
///
/// A parenthesis is read only once, whether it contains a predicate or a value, so the time is
/// linear in the length of the text. The nesting of brackets and of the resulting tree is limited
/// to ``maximumDepth`` levels, so that code may walk a tree recursively.
///
/// Apple's grammar leaves some choices open. Here `**` groups from the right. `&`, `
/// ` and `^` bind weaker than `+` and stronger than UNION, INTERSECT and MINUS, and each groups
/// from the left. A minus before a number belongs to the number. `x NOT IN y` means `NOT x IN y`,
/// and NONE means NOT ANY.
package enum PredicateParser {
  /// How deep parentheses and operators may nest.
  package static let maximumDepth = 200

  /// Parses a format string.
  ///
  /// Its `%` arguments are numbered in order.
  package static func parse(
    format: String
  ) throws(PredicateSyntaxError) -> PredicateTree {
    try parseFormat(format).tree
  }

  /// Parses a format string, and also returns the arguments that it needs.
  package static func parseFormat(
    _ format: String
  ) throws(PredicateSyntaxError) -> ParsedFormat {
    let scanner = PredicateScanner(Array(format.utf8), isEmbedded: false)
    let cursor = PredicateCursor(scanner, host: nil)
    let tree = try wholePredicate(cursor)
    let rest = cursor.peek()
    guard rest.kind == .endOfText else {
      throw cursor.unexpected(rest, expected: .logicalOperator)
    }
    return ParsedFormat(tree: tree, conversions: cursor.conversions)
  }

  /// Parses the predicate that begins at `offset` in a script.
  ///
  /// It ends before the first token that cannot continue it: a clause word, `{`, `;`, a bracket
  /// that was opened outside, or the end of a line. A line end counts as a blank in some places:
  /// inside brackets, and after an operator, AND, OR, NOT or `\`. It also does if the next line
  /// begins with AND, OR, `&&` or `||`; blank lines and comments between are skipped.
  ///
  /// - Parameters:
  ///   - source: The script in UTF-8. Ranges count from its start.
  ///   - offset: Where the predicate begins, in bytes.
  ///   - host: Is asked first wherever a value begins.
  /// - Returns: The tree, and where its last token ends.
  /// - Throws: The first error. If only the rest is missing at the end of the source, it is
  ///   ``PredicateSyntaxError/Kind/isUnfinished``.
  package static func parseEmbedded(
    in source: [UInt8], from offset: Int, host: (any PredicateHost)? = nil
  ) throws(PredicateSyntaxError) -> (predicate: PredicateTree, end: Int) {
    let scanner = PredicateScanner(source, from: offset, isEmbedded: true)
    let cursor = PredicateCursor(scanner, host: host)
    let tree = try wholePredicate(cursor)
    return (tree, cursor.end)
  }

  private static func wholePredicate(
    _ cursor: PredicateCursor
  ) throws(PredicateSyntaxError) -> PredicateTree {
    let term = try CompoundParser(cursor).parse()
    return try cursor.predicate(of: term)
  }
}

/// Reads AND, OR, NOT and their operands.
struct CompoundParser {
  let cursor: PredicateCursor
  /// Whether only a value can be here, in parentheses.
  let isValue: Bool

  init(_ cursor: PredicateCursor, isValue: Bool = false) {
    self.cursor = cursor
    self.isValue = isValue
  }

  private enum Joint {
    case and, or
  }

  /// Reads `a OR b OR …`, or a single term, which can still be a value.
  func parse() throws(PredicateSyntaxError) -> PredicateTerm {
    try parseCompound(.or)
  }

  /// Reads operands joined by one operator into a flat node.
  private func parseCompound(_ joint: Joint) throws(PredicateSyntaxError) -> PredicateTerm {
    let first = try parsePart(of: joint)
    guard isJoint(cursor.peek(), joint) else { return first }
    var parts = [try cursor.predicate(of: first)]
    var height = first.height
    var end = first.range.upperBound
    while case let token = cursor.peek(), isJoint(token, joint) {
      cursor.take(token)
      let next = try parsePart(of: joint)
      if case .operand = next.content,
        let problem = ComparisonParser(cursor).lackOfList(in: parts.last)
      {
        throw problem
      }
      parts.append(try cursor.predicate(of: next))
      height = max(height, next.height)
      end = next.range.upperBound
    }
    return try cursor.predicateTerm(
      joint == .and ? .and(parts) : .or(parts), over: height,
      range: first.range.lowerBound..<end)
  }

  /// Reads an operand.
  ///
  /// AND binds tighter than OR.
  private func parsePart(of joint: Joint) throws(PredicateSyntaxError) -> PredicateTerm {
    joint == .or ? try parseCompound(.and) : try parseNegation()
  }

  private func isJoint(_ token: PredicateCursor.Token, _ joint: Joint) -> Bool {
    switch joint {
    case .and: token.kind == .doubleAmpersand || cursor.keyword(token) == .and
    case .or: token.kind == .doubleBar || cursor.keyword(token) == .or
    }
  }

  // MARK: One part

  private func parseNegation() throws(PredicateSyntaxError) -> PredicateTerm {
    let token = cursor.peekOperand()
    if !isValue { cursor.notePredicate(at: token.start) }
    if token.kind == .relation {
      guard cursor.text(token.range).allSatisfy({ $0 == "!" }) else {
        throw cursor.unexpected(token, expected: .operand)
      }
      cursor.take(upTo: token.start + 1)
      return try parseNegated(from: token.start)
    }
    switch cursor.keyword(token) {
    case .not:
      cursor.take(token)
      return try parseNegated(from: token.start)
    case .truePredicate: return try parseConstant(true, token)
    case .falsePredicate: return try parseConstant(false, token)
    case .anyOf, .someOf: return try parseModified(.any, token)
    case .allOf: return try parseModified(.all, token)
    case .noneOf:
      let any = try parseModified(.any, token)
      return try cursor.predicateTerm(
        .not(try cursor.predicate(of: any)), over: any.height, range: any.range)
    default:
      let term = try ComparisonParser(cursor).parse(modifier: nil)
      return try unfollowed(term)
    }
  }

  private func parseNegated(from start: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    let part = try cursor.nested { () throws(PredicateSyntaxError) in
      try parseNegation()
    }
    let range = start..<part.range.upperBound
    return try cursor.predicateTerm(
      .not(try cursor.predicate(of: part)), over: part.height, range: range)
  }

  private func parseConstant(
    _ value: Bool, _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(token)
    let term = try cursor.predicateTerm(.constant(value), over: 0, range: token.range)
    return try unfollowed(term)
  }

  private func parseModified(
    _ modifier: PredicateTree.Modifier, _ token: PredicateCursor.Token
  ) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(token)
    var term = try ComparisonParser(cursor).parse(modifier: modifier)
    guard case .predicate(.comparison) = term.content else {
      throw PredicateSyntaxError(
        .expected(.comparison, found: .text(cursor.text(term.range))), range: term.range)
    }
    term.range = token.start..<term.range.upperBound
    return try unfollowed(term)
  }

  /// Checks that a predicate is not itself an operand of a comparison.
  private func unfollowed(_ term: PredicateTerm) throws(PredicateSyntaxError) -> PredicateTerm {
    guard case .predicate = term.content else { return term }
    let next = cursor.peek()
    guard next.kind == .relation || cursor.keyword(next)?.comparator != nil else { return term }
    throw cursor.unexpected(next, expected: .logicalOperator)
  }
}

/// A parsed format string, with the arguments that it needs.
package struct ParsedFormat: Equatable, Sendable {
  package var tree: PredicateTree
  /// The conversions in the order of the text, one for each `%`.
  ///
  /// The first one is argument 0.
  package var conversions: [Conversion]

  /// A placeholder for an argument: `%@`, `%K`, or a number such as `%d`.
  package struct Conversion: Equatable, Sendable {
    package var kind: Kind
    /// Its range, in UTF-8 bytes.
    package var range: Range<Int>
  }

  package enum Kind: Equatable, Sendable {
    /// `%@`
    case object
    /// `%K`
    case keyPath
    /// `%d`, `%lu`, `%x`, …
    case integer
    /// `%f`, `%g`, …
    case real
    /// `%c` and `%C`
    case character
    /// `%s` and `%S`
    case string
  }
}

/// Reads SUBQUERY, CAST, TERNARY and FUNCTION, which look like functions but have their own syntax.
struct FormParser {
  let cursor: PredicateCursor
  /// The form's name.
  let word: PredicateCursor.Token

  init(_ cursor: PredicateCursor, word: PredicateCursor.Token) {
    self.cursor = cursor
    self.word = word
  }

  func subquery(open: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(upTo: open + 1)
    let (kind, height) = try cursor.bracketed(")") { () throws(PredicateSyntaxError) in
      let collection = try OperandParser(cursor).parse()
      let tree = try cursor.operand(of: collection)
      try takeComma(after: 1, of: 3)
      let variable = try NameParser(cursor).variable(cursor.peekOperand())
      try takeComma(after: 2, of: 3)
      let condition = try cursor.binding(variable) { () throws(PredicateSyntaxError) in
        try CompoundParser(cursor).parse()
      }
      let predicate = try cursor.predicate(of: condition)
      return (
        OperandTree.Kind.subquery(tree, variable: variable, predicate),
        max(collection.height, condition.height)
      )
    }
    return try cursor.operandTerm(kind, over: height, range: word.start..<cursor.end)
  }

  func cast(open: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(upTo: open + 1)
    let (kind, height) = try cursor.bracketed(")") { () throws(PredicateSyntaxError) in
      let value = try OperandParser(cursor).parse()
      let tree = asWritten(try cursor.operand(of: value))
      try takeComma(after: 1, of: 2)
      let type = try OperandParser(cursor).parse()
      let typeTree = try cursor.operand(of: type)
      return (OperandTree.Kind.cast(tree, to: typeTree), max(value.height, type.height))
    }
    return try cursor.operandTerm(kind, over: height, range: word.start..<cursor.end)
  }

  /// Returns a number with all its written digits.
  ///
  /// A date's seconds have six digits after the decimal point, as Apple prints them.
  private func asWritten(_ tree: OperandTree) -> OperandTree {
    guard case .real(let value, _) = tree.kind,
      case let text = cursor.text(tree.range.range), Double(text) == value
    else { return tree }
    return OperandTree(.real(value, text: text), range: tree.range)
  }

  func ternary(open: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(upTo: open + 1)
    let (kind, height) = try cursor.bracketed(")") { () throws(PredicateSyntaxError) in
      let condition = try CompoundParser(cursor).parse()
      let predicate = try cursor.predicate(of: condition)
      try takeComma(after: 1, of: 3)
      let positive = try OperandParser(cursor).parse()
      let positiveTree = try cursor.operand(of: positive)
      try takeComma(after: 2, of: 3)
      let negative = try OperandParser(cursor).parse()
      let negativeTree = try cursor.operand(of: negative)
      return (
        OperandTree.Kind.ternary(predicate, positiveTree, negativeTree),
        max(condition.height, positive.height, negative.height)
      )
    }
    return try cursor.operandTerm(kind, over: height, range: word.start..<cursor.end)
  }

  /// Reads `FUNCTION(operand, 'selector:', …)`.
  func call(open: Int) throws(PredicateSyntaxError) -> PredicateTerm {
    cursor.take(upTo: open + 1)
    let (kind, height) = try cursor.bracketed(")", isList: true) {
      () throws(PredicateSyntaxError) in
      let (operands, height) = try OperandParser(cursor).parseList()
      guard operands.count > 1 else { throw missingComma(after: 1, of: 2) }
      let arguments = Array(operands.dropFirst(2))
      return (OperandTree.Kind.call(operands[0], selector: operands[1], arguments), height)
    }
    return try cursor.operandTerm(kind, over: height, range: word.start..<cursor.end)
  }

  /// Reads the comma after some of a form's arguments.
  private func takeComma(after found: Int, of count: Int) throws(PredicateSyntaxError) {
    guard cursor.take(byte: UInt8(ascii: ",")) else {
      throw missingComma(after: found, of: count)
    }
  }

  /// Returns the error for a missing comma.
  ///
  /// If the form is closed, it has too few arguments.
  private func missingComma(after found: Int, of count: Int) -> PredicateSyntaxError {
    let next = cursor.peek()
    guard next.kind == .byte(UInt8(ascii: ")")) else {
      return cursor.unexpected(next, expected: .symbol(","))
    }
    let name = cursor.text(word.range)
    return PredicateSyntaxError(
      .wrongArgumentCount(function: name, expected: count, found: found), range: word.range)
  }
}
