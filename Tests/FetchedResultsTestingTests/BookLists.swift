import FetchedResults
import FetchedResultsTesting

/// A mistake that a list can make.
enum Mistake: CaseIterable {
  /// An update uses the index path before the batch for the row after it.
  case staleIndexPath
  case ignoredUpdate
  case ignoredSectionInsert
  case ignoredSectionDelete
  case moveAsUpdate
  /// Only the last of several moves in a batch is performed.
  case oneMovePerBatch
  /// Rows are deleted from the first to the last.
  case deletesAscending
  /// Rows are inserted from the last to the first.
  case insertsDescending
  /// Rows are inserted before others are deleted.
  case insertsFirst
  /// Sections are deleted before their rows.
  case sectionsFirst
  /// A move into a new section is skipped, because that section is loaded as a whole.
  case moveIntoNewSection
}

/// A list that updates itself by the rules, except for one mistake.
///
/// By the rules, rows are deleted from the last to the first. Then sections change, and then rows
/// are inserted from the first to the last.
final class BookList: FuzzedList {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private let mistake: Mistake?
  private var list = CheckedList()
  private var leaving: [ResultsIndexPath] = []
  private var coming: [(path: ResultsIndexPath, row: ShownRow)] = []
  private var updates: [(path: ResultsIndexPath, row: ShownRow)] = []
  private var moves: [(from: ResultsIndexPath, to: ResultsIndexPath, row: ShownRow)] = []
  private var goneSections: [Int] = []
  private var newSections: [(index: Int, name: String)] = []

  init(_ mistake: Mistake? = nil) { self.mistake = mistake }

  func reload(from controller: FetchedResultsController) {
    list = CheckedList(controller, text: text)
  }

  var shownSections: [ShownSection] { get throws { try list.sections } }

  func text(for object: ManagedObject) -> String? { "\(object["title"])" }

  func controllerWillChangeContent(_ controller: FetchedResultsController) {
    (leaving, coming, updates, moves, goneSections, newSections) = ([], [], [], [], [], [])
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    let row = ShownRow(objectID: object.objectID, text: text(for: object))
    switch (indexPath, newIndexPath) {
    case (let old?, let new?) where type == .move: moves.append((old, new, row))
    case (let old?, let new?): updates.append((mistake == .staleIndexPath ? old : new, row))
    case (let old?, nil): leaving.append(old)
    case (nil, let new?): coming.append((new, row))
    case (nil, nil): break
    }
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    if type == .insert {
      if mistake != .ignoredSectionInsert { newSections.append((sectionIndex, sectionInfo.name)) }
    } else if mistake != .ignoredSectionDelete {
      goneSections.append(sectionIndex)
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    if mistake == .moveAsUpdate {
      updates += moves.map { ($0.from, $0.row) }
      moves = []
    }
    if mistake == .oneMovePerBatch { moves = moves.suffix(1) }
    leaving += moves.map(\.from)
    if mistake == .moveIntoNewSection {
      let new = Set(newSections.map(\.index))
      moves.removeAll { new.contains($0.to.section) }
    }
    coming += moves.map { ($0.to, $0.row) }
    if mistake == .sectionsFirst { changeSections() }
    if mistake == .insertsFirst { insertRows() }
    for path in leaving.sorted(by: mistake == .deletesAscending ? (<) : (>)) {
      list.remove(at: path)
    }
    if mistake != .sectionsFirst { changeSections() }
    if mistake != .insertsFirst { insertRows() }
    guard mistake != .ignoredUpdate else { return }
    for (path, row) in updates { list.replace(at: path, with: row) }
  }

  private func changeSections() {
    for index in goneSections.sorted(by: >) { list.removeSection(at: index) }
    for section in newSections.sorted(by: { $0.index < $1.index }) {
      list.insertSection(named: section.name, at: section.index)
    }
  }

  private func insertRows() {
    let isDescending = mistake == .insertsDescending
    for (path, row) in coming.sorted(by: { isDescending ? $0.path > $1.path : $0.path < $1.path }) {
      list.insert(row, at: path)
    }
  }
}

/// A list that applies each callback immediately.
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

/// A list that reloads everything after each batch.
final class ReloadingList: FuzzedList {
  let implementedMethods: FetchedResultsDelegateMethods = .didChangeContent
  private var list = CheckedList()

  func reload(from controller: FetchedResultsController) {
    list = CheckedList(controller, text: text)
  }

  var shownSections: [ShownSection] { get throws { try list.sections } }

  func text(for object: ManagedObject) -> String? { "\(object["title"])" }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    reload(from: controller)
  }
}

/// A list that shows the snapshots that it receives.
final class SnapshotList: FuzzedList {
  let implementedMethods: FetchedResultsDelegateMethods = .snapshot
  private var sections: [ShownSection] = []

  func reload(from controller: FetchedResultsController) {}

  var shownSections: [ShownSection] { sections }

  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    sections = snapshot.sections.map {
      ShownSection(name: $0.identifier, objectIDs: $0.itemIdentifiers)
    }
  }
}

/// The delegate of a table view, like Apple's template, with an optional mistake.
final class TableList: FuzzedList {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private let mistake: Mistake?
  private lazy var table = CheckedTable { [unowned self] in text(for: $0) }

  init(_ mistake: Mistake? = nil) { self.mistake = mistake }

  func reload(from controller: FetchedResultsController) { table.reloadData(from: controller) }

  var shownSections: [ShownSection] { get throws { try table.sections } }

  func text(for object: ManagedObject) -> String? { "\(object["title"])" }

  func controllerWillChangeContent(_ controller: FetchedResultsController) { table.beginUpdates() }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    let isUpdate = type == .update || type == .move && mistake == .moveAsUpdate
    if isUpdate, let indexPath { return table.reloadRows(at: [indexPath]) }
    if let indexPath { table.deleteRows(at: [indexPath]) }
    if let newIndexPath { table.insertRows(at: [newIndexPath]) }
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    if type == .insert {
      table.insertSection(at: sectionIndex)
    } else if mistake != .ignoredSectionDelete {
      table.deleteSection(at: sectionIndex)
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) { table.endUpdates() }
}

/// A list in a user interface, with an array that traps.
@MainActor final class ScreenList: @MainActor FuzzedList {
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private var rows: [ObjectID] = []
  private let traps: Bool

  init(traps: Bool = false) { self.traps = traps }

  func reload(from controller: FetchedResultsController) {
    rows = controller.fetchedObjects?.map(\.objectID) ?? []
  }

  var shownSections: [ShownSection] { [ShownSection(name: "Books", objectIDs: rows)] }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    guard traps else { return }
    if let indexPath { rows.remove(at: indexPath.row) }
    if let newIndexPath { rows.insert(object.objectID, at: newIndexPath.row) }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    if !traps { reload(from: controller) }
  }
}
