import FetchedResultsTesting

/// A list that follows its controller by the rules: rows leave from the last to the first, then
/// sections change, then rows come from the first to the last.
final class GoodList: FuzzedList {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private var list = CheckedList()
  private var leaving: [ResultsIndexPath] = []
  private var coming: [(path: ResultsIndexPath, row: ShownRow)] = []
  private var goneSections: [Int] = []
  private var newSections: [(index: Int, name: String)] = []

  func reload(from controller: FetchedResultsController) {
    list = CheckedList(controller, text: text)
  }

  var shownSections: [ShownSection] { get throws { try list.sections } }

  func text(for object: ManagedObject) -> String? { "\(object["title"])" }

  func controllerWillChangeContent(_ controller: FetchedResultsController) {
    (leaving, coming, goneSections, newSections) = ([], [], [], [])
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    if let indexPath { leaving.append(indexPath) }
    if let newIndexPath {
      coming.append((newIndexPath, ShownRow(objectID: object.objectID, text: text(for: object))))
    }
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    if type == .insert {
      newSections.append((sectionIndex, sectionInfo.name))
    } else {
      goneSections.append(sectionIndex)
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    for path in leaving.sorted(by: >) { list.remove(at: path) }
    for index in goneSections.sorted(by: >) { list.removeSection(at: index) }
    for section in newSections.sorted(by: { $0.index < $1.index }) {
      list.insertSection(named: section.name, at: section.index)
    }
    for (path, row) in coming.sorted(by: { $0.path < $1.path }) { list.insert(row, at: path) }
  }
}

/// A list that applies each callback at once.
final class HastyList: FuzzedList {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private var list = CheckedList()

  func reload(from controller: FetchedResultsController) { list = CheckedList(controller) }

  var shownSections: [ShownSection] { get throws { try list.sections } }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    if let indexPath { list.remove(at: indexPath) }
    if let newIndexPath { list.insert(ShownRow(objectID: object.objectID), at: newIndexPath) }
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    if type == .insert {
      list.insertSection(named: sectionInfo.name, at: sectionIndex)
    } else {
      list.removeSection(at: sectionIndex)
    }
  }
}
