import PredicateSyntax

/// A predicate whose keys are places in an entity's snapshots.
package struct CompiledPredicate {
  private let root: PredicateNode

  init(_ root: PredicateNode) { self.root = root }

  /// Returns whether an object with these values matches.
  ///
  /// - Throws: ``PredicateError`` where the language raises at evaluation.
  package func matches(_ snapshot: Snapshot, of object: ObjectID) throws(PredicateError) -> Bool {
    try root.matches(PredicateScope(snapshot: snapshot, object: object, subject: nil))
  }

  /// Returns whether an object that is asked by key matches.
  ///
  /// The predicate was compiled without an entity.
  ///
  /// - Throws: ``PredicateError`` where the language raises at evaluation.
  package func matches(_ subject: PredicateValue) throws(PredicateError) -> Bool {
    try root.matches(PredicateScope(snapshot: Snapshot([]), object: nil, subject: subject))
  }
}
