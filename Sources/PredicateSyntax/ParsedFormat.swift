/// A format string as a tree, and the arguments that it wants.
package struct ParsedFormat: Hashable, Sendable {
  package var tree: PredicateTree
  /// One for each `%`, in the order of the text: the first is argument 0.
  package var conversions: [Conversion]

  /// `%@`, `%K`, or a number such as `%d`.
  package struct Conversion: Hashable, Sendable {
    package var kind: Kind
    /// Where it is, in UTF-8 bytes.
    package var range: Range<Int>
  }

  package enum Kind: Hashable, Sendable {
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
