/// Reads predicates by recursive descent.
///
/// A parenthesis is read once and is then known to hold a predicate or a
/// value, so the time is linear in the length of the text. Nesting is limited
/// to ``maximumDepth`` levels, both of brackets and of the resulting tree:
/// whoever walks a tree may do so by recursion.
///
/// Where Apple's grammar leaves a choice, this one has chosen: `**` groups from
/// the right; `&`, `|` and `^` bind weaker than `+` and stronger than UNION,
/// INTERSECT and MINUS, each group from the left; a minus before a number
/// belongs to the number; `x NOT IN y` is `NOT x IN y`, and NONE is NOT ANY.
package enum PredicateParser {
  /// How deep parentheses and operators may nest.
  package static let maximumDepth = 200

  /// Parses a format string; its `%` arguments are numbered in order.
  package static func parse(
    format: String
  ) throws(PredicateSyntaxError) -> PredicateTree {
    try parseFormat(format).tree
  }

  /// Parses a format string and tells which arguments it wants.
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
  /// It goes on up to the first token that cannot continue it: a clause word, `{`, `;`, a bracket
  /// not opened in it, or the end of a line. A line end counts as a blank inside brackets, after an
  /// operator, AND, OR, NOT or `\`, and where the next line, apart from blank lines and comments,
  /// begins with AND, OR, `&&` or `||`.
  ///
  /// - Parameters:
  ///   - source: The script in UTF-8; ranges count from its start.
  ///   - offset: Where the predicate begins, in bytes.
  ///   - host: Who is asked for a value first wherever one begins.
  /// - Returns: The tree, and where its last token ends.
  /// - Throws: The first error; what lacks its rest at the end of the source is
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
