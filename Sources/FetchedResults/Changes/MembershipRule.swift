/// Decides which changed objects concern a controller: objects of its entity that were results
/// before the batch, or are results now.
package struct MembershipRule {
  private let request: FetchRequest
  private let predicate: CompiledPredicate?
  private let order: RowOrder
  private let results: SectionedResults
  /// Reads the objects that relationships lead to.
  private let graph: (any ObjectGraph)?
  /// Whether a row's object changed while the controller did not track changes.
  private let isPinned: (Int64) -> Bool

  package init(
    request: FetchRequest, predicate: CompiledPredicate?, order: RowOrder,
    results: SectionedResults, graph: (any ObjectGraph)?, isPinned: @escaping (Int64) -> Bool
  ) {
    self.request = request
    self.predicate = predicate
    self.order = order
    self.results = results
    self.graph = graph
    self.isPinned = isPinned
  }

  /// Returns what the batch changes in the results, in the batch's order.
  ///
  /// - Parameter silences: Called for each change that does not concern the controller; nil if no
  ///   reasons are kept.
  /// - Throws: ``InvalidPredicateError`` if the predicate raises on an object.
  /// - Complexity: O(*k* log *n*) for *k* changed objects and *n* rows.
  package func changes(
    in batch: [ObjectChange], silences: inout [SilentChange]?
  ) throws(InvalidPredicateError) -> [MembershipChange] {
    var found: [MembershipChange] = []
    let ranks = results.ranks(of: batch.map(\.objectID.number))
    for (place, change) in batch.enumerated() {
      let oldRank = ranks[place]
      guard request.includes(change.objectID.entity) else {
        silences?.append(SilentChange(place: place, silence: .otherEntity))
        continue
      }
      var after = change.after
      if let snapshot = after, let predicate, !mutation(.staleMatch),
        try !predicate.matches(snapshot, of: change.objectID)
      {
        after = nil
      }
      if oldRank == nil && after == nil {
        silences?.append(SilentChange(place: place, silence: .staysOutside))
        continue
      }
      if mutation(.missedReentry), oldRank == nil, change.kind == .updated { continue }
      // A merge reports an object that a fetch has already found.
      if oldRank != nil, change.kind == .inserted, !isPinned(change.objectID.number) {
        silences?.append(SilentChange(place: place, silence: .alreadyFetched))
        continue
      }
      if order.needsKeys, let snapshot = after {
        after = order.keys(
          of: ObjectValues(objectID: change.objectID, snapshot: snapshot, graph: graph))
      }
      found.append(
        MembershipChange(
          objectID: change.objectID, place: place, oldRank: oldRank, before: change.before,
          after: after, cause: change.kind == .updated ? .match : .existence))
    }
    return found
  }
}
