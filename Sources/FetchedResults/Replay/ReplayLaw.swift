/// One batch of changes, with the sections before and after it, to be checked by the replay law:
/// the changes, applied to the sections before, must give the sections after.
///
/// Deletes, section deletes, and the old places of moves and updates refer to the sections before.
/// Inserts, section inserts and new places refer to the sections after. The order of the changes
/// does not matter. Each row of a deleted or inserted section is reported on its own. UITableView
/// handles the operations between `beginUpdates` and `endUpdates` in the same way. The law is
/// stricter where UITableView accepts what a controller never sends: two changes for one place, or
/// a name that the section does not have.
///
/// A row is any value that tells one object from another.
package struct ReplayLaw<Row: Hashable & Sendable>: Sendable {
  /// A section with its rows in order.
  package struct Section: Hashable, Sendable {
    package var name: String
    package var rows: [Row]

    package init(name: String, rows: [Row]) {
      self.name = name
      self.rows = rows
    }
  }

  /// What one callback reports.
  package enum Change: Hashable, Sendable {
    case object(
      FetchedResultsChangeType, Row, at: ResultsIndexPath?, newIndexPath: ResultsIndexPath?)
    case section(FetchedResultsChangeType, index: Int, name: String)
  }

  package var before: [Section]
  /// The changes, in the order in which they were sent.
  package var changes: [Change]
  package var after: [Section]

  package init(before: [Section], changes: [Change], after: [Section]) {
    self.before = before
    self.changes = changes
    self.after = after
  }

  /// The first error, or nil if the law holds.
  ///
  /// - Complexity: O(*n* + *k*) for *n* rows and *k* changes.
  package var breach: ReplayBreach<Row>? {
    do {
      let told = try Self.sections(after: changes, from: before)
      return ReplayBreach(told: told, shown: after)
    } catch {
      return error
    }
  }

  /// Returns the sections after applying changes to sections.
  ///
  /// - Throws: The first change that cannot be applied.
  /// - Complexity: O(*n* + *k*) for *n* rows and *k* changes.
  package static func sections(
    after changes: [Change], from before: [Section]
  ) throws(ReplayBreach<Row>) -> [Section] {
    var plan = ReplayPlan<Row>()
    for change in changes { try plan.add(change) }
    return try plan.carriedOut(on: before)
  }
}

extension ReplayBreach {
  /// The first section that differs between the reported and the shown sections; nil if there is
  /// none.
  package init?(told: [ReplayLaw<Row>.Section], shown: [ReplayLaw<Row>.Section]) {
    guard told != shown else { return nil }
    let same = zip(told, shown).prefix { $0 == $1 }.count
    self = .unequal(
      index: same, told: same < told.count ? told[same] : nil,
      shown: same < shown.count ? shown[same] : nil)
  }
}
