package import FetchedResults

/// A list that collects the changes of a batch and applies them at its end: rows leave by their old
/// index paths, from the last to the first; then sections change; then rows come by their new index
/// paths, from the first to the last.
package final class BookList: FetchedResultsControllerDelegate {
  package let implementedMethods: FetchedResultsDelegateMethods = .changes
  /// What the list shows.
  package private(set) var sections: [BookSection] = []
  private var leaving: [ResultsIndexPath] = []
  private var coming: [(path: ResultsIndexPath, row: BookRow)] = []
  private var goneSections: [Int] = []
  private var newSections: [(index: Int, name: String)] = []

  /// Creates an empty list.
  package init() {}

  /// Shows all results.
  package func reload(from controller: FetchedResultsController) {
    sections = [BookSection](controller)
  }

  package func controllerWillChangeContent(_ controller: FetchedResultsController) {
    (leaving, coming, goneSections, newSections) = ([], [], [], [])
  }

  package func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    if let indexPath { leaving.append(indexPath) }
    if let newIndexPath { coming.append((newIndexPath, BookRow(object))) }
  }

  package func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    if type == .insert {
      newSections.append((sectionIndex, sectionInfo.name))
    } else {
      goneSections.append(sectionIndex)
    }
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController) {
    for path in leaving.sorted(by: >) { sections[path.section].rows.remove(at: path.row) }
    for index in goneSections.sorted(by: >) { sections.remove(at: index) }
    for section in newSections.sorted(by: { $0.index < $1.index }) {
      sections.insert(BookSection(name: section.name, rows: []), at: section.index)
    }
    for (path, row) in coming.sorted(by: { $0.path < $1.path }) {
      sections[path.section].rows.insert(row, at: path.row)
    }
  }
}
