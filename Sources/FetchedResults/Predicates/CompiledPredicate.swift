/// A predicate whose keys are places in an entity's snapshots.
package struct CompiledPredicate {
  /// Returns whether an object with these values matches.
  ///
  /// - Throws: ``PredicateError`` where the language raises at evaluation.
  package func matches(_ snapshot: Snapshot, of object: ObjectID) throws(PredicateError) -> Bool {
    true
  }
}
