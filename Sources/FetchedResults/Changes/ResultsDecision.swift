/// What a batch does to one controller: what its delegate will receive, and how
/// its rows and sections change.
///
/// A value; nothing is done yet.
package struct ResultsDecision: Sendable {
  /// One row's change.
  package struct RowChange: Sendable {
    package enum Kind: Hashable, Sendable {
      case insert
      case delete
      case move
      case update
    }

    package let kind: Kind
    package let number: Int64
    /// The object's place in the list of those that the batch is about; nil for a row that only
    /// changed its place.
    package let place: Int?
    /// The path before the batch; nil for an insert.
    package let indexPath: ResultsIndexPath?
    /// The path after the batch; nil for a delete.
    package let newIndexPath: ResultsIndexPath?
    package let reason: ChangeReason
  }

  /// One section that comes or goes.
  package struct SectionChange: Sendable {
    package let key: ScalarString
    package let index: Int
    package let reason: SectionReason

    package var name: String { key.string }
  }

  package var deletes: [RowChange] = []
  package var sectionDeletes: [SectionChange] = []
  package var sectionInserts: [SectionChange] = []
  package var inserts: [RowChange] = []
  package var movesAndUpdates: [RowChange] = []

  /// What becomes of the rows and sections.
  package var edits = Edits()
  /// The keys of the changed rows, nil for one that is no longer a result; empty where rows are by
  /// their own values.
  package var keys: [(number: Int64, keys: ObjectSnapshot?)] = []
  /// By what the changes were decided; nil if no reasons are kept.
  package internal(set) var evidence: DecisionEvidence?

  /// How the structure changes.
  package struct Edits: Sendable {
    /// Old ranks of rows to take out, ascending.
    var removedRanks: [Int] = []
    /// Rows to put in, ascending by their final ranks.
    var insertedRows: [(number: Int64, rank: Int)] = []
    /// By how many rows sections that stay grow, by old index.
    var growths: [(index: Int, rows: Int)] = []
    /// Old indices of sections to take out, ascending.
    var removedSections: [Int] = []
    /// Sections to put in, ascending by their final indices.
    var insertedSections: [(name: ScalarString, count: Int, index: Int)] = []
  }

  /// A decision that nothing is to be told or done.
  package init() {}

  /// Whether the delegate receives nothing.
  package var isEmpty: Bool {
    deletes.isEmpty && inserts.isEmpty && movesAndUpdates.isEmpty && sectionDeletes.isEmpty
      && sectionInserts.isEmpty
  }
}

extension SectionedResults {
  /// Performs a decision that was made on these results as they are.
  ///
  /// - Complexity: O(*k* log *n*).
  package func apply(_ edits: ResultsDecision.Edits) {
    for rank in edits.removedRanks.reversed() { removeRow(at: rank) }
    for row in edits.insertedRows { insertRow(row.number, at: row.rank) }
    for section in edits.growths { addRows(section.rows, toSection: section.index) }
    for index in edits.removedSections.reversed() { removeSection(at: index) }
    for section in edits.insertedSections {
      insertSection(named: section.name, rowCount: section.count, at: section.index)
    }
  }
}
