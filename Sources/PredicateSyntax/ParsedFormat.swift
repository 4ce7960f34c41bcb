/// A parsed format string, with the arguments that it needs.
package struct ParsedFormat: Hashable, Sendable {
  package var tree: PredicateTree
  /// The conversions in the order of the text, one for each `%`.
  ///
  /// The first one is argument 0.
  package var conversions: [Conversion]

  /// A placeholder for an argument: `%@`, `%K`, or a number such as `%d`.
  package struct Conversion: Hashable, Sendable {
    package var kind: Kind
    /// Its range, in UTF-8 bytes.
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
