package import FetchedResults
package import TableViews

/// A table, as `show` draws it.
package struct ShownTable {
  package let name: String
  package let controller: String
  /// The lines from top to bottom, including those that the last turn removed.
  package let lines: [Line]
  package let sectionCount: Int
  package let rowCount: Int
  /// The section index that the table shows; nil if it has none.
  package let indexTitles: [String]?
  /// The section index that the controller now has; nil if the table shows it.
  package let currentIndexTitles: [String]?
  /// The numbers that the data source returns; nil if the table has the same.
  package let dataSource: (sections: Int, rows: Int)?
  /// The number of operations that wait for the end of the batch; nil outside of a batch.
  package let recorded: Int?
  package let isBroken: Bool
  package let isSuspended: Bool
  /// Whether the controller has another delegate, or none.
  package let isDetached: Bool

  /// A header or a row.
  package struct Line {
    package let kind: Kind
    package var mark: TableRowMark?
    /// A description of how the shown header or cell is out of date; nil if it is not.
    package var staleness: String?
  }

  package enum Kind {
    case header(String)
    /// A row with what its cell shows. For a deleted row, the path is the old one.
    case row(ResultsIndexPath, ShownObject)
  }
}
