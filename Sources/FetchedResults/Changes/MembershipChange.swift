/// A changed object as it concerns one controller: where it was, and what it
/// is now.
package struct MembershipChange: Sendable {
  package let number: Int64
  /// Nil of an unchanged row whose section changes places with others.
  package let objectID: ObjectID?
  /// The object's place in the list of those that a batch is about; nil of an
  /// unchanged row whose section changes places with others.
  package let place: Int?
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
    number = objectID.number
    self.objectID = objectID
    self.place = place
    self.oldRank = oldRank
    self.before = before
    self.after = after
    self.isBirthOrDeath = isBirthOrDeath
  }

  /// Takes an unchanged row along with its section, which changes places with
  /// others.
  ///
  /// - Parameter values: Those by which it stands where it does.
  package init(unchanged number: Int64, oldRank: Int, values: Snapshot?) {
    self.number = number
    objectID = nil
    place = nil
    self.oldRank = oldRank
    before = nil
    after = values
    isBirthOrDeath = false
  }
}
