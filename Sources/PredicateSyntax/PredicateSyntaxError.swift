/// A fault in the text of a predicate, and where.
package struct PredicateSyntaxError: Error, Hashable, Sendable {
  package var kind: Kind
  package var range: Range<Int>

  package init(_ kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  /// What is wrong, as data; `description` has the words.
  package enum Kind: Hashable, Sendable {
    /// A fault found by the host in text of its own, in the host's words.
    case host(String)
  }
}
