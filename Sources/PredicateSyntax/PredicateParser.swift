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
