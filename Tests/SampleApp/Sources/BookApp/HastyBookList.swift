package import FetchedResults

/// A list with a mistake: it applies each callback at once, though index paths count in the
/// sections before the batch, or in those after it, and never in between.
package final class HastyBookList: FetchedResultsControllerDelegate {
  package let implementedMethods: FetchedResultsDelegateMethods = .changes
  /// What the list shows.
  package private(set) var sections: [BookSection] = []
  /// The first index that was out of range; nil if none was.
  package private(set) var problem: String?

  /// Creates an empty list.
  package init() {}

  /// Shows all results.
  package func reload(from controller: FetchedResultsController) {
    sections = [BookSection](controller)
  }

  package func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    if let indexPath {
      guard sections.has(indexPath) else { return note("no row at \(indexPath)") }
      sections[indexPath.section].rows.remove(at: indexPath.row)
    }
    if let newIndexPath {
      guard sections.indices.contains(newIndexPath.section),
        newIndexPath.row <= sections[newIndexPath.section].rows.count
      else { return note("no place for a row at \(newIndexPath)") }
      sections[newIndexPath.section].rows.insert(BookRow(object), at: newIndexPath.row)
    }
  }

  package func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    if type == .insert {
      guard sectionIndex <= sections.count else {
        return note("no place for section \(sectionIndex)")
      }
      sections.insert(BookSection(name: sectionInfo.name, rows: []), at: sectionIndex)
    } else {
      guard sections.indices.contains(sectionIndex) else {
        return note("no section \(sectionIndex)")
      }
      sections.remove(at: sectionIndex)
    }
  }

  private func note(_ words: String) { problem = problem ?? words }
}
