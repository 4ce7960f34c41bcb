/// A changed object as it concerns one controller: where it was, and what it
/// is now.
struct MembershipChange {
  let object: ManagedObject
  /// The object's rank before; nil where it was no result.
  let oldRank: Int?
  /// The values that make it a result now; nil where it is none.
  let after: Snapshot?
  /// Whether the object itself came or went, rather than its match.
  let isBirthOrDeath: Bool

  var number: Int64 { object.objectID.number }
}

/// Decides which changed objects concern a controller: an object of the
/// entity that was a result before, or is one now.
struct MembershipRule {
  let entity: EntityDescription
  let predicate: CompiledPredicate?
  let results: SectionedResults

  /// Returns what the batch means to the results, in the batch's order.
  ///
  /// - Throws: ``PredicateError`` where the predicate raises on an object.
  /// - Complexity: O(*k* log *n*) for *k* changed objects and *n* rows.
  func changes(in batch: ContextChanges) throws(PredicateError) -> [MembershipChange] {
    var found: [MembershipChange] = []
    for change in batch.changes where change.object.entity.isKind(of: entity) {
      let oldRank = results.rank(of: change.object.objectID.number)
      var after = change.after
      if let snapshot = after, let predicate,
        try !predicate.matches(snapshot, of: change.object.objectID)
      {
        after = nil
      }
      if oldRank == nil && after == nil { continue }
      found.append(
        MembershipChange(
          object: change.object, oldRank: oldRank, after: after,
          isBirthOrDeath: change.kind != .updated))
    }
    return found
  }
}
