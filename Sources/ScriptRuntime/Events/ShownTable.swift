package import FetchedResults
package import TableViews

/// A table as `show` draws it.
package struct ShownTable {
  package let name: String
  package let controller: String
  /// The lines from top to bottom, those that the last turn took away included.
  package let lines: [Line]
  package let sectionCount: Int
  package let rowCount: Int
  /// The section index as the table has it; nil without one.
  package let indexTitles: [String]?
  /// The section index as it would be now; nil if the table's is that.
  package let currentIndexTitles: [String]?
  /// The numbers that the data source gives; nil if they are the table's.
  package let dataSource: (sections: Int, rows: Int)?
  /// How many operations wait for the batch's end; nil outside of one.
  package let recorded: Int?
  package let isBroken: Bool
  package let isSuspended: Bool
  /// Whether the controller has another delegate, or none.
  package let isDetached: Bool

  /// A header or a row.
  package struct Line {
    package let kind: Kind
    package var mark: TableRowMark?
    /// What differs from what the cell or the header shows, in words; nil if nothing does.
    package var staleness: String?
  }

  package enum Kind {
    case header(String)
    /// A row with what its cell shows; a deleted row's path is that before.
    case row(ResultsIndexPath, ShownObject)
  }
}
