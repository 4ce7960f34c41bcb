/// One batch of changes, with the sections before and after it, held to the law that a table view
/// lives by: the changes, performed on the sections before, give the sections after.
///
/// Deletes, the old places of moves and of updates, and section deletes count in the sections
/// before; inserts, the new places and section inserts in those after. The order in which the
/// changes are told means nothing. Each row of a deleted or inserted section is told on its own.
/// This is how UITableView performs what is between `beginUpdates` and `endUpdates`, and stricter
/// where UITableView lets pass what a controller never says: two changes for one place, a name that
/// the section does not have.
///
/// A row is whatever tells one object from another.
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

  /// What one callback says.
  package enum Change: Hashable, Sendable {
    case object(
      FetchedResultsChangeType, Row, at: ResultsIndexPath?, newIndexPath: ResultsIndexPath?)
    case section(FetchedResultsChangeType, index: Int, name: String)
  }

  package var before: [Section]
  /// In the order in which they were told.
  package var changes: [Change]
  package var after: [Section]

  package init(before: [Section], changes: [Change], after: [Section]) {
    self.before = before
    self.changes = changes
    self.after = after
  }

  /// The first error found, or nil if the law holds.
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

  /// Returns the sections that changes make of others.
  ///
  /// - Throws: The first change that cannot be performed.
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
  /// The first section in which what was told is not what is shown; nil if there is none.
  package init?(told: [ReplayLaw<Row>.Section], shown: [ReplayLaw<Row>.Section]) {
    guard told != shown else { return nil }
    let same = zip(told, shown).prefix { $0 == $1 }.count
    self = .unequal(
      index: same, told: same < told.count ? told[same] : nil,
      shown: same < shown.count ? shown[same] : nil)
  }
}
