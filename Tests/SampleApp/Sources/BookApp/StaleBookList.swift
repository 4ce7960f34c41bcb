package import FetchedResults

/// A list with a mistake: it treats a move as an update, so the row stays where it was.
package final class StaleBookList: FetchedResultsControllerDelegate {
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
    switch type {
    case .insert, .delete:
      if let indexPath { leaving.append(indexPath) }
      if let newIndexPath { coming.append((newIndexPath, BookRow(object))) }
    case .update, .move:
      // Wrong: a move has to leave its old place and come to its new one.
      guard let indexPath, sections.has(indexPath) else { return }
      sections[indexPath.section].rows[indexPath.row] = BookRow(object)
    }
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
    for (path, row) in coming.sorted(by: { $0.path < $1.path }) where sections.has(section: path) {
      let rows = sections[path.section].rows
      sections[path.section].rows.insert(row, at: min(path.row, rows.count))
    }
  }
}

extension [BookSection] {
  fileprivate func has(section path: ResultsIndexPath) -> Bool { indices.contains(path.section) }
}
