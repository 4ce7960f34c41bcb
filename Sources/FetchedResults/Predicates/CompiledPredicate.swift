import PredicateSyntax

/// A predicate whose keys are places in an entity's snapshots.
///
/// A class, because a copy of a weak reference costs more than most
/// evaluations.
package final class CompiledPredicate {
  private let root: PredicateNode
  private weak var graph: (any ObjectGraph)?
  /// Whether the predicate asks for more than the object's own values.
  let crossesRelationships: Bool

  init(_ root: PredicateNode, graph: (any ObjectGraph)?) {
    self.root = root
    self.graph = graph
    crossesRelationships = root.crossesRelationships
  }

  /// What a store may ask of an object's own attributes before, or in place
  /// of, the predicate.
  package var filter: AttributeFilter? { AttributeFilter(root) }

  /// Returns whether an object with these values matches.
  ///
  /// - Throws: ``PredicateError`` where the language raises at evaluation.
  package func matches(_ snapshot: Snapshot, of object: ObjectID) throws(PredicateError) -> Bool {
    // Looking a weak reference up costs more than most comparisons.
    let graph = crossesRelationships ? graph : nil
    return try root.matches(
      PredicateScope(snapshot: snapshot, object: object, subject: nil, graph: graph))
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
