import CoreData

/// An index that was out of range.
struct ListProblem: Error {
  let words: String
}

/// A list that follows Core Data's rules: it collects a batch, and applies it at its end.
class BookList: NSObject, FuzzedList {
  fileprivate var sections: [ShownSection] = []
  private var leaving: [IndexPath] = []
  private var coming: [(path: IndexPath, row: ShownRow)] = []
  private var goneSections: [Int] = []
  private var newSections: [(index: Int, name: String)] = []
  private var problem: ListProblem?

  func reload(from controller: NSFetchedResultsController<NSManagedObject>) {
    sections = (controller.sections ?? []).map { section in
      let books = (section.objects ?? []).compactMap { $0 as? NSManagedObject }
      return ShownSection(name: section.name, rows: books.map(row))
    }
  }

  var shownSections: [ShownSection] {
    get throws {
      if let problem { throw problem }
      return sections
    }
  }

  func text(for object: NSManagedObject) -> String? { object.value(forKey: "title") as? String }

  fileprivate func row(_ book: NSManagedObject) -> ShownRow {
    ShownRow(objectID: book.objectID, text: text(for: book))
  }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    (leaving, coming, goneSections, newSections) = ([], [], [], [])
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let book = anObject as? NSManagedObject else { return }
    // An update may come without a new index path.
    let newPath = newIndexPath ?? (type == .update ? indexPath : nil)
    if let indexPath { leaving.append(indexPath) }
    if let newPath { coming.append((newPath, row(book))) }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    if type == .insert {
      newSections.append((sectionIndex, sectionInfo.name))
    } else {
      goneSections.append(sectionIndex)
    }
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    for path in leaving.sorted(by: >) { sections[path[0]].rows.remove(at: path[1]) }
    for index in goneSections.sorted(by: >) { sections.remove(at: index) }
    for section in newSections.sorted(by: { $0.index < $1.index }) {
      sections.insert(ShownSection(name: section.name, rows: []), at: section.index)
    }
    for (path, row) in coming.sorted(by: { $0.path < $1.path }) {
      guard sections.indices.contains(path[0]), path[1] <= sections[path[0]].rows.count else {
        problem = problem ?? ListProblem(words: "no place for a row at \(path)")
        return
      }
      sections[path[0]].rows.insert(row, at: path[1])
    }
  }
}

/// A list with a mistake: it treats a move as an update.
final class StaleBookList: BookList {
  override func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard type == .move, let indexPath, let book = anObject as? NSManagedObject else {
      return super.controller(
        controller, didChange: anObject, at: indexPath, for: type, newIndexPath: newIndexPath)
    }
    sections[indexPath[0]].rows[indexPath[1]] = row(book)
  }
}

/// A list with a mistake: it notices no sections.
final class FlatBookList: NSObject, FuzzedList {
  private var sections: [ShownSection] = []
  private var problem: ListProblem?

  func reload(from controller: NSFetchedResultsController<NSManagedObject>) {
    sections = (controller.sections ?? []).map { section in
      let books = (section.objects ?? []).compactMap { $0 as? NSManagedObject }
      return ShownSection(name: section.name, rows: books.map { ShownRow(objectID: $0.objectID) })
    }
  }

  var shownSections: [ShownSection] {
    get throws {
      if let problem { throw problem }
      return sections
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard type == .insert, let newIndexPath, let book = anObject as? NSManagedObject else { return }
    guard sections.indices.contains(newIndexPath[0]) else {
      problem = ListProblem(words: "no section \(newIndexPath[0])")
      return
    }
    let row = ShownRow(objectID: book.objectID)
    let count = sections[newIndexPath[0]].rows.count
    sections[newIndexPath[0]].rows.insert(row, at: min(count, newIndexPath[1]))
  }
}
