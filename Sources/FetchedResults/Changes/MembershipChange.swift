/// A changed object as it concerns one controller: where it was, and what it
/// is now.
package struct MembershipChange: Sendable {
  package let number: Int64
  /// Nil for an unchanged row whose section changes places with others.
  package let objectID: ObjectID?
  /// The object's place in the list of those that a batch is about; nil for an unchanged row whose
  /// section changes places with others.
  package let place: Int?
  /// The object's rank before; nil if it was no result.
  package let oldRank: Int?
  /// The values before the batch; nil if it did not exist.
  package let before: ObjectSnapshot?
  /// The values by which it is placed now; nil if it is no result.
  package let after: ObjectSnapshot?
  /// Why it comes or goes, if it does.
  package let cause: Cause

  /// Why an object becomes a result, or no longer is one.
  package enum Cause: Hashable, Sendable {
    /// The object itself came or went.
    case existence
    /// Its match did.
    case match
    /// It matches before and after, and a kept limit lets it in or cuts it off.
    case limit
  }

  package init(
    objectID: ObjectID, place: Int, oldRank: Int?, before: ObjectSnapshot?, after: ObjectSnapshot?,
    cause: Cause
  ) {
    number = objectID.number
    self.objectID = objectID
    self.place = place
    self.oldRank = oldRank
    self.before = before
    self.after = after
    self.cause = cause
  }

  /// Takes an unchanged row along with its section, which changes places with
  /// others.
  ///
  /// - Parameter values: Those by which it is where it does.
  package init(unchanged number: Int64, oldRank: Int, values: ObjectSnapshot?) {
    self.init(
      number: number, objectID: nil, place: nil, oldRank: oldRank, before: nil, after: values,
      cause: .match)
  }

  private init(
    number: Int64, objectID: ObjectID?, place: Int?, oldRank: Int?, before: ObjectSnapshot?,
    after: ObjectSnapshot?, cause: Cause
  ) {
    self.number = number
    self.objectID = objectID
    self.place = place
    self.oldRank = oldRank
    self.before = before
    self.after = after
    self.cause = cause
  }

  /// Returns the change as one of the rows that a limit shows.
  ///
  /// - Parameters:
  ///   - rank: The rank among the shown rows before; nil if it was not shown.
  ///   - isRow: Whether it is shown after.
  func shown(at rank: Int?, isRow: Bool, cause: Cause) -> MembershipChange {
    MembershipChange(
      number: number, objectID: objectID, place: place, oldRank: rank, before: before,
      after: isRow ? after : nil, cause: cause)
  }
}
