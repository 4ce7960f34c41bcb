/// A parsed predicate: its structure and places, without resolved names.
///
/// Compound nodes are flat: `a AND b AND c` is one `and` with three parts. Ranges count UTF-8 bytes
/// from the start of the source. Equality ignores them, so that two texts of the same predicate
/// give equal trees.
package indirect enum PredicateTree: Hashable, Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool)
  case and([PredicateTree])
  case or([PredicateTree])
  case not(PredicateTree)
  case comparison(Comparison)

  /// A comparison, such as `ANY books.title ==[c] "dune"`.
  package struct Comparison: Hashable, Sendable {
    package var modifier: Modifier?
    package var left: OperandTree
    package var comparator: Comparator
    package var options: Options
    package var right: OperandTree
    package var range: SourceRange
    /// How the comparison was written, where this does not change the meaning.
    package var spelling = Spelling()

    package init(
      modifier: Modifier? = nil, left: OperandTree, comparator: Comparator,
      options: Options = [], right: OperandTree, range: SourceRange
    ) {
      self.modifier = modifier
      self.left = left
      self.comparator = comparator
      self.options = options
      self.right = right
      self.range = range
    }
  }

  /// How a comparison was written.
  ///
  /// Equality ignores it.
  package struct Spelling: Hashable, Sendable {
    /// Whether the operator was written as `NOT IN`.
    package var isNotIn = false

    package static func == (_: Self, _: Self) -> Bool { true }
    package func hash(into _: inout Hasher) {}
  }

  /// The modifiers `ANY` (also written `SOME`), `ALL` and `NONE`.
  ///
  /// `NONE` is parsed as `NOT ANY`; its case is for trees that are created otherwise.
  package enum Modifier: String, Hashable, Sendable, CaseIterable {
    case any = "ANY"
    case all = "ALL"
    case none = "NONE"
  }

  /// The options after an operator, such as `[cd]`.
  package struct Options: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let caseInsensitive = Options(rawValue: 1)
    package static let diacriticInsensitive = Options(rawValue: 2)
    package static let normalized = Options(rawValue: 4)
    package static let locale = Options(rawValue: 8)
  }
}

/// A range in a source, in UTF-8 bytes.
///
/// Equality ignores it.
package struct SourceRange: Hashable, Sendable {
  package var lowerBound: Int
  package var upperBound: Int

  package init(_ lowerBound: Int, _ upperBound: Int) {
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }

  package var range: Range<Int> { lowerBound..<max(lowerBound, upperBound) }

  package static func == (_: Self, _: Self) -> Bool { true }
  package func hash(into _: inout Hasher) {}
}
