package import FetchedResults

/// An operation of a table, in UIKit's words.
package enum TableOperation: Hashable, Sendable {
  case beginUpdates
  case endUpdates
  case insertRows(ResultsIndexPath)
  case deleteRows(ResultsIndexPath)
  case reloadRows(ResultsIndexPath)
  case moveRow(ResultsIndexPath, to: ResultsIndexPath)
  case insertSections(Int)
  case deleteSections(Int)
  /// Gives a cell on the screen another content, without telling the table.
  case configureCell(ResultsIndexPath)
  case reloadData

  /// The name of UIKit's method.
  ///
  /// `configureCell` is the method in Xcode's template.
  package var name: String {
    switch self {
    case .beginUpdates: "beginUpdates"
    case .endUpdates: "endUpdates"
    case .insertRows: "insertRows"
    case .deleteRows: "deleteRows"
    case .reloadRows: "reloadRows"
    case .moveRow: "moveRow"
    case .insertSections: "insertSections"
    case .deleteSections: "deleteSections"
    case .configureCell: "configureCell"
    case .reloadData: "reloadData"
    }
  }
}
