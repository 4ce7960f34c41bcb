/// What a batch does to one controller: what its delegate receives, and how its rows and sections
/// change.
///
/// It is a value. Making it changes nothing.
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
    /// The object's index in the batch's list of objects; nil for a row that only changed its
    /// place.
    package let place: Int?
    /// The path before the batch; nil for an insert.
    package let indexPath: ResultsIndexPath?
    /// The path after the batch; nil for a delete.
    package let newIndexPath: ResultsIndexPath?
    package let reason: ChangeReason
  }

  /// One section that is inserted or deleted.
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

  /// How the rows and sections change.
  package var edits = Edits()
  /// The keys of the changed rows, nil for one that is no longer a result.
  ///
  /// Empty if the objects' own values decide the places of rows.
  package var keys: [(number: Int64, keys: ObjectSnapshot?)] = []
  /// The evidence of the changes; nil if no reasons are kept.
  package internal(set) var evidence: DecisionEvidence?

  /// The changes of the rows and sections, as positions.
  package struct Edits: Sendable {
    /// Old ranks of rows to take out, ascending.
    var removedRanks: [Int] = []
    /// Rows to put in, ascending by their final ranks.
    var insertedRows: [(number: Int64, rank: Int)] = []
    /// The number of rows by which remaining sections grow, by old index.
    var growths: [(index: Int, rows: Int)] = []
    /// Old indices of sections to take out, ascending.
    var removedSections: [Int] = []
    /// Sections to put in, ascending by their final indices.
    var insertedSections: [(name: ScalarString, count: Int, index: Int)] = []
  }

  /// A decision that reports and changes nothing.
  package init() {}

  /// Whether the delegate receives nothing.
  package var isEmpty: Bool {
    deletes.isEmpty && inserts.isEmpty && movesAndUpdates.isEmpty && sectionDeletes.isEmpty
      && sectionInserts.isEmpty
  }
}

extension SectionedResults {
  /// Applies a decision that was made for the present results.
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
