/// A changed object as it concerns one controller: where it was, and what it
/// is now.
package struct MembershipChange: Sendable {
  package let objectID: ObjectID
  /// The object's place in the list of those that a batch is about.
  package let place: Int
  /// The object's rank before; nil where it was no result.
  package let oldRank: Int?
  /// The values before the batch; nil where it did not exist.
  package let before: Snapshot?
  /// The values by which it is placed now; nil where it is no result.
  package let after: Snapshot?
  /// Whether the object itself came or went, rather than its match.
  package let isBirthOrDeath: Bool

  package init(
    objectID: ObjectID, place: Int, oldRank: Int?, before: Snapshot?, after: Snapshot?,
    isBirthOrDeath: Bool
  ) {
    self.objectID = objectID
    self.place = place
    self.oldRank = oldRank
    self.before = before
    self.after = after
    self.isBirthOrDeath = isBirthOrDeath
  }

  package var number: Int64 { objectID.number }
}
