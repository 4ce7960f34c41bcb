package import PredicateSyntax

package typealias PredicateOptions = PredicateTree.Options

/// A comparison of a string with a constant one, which is folded or parsed as a pattern only once.
package final class TextTest {
  let operation: PredicateTree.Comparator.TextOperation
  private let folding: StringFolding
  let pattern: String
  private let bytes: [UInt8]
  private let matcher: Matcher

  private enum Matcher {
    case bytes
    case like(LikePattern)
    case expression(RegularExpression)
    case collator(Collator)
  }

  package init(
    _ operation: PredicateTree.Comparator.TextOperation, _ options: PredicateOptions,
    pattern: String,
    locale: String
  ) {
    self.operation = operation
    self.pattern = pattern
    let folding = StringFolding(options, locale: locale)
    self.folding = folding
    bytes = Array(folding.fold(pattern).utf8)
    matcher =
      switch operation {
      case .like: .like(LikePattern(folding.fold(pattern)))
      case .matches:
        .expression(
          RegularExpression(
            folding.foldingDiacritics(pattern), ignoresCase: folding.ignoresCase))
      case .relation:
        options.contains(.locale) && !options.contains(.normalized)
          ? .collator(Self.collator(options, locale: locale)) : .bytes
      case .contains, .beginsWith, .endsWith: .bytes
      }
  }

  /// The collator does not ignore diacritics; they are folded away before.
  private static func collator(_ options: PredicateOptions, locale: String) -> Collator {
    let ignoresCase = options.contains(.caseInsensitive)
    return Collator(
      locale: locale, strength: ignoresCase ? .secondary : .tertiary, isNumeric: false)
  }

  /// Whether the pattern is valid.
  ///
  /// A bad pattern of MATCHES raises.
  var isSound: Bool {
    if case .expression(let expression) = matcher { expression.problem == nil } else { true }
  }

  /// Returns whether the comparison is true with this string on its left.
  ///
  /// - Throws: ``InvalidPredicateError`` for a bad pattern of MATCHES.
  package func holds(_ string: String) throws(InvalidPredicateError) -> Bool {
    switch matcher {
    case .bytes: return holdsByBytes(string)
    case .like(let like): return folding.withFolded(string) { like.matches($0, lowers: $1) }
    case .collator(let collator):
      guard case .relation(let relation) = operation else { return false }
      return relation.accepts(collator.compare(folding.fold(string), folding.fold(pattern)))
    case .expression(let expression):
      let text = folding.foldingDiacritics(string)
      if let result = expression.matchesWhole(text) { return result }
      throw InvalidPredicateError.badPattern(
        pattern, code: expression.problem ?? "U_REGEX_INTERNAL_ERROR", string: string,
        ignoresCase: folding.ignoresCase)
    }
  }

  private func holdsByBytes(_ string: String) -> Bool {
    folding.withFolded(string) { text, lowers in
      bytes.withUnsafeBufferPointer { pattern in
        switch operation {
        case .contains:
          !pattern.isEmpty && ByteSearch.contains(pattern, in: text, lowers: lowers)
        case .beginsWith:
          !pattern.isEmpty && ByteSearch.matches(pattern, in: text, at: 0, lowers: lowers)
        case .endsWith:
          !pattern.isEmpty && pattern.count <= text.count
            && ByteSearch.matches(
              pattern, in: text, at: text.count - pattern.count, lowers: lowers)
        case .relation(.equal):
          text.count == pattern.count
            && ByteSearch.matches(pattern, in: text, at: 0, lowers: lowers)
        case .relation(.notEqual):
          text.count != pattern.count
            || !ByteSearch.matches(pattern, in: text, at: 0, lowers: lowers)
        case .relation(let relation):
          relation.accepts(ByteSearch.compare(text, with: pattern, lowers: lowers))
        case .like, .matches: false
        }
      }
    }
  }
}
