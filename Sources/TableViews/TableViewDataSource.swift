package import FetchedResults

/// The source of everything that a table shows.
///
/// The methods are those of UITableViewDataSource. But instead of a cell, a data source returns the
/// cell's content.
package protocol TableViewDataSource<Content>: AnyObject {
  /// The content that a cell was configured with.
  associatedtype Content: Equatable

  func numberOfSections() -> Int
  func numberOfRows(inSection section: Int) -> Int
  /// Returns the header of a section; nil for none.
  func titleForHeader(inSection section: Int) -> String?
  /// Returns the content of the cell at an index path.
  ///
  /// The table calls it only for existing rows.
  func cellForRow(at indexPath: ResultsIndexPath) -> Content
  /// Returns the titles of the section index; nil for none.
  func sectionIndexTitles() -> [String]?
}
