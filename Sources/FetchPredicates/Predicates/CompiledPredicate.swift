import PredicateSyntax

/// A predicate whose keys are places in an entity's snapshots.
///
/// A class, because a copy of a weak reference costs more than most
/// evaluations.
package final class CompiledPredicate {
  private let root: PredicateNode
  /// The entity of the objects; nil for objects that are asked by key.
  private let entity: EntityDescription?
  private let isThreeValued: Bool
  private weak var graph: (any ObjectGraph)?
  /// Whether the predicate asks for more than the object's own values.
  package let crossesRelationships: Bool

  init(
    _ root: PredicateNode, entity: EntityDescription?, graph: (any ObjectGraph)?,
    isThreeValued: Bool
  ) {
    self.root = root
    self.entity = entity
    self.isThreeValued = isThreeValued
    self.graph = graph
    crossesRelationships = root.crossesRelationships
  }

  /// What a store may ask before, or in place of, the predicate.
  ///
  /// It does not ask for related objects that the graph knows other values of
  /// than the store.
  package var filter: StoreFilter? {
    guard let entity else { return nil }
    return StoreFilter(root, entity: entity, isThreeValued: isThreeValued) { [graph] root in
      graph.map { !$0.knowsUnsavedObjects(of: root) } ?? false
    }
  }

  /// Returns whether an object with these values matches.
  ///
  /// - Throws: ``InvalidPredicateError`` if the language raises at evaluation.
  package func matches(_ snapshot: ObjectSnapshot, of object: ObjectID)
    throws(InvalidPredicateError) -> Bool
  {
    // Looking a weak reference up costs more than most comparisons.
    let graph = crossesRelationships ? graph : nil
    return try root.matches(
      PredicateScope(snapshot: snapshot, object: object, subject: nil, graph: graph))
  }

  /// Returns whether an object that is asked by key matches.
  ///
  /// The predicate was compiled without an entity.
  ///
  /// - Throws: ``InvalidPredicateError`` if the language raises at evaluation.
  package func matches(_ subject: PredicateValue) throws(InvalidPredicateError) -> Bool {
    try root.matches(PredicateScope(snapshot: ObjectSnapshot([]), object: nil, subject: subject))
  }
}
