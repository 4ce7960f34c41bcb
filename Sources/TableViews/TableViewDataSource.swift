package import FetchedResults

/// What a table asks for all that it shows.
///
/// The methods are those of UITableViewDataSource; instead of a cell, a data
/// source gives what the cell is configured with.
package protocol TableViewDataSource<Content>: AnyObject {
  /// What a cell remembers of what it was configured with.
  associatedtype Content: Equatable

  func numberOfSections() -> Int
  func numberOfRows(inSection section: Int) -> Int
  /// The header of a section; nil for none.
  func titleForHeader(inSection section: Int) -> String?
  /// What the cell at an index path shows.
  ///
  /// Asked only of rows that the numbers promise.
  func cellForRow(at indexPath: ResultsIndexPath) -> Content
  /// The titles of the section index; nil for none.
  func sectionIndexTitles() -> [String]?
}
