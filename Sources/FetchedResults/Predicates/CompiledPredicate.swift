import PredicateSyntax

/// A predicate whose keys are resolved to indices in an entity's snapshots.
///
/// It is a class, because a copy of a weak reference costs more than most evaluations.
package final class CompiledPredicate {
  private let root: PredicateNode
  /// The entity of the objects; nil if the objects' values are read by key.
  private let entity: EntityDescription?
  private let isThreeValued: Bool
  private weak var graph: (any ObjectGraph)?
  /// Whether the predicate reads more than the object's own values.
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

  /// The condition that a store can check before, or instead of, the predicate.
  ///
  /// It does not cover related objects whose values in the graph may differ from the store's.
  package var filter: StoreFilter? {
    guard let entity else { return nil }
    return StoreFilter(root, entity: entity, isThreeValued: isThreeValued) { [graph] root in
      graph.map { !$0.knowsUnsavedObjects(of: root) } ?? false
    }
  }

  /// Returns whether an object with these values matches.
  ///
  /// - Throws: ``InvalidPredicateError`` if the evaluation raises.
  package func matches(_ snapshot: ObjectSnapshot, of object: ObjectID)
    throws(InvalidPredicateError) -> Bool
  {
    // Loading a weak reference costs more than most comparisons.
    let graph = crossesRelationships ? graph : nil
    return try root.matches(
      PredicateScope(snapshot: snapshot, object: object, subject: nil, graph: graph))
  }

  /// Returns whether an object matches whose values are read by key.
  ///
  /// The predicate must have been compiled without an entity.
  ///
  /// - Throws: ``InvalidPredicateError`` if the evaluation raises.
  package func matches(_ subject: PredicateValue) throws(InvalidPredicateError) -> Bool {
    try root.matches(PredicateScope(snapshot: ObjectSnapshot([]), object: nil, subject: subject))
  }
}
