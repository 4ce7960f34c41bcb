/// A changed object as it concerns one controller: where it was, and what it
/// is now.
struct MembershipChange {
  let object: ManagedObject
  /// The object's rank before; nil where it was no result.
  let oldRank: Int?
  /// The values before the batch; nil where it did not exist.
  let before: Snapshot?
  /// The values by which it is placed now; nil where it is no result.
  let after: Snapshot?
  /// Whether the object itself came or went, rather than its match.
  let isBirthOrDeath: Bool

  var number: Int64 { object.objectID.number }
}

/// Decides which changed objects concern a controller: an object of the
/// entity that was a result before, or is one now.
struct MembershipRule {
  let request: FetchRequest
  let predicate: CompiledPredicate?
  let order: RowOrder
  let results: SectionedResults
  /// Whether a row's object went on while the controller did not track.
  let isPinned: (Int64) -> Bool
  /// Takes each change that does not concern the controller, where somebody asks
  /// for reasons.
  let silences: Silences?

  /// Returns what the batch means to the results, in the batch's order.
  ///
  /// - Throws: ``PredicateError`` where the predicate raises on an object.
  /// - Complexity: O(*k* log *n*) for *k* changed objects and *n* rows.
  func changes(in batch: ContextChanges) throws(PredicateError) -> [MembershipChange] {
    var found: [MembershipChange] = []
    let ranks = results.ranks(of: batch.changes.map { $0.object.objectID.number })
    for (change, oldRank) in zip(batch.changes, ranks) {
      guard request.includes(change.object.entity) else {
        silences?.add(change, .otherEntity)
        continue
      }
      var after = change.after
      if let snapshot = after, let predicate, !fault(.staleMatch),
        try !predicate.matches(snapshot, of: change.object.objectID)
      {
        after = nil
      }
      if oldRank == nil && after == nil {
        silences?.add(change, .staysOutside)
        continue
      }
      if fault(.missedReentry), oldRank == nil, change.kind == .updated { continue }
      // A merge tells of an object that a fetch has found already.
      if oldRank != nil, change.kind == .inserted, !isPinned(change.object.objectID.number) {
        silences?.add(change, .alreadyFetched)
        continue
      }
      if order.needsKeys, let snapshot = after {
        after = order.keys(
          of: ObjectValues(
            objectID: change.object.objectID, snapshot: snapshot,
            graph: change.object.managedObjectContext))
      }
      found.append(
        MembershipChange(
          object: change.object, oldRank: oldRank, before: change.before, after: after,
          isBirthOrDeath: change.kind != .updated))
    }
    return found
  }
}
