import FetchedResults

/// A list of long books in sections by publisher that is kept up to date.
final class BookList: FetchedResultsControllerDelegate {
  private(set) var heard: [String] = []
  private let controller: FetchedResultsController

  init(of library: Library) throws {
    let request = FetchRequest(
      entity: library.book,
      predicate: try FetchPredicate(format: "pages >= %d", 100),
      sortDescriptors: [
        FetchSortDescriptor(key: "publisher"),
        FetchSortDescriptor(key: "title", selector: .localizedStandardCompare),
      ])
    controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: library.context,
      sectionNameKeyPath: "publisher")
    controller.delegate = self
    try controller.performFetch()
  }

  /// The sections with their books, as the screen would show them.
  var lines: [String] {
    guard let sections = controller.sections else { return [] }
    var lines: [String] = []
    for section in sections {
      lines.append("\(section.name) (\(section.numberOfObjects))")
      for book in section.objects { lines.append("  " + text(of: book["title"])) }
    }
    return lines
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController) {
    heard.append("begin updates")
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    let old = indexPath.map { " at \($0)" } ?? ""
    let new = newIndexPath.map { " to \($0)" } ?? ""
    heard.append("\(type) \(object["title"])\(old)\(new)")
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    heard.append("\(type) section \(sectionIndex) \(sectionInfo.name)")
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    heard.append("end updates")
  }
}
