/// By what a decision was made: for each of its changes what the decision
/// compared, in the same order.
package struct DecisionEvidence: Sendable {
  package internal(set) var deletes: [RowEvidence] = []
  package internal(set) var sectionDeletes: [SectionEvidence] = []
  package internal(set) var sectionInserts: [SectionEvidence] = []
  package internal(set) var inserts: [RowEvidence] = []
  package internal(set) var movesAndUpdates: [RowEvidence] = []
}

extension DecisionEvidence {
  /// The evidence of all rows.
  package var rows: [RowEvidence] { deletes + inserts + movesAndUpdates }

  /// The changed objects that are rows after the batch.
  var rowsAfter: [Int64] {
    rows.filter { $0.stands != nil }.map(\.objectID.number)
  }
}

/// By what the change of a row was decided.
package struct RowEvidence: Sendable {
  package let objectID: ObjectID
  /// The values by which the row was where it did; nil if it was none.
  package let stood: ObjectSnapshot?
  /// The values that decide its place; nil if it is no row now, and of a row that did not change.
  package let stands: ObjectSnapshot?
  /// The place before; nil if it was no row.
  package let old: RowPlace?
  /// The place after; nil if it is no row.
  package let new: RowPlace?
  /// The nearest rows that the row passed and that make it a move; none of
  /// another change.
  package var passed: [ObjectID] = []
  /// A section that the row's section passed, where sections changed places.
  package var passedSection: String?
}

/// Where a row is, and between which rows of its section.
package struct RowPlace: Hashable, Sendable {
  package let indexPath: ResultsIndexPath
  /// The section's name; nil if there is one section only.
  package let section: String?
  package let previous: ObjectID?
  package let next: ObjectID?
}

/// By what the change of a section was decided.
package struct SectionEvidence: Hashable, Sendable {
  /// The index before, and how many rows there were; nil if there was none of the name.
  package let old: Place?
  /// The same after.
  package let new: Place?
  /// A section that it passed, where sections changed places.
  package var passed: String?

  package struct Place: Hashable, Sendable {
    package let index: Int
    package let rows: Int
  }
}
