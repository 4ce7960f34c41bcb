/// A changed object as one controller sees it: its place before, and its values now.
package struct MembershipChange: Sendable {
  package let number: Int64
  /// Nil for an unchanged row whose section changes places with others.
  package let objectID: ObjectID?
  /// The object's index in the batch's list of objects; nil for an unchanged row whose section
  /// changes places with others.
  package let place: Int?
  /// The object's old rank; nil if it was not a result.
  package let oldRank: Int?
  /// The values before the batch; nil if it did not exist.
  package let before: ObjectSnapshot?
  /// The values that decide its new place; nil if it is not a result now.
  package let after: ObjectSnapshot?
  /// Why the object enters or leaves the results, if it does.
  package let cause: Cause

  /// Why an object becomes a result, or stops being one.
  package enum Cause: Hashable, Sendable {
    /// The object was inserted or deleted.
    case existence
    /// The object started or stopped matching.
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

  /// Includes an unchanged row, because its section changes places with others.
  ///
  /// - Parameter values: The values that decide its place.
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

  /// Returns the change as a change of the rows that a limit shows.
  ///
  /// - Parameters:
  ///   - rank: The old rank among the shown rows; nil if the row was not shown.
  ///   - isRow: Whether the row is shown after the batch.
  func shown(at rank: Int?, isRow: Bool, cause: Cause) -> MembershipChange {
    MembershipChange(
      number: number, objectID: objectID, place: place, oldRank: rank, before: before,
      after: isRow ? after : nil, cause: cause)
  }
}
