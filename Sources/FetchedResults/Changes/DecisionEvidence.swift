/// The evidence of a decision: for each of its changes, in the same order, what was compared.
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
    rows.filter { $0.newValues != nil }.map(\.objectID.number)
  }
}

/// What decided the change of a row.
package struct RowEvidence: Sendable {
  package let objectID: ObjectID
  /// The values that decided the old place; nil if it was not a row.
  package let oldValues: ObjectSnapshot?
  /// The values that decide the new place; nil if it is not a row now, or if the row did not
  /// change.
  package let newValues: ObjectSnapshot?
  /// The old place; nil if it was not a row.
  package let old: RowPlace?
  /// The new place; nil if it is not a row.
  package let new: RowPlace?
  /// The nearest rows that the row passed, which make it a move; empty for other changes.
  package var passed: [ObjectID] = []
  /// A section that the row's section passed, if sections changed places.
  package var passedSection: String?
}

/// The place of a row, and its neighbours in its section.
package struct RowPlace: Hashable, Sendable {
  package let indexPath: ResultsIndexPath
  /// The section's name; nil if there is one section only.
  package let section: String?
  package let previous: ObjectID?
  package let next: ObjectID?
}

/// What decided the change of a section.
package struct SectionEvidence: Hashable, Sendable {
  /// The old index and number of rows; nil if there was no section of the name.
  package let old: Place?
  /// The new index and number of rows; nil if there is no section of the name.
  package let new: Place?
  /// A section that it passed, if sections changed places.
  package var passed: String?

  package struct Place: Hashable, Sendable {
    package let index: Int
    package let rows: Int
  }
}
