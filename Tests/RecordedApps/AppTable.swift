import CoreData
import FetchedResults
import Foundation
import TableViews

/// The delegate of an app, with a table that only counts rows.
final class AppTable: NSObject, NSFetchedResultsControllerDelegate {
  weak var recorder: FetchedResultsRecorder?
  private(set) var hasMistake = false
  /// Whether the table raised an exception or shows different rows than its controller.
  private(set) var hasEffect = false

  private let mistake: AppMistake?
  /// How many opportunities for the mistake to skip.
  private var place: Int
  private var operations: [TableViews.TableOperation] = []
  /// The rows that the table shows.
  private var rows: [[NSObject]] = []
  private var late: [TableViews.TableOperation] = []

  init(_ mistake: AppMistake?, place: Int) {
    self.mistake = mistake
    self.place = place
  }

  /// Whether to make the mistake here.
  private func makes(_ mistake: AppMistake) -> Bool {
    guard self.mistake == mistake, !hasMistake else { return false }
    place -= 1
    guard place < 0 else { return false }
    hasMistake = true
    return true
  }

  private func perform(_ operation: TableViews.TableOperation) {
    operations.append(operation)
    recorder?.record(Self.recorded(operation))
  }

  private static func recorded(
    _ operation: TableViews.TableOperation
  ) -> FetchedResultsRecorder.TableOperation {
    func path(_ path: ResultsIndexPath) -> IndexPath {
      IndexPath(row: path.row, section: path.section)
    }
    return switch operation {
    case .beginUpdates: .beginUpdates
    case .endUpdates: .endUpdates
    case .insertRows(let row): .insertRows([path(row)])
    case .deleteRows(let row): .deleteRows([path(row)])
    case .reloadRows(let row), .configureCell(let row): .reloadRows([path(row)])
    case .moveRow(let old, let new): .moveRow(path(old), to: path(new))
    case .insertSections(let index): .insertSections([index])
    case .deleteSections(let index): .deleteSections([index])
    case .reloadData: .reloadData
    }
  }

  // MARK: The delegate

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    rows = Self.rows(of: controller)
    operations = []
    perform(.beginUpdates)
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    func path(_ path: IndexPath?) -> ResultsIndexPath {
      ResultsIndexPath(section: path?.section ?? 0, row: path?.row ?? 0)
    }
    switch type {
    case .insert: row(path(newIndexPath)) { .insertRows($0) }
    case .delete: row(path(indexPath)) { .deleteRows($0) }
    case .update: perform(.reloadRows(path(indexPath)))
    case .move:
      if makes(.reloadForMove) { return perform(.reloadRows(path(indexPath))) }
      perform(.deleteRows(path(indexPath)))
      perform(.insertRows(path(newIndexPath)))
    }
  }

  private func row(
    _ path: ResultsIndexPath, _ operation: (ResultsIndexPath) -> TableViews.TableOperation
  ) {
    if makes(.forgottenRow) { return }
    if makes(.lateOperation) { return late.append(operation(path)) }
    perform(operation(makes(.wrongRow) ? path.below : path))
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    if makes(.forgottenSection) { return }
    perform(type == .insert ? .insertSections(sectionIndex) : .deleteSections(sectionIndex))
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    if makes(.missingEnd) {
      hasEffect = true
      return
    }
    let batch = operations
    perform(.endUpdates)
    for operation in late {
      hasEffect = true
      perform(operation)
    }
    let after = Self.rows(of: controller)
    do throws(TableUpdateError) {
      let outcome = try TableOutcome(
        of: batch, before: rows.map(\.count), after: after.map(\.count))
      for (shown, actual) in zip(outcome.sources.joined(), after.joined()) {
        if let shown, rows[shown.section][shown.row] !== actual { hasEffect = true }
      }
    } catch {
      hasEffect = true
      recorder?.record(
        exceptionNamed: "NSInternalInconsistencyException", reason: error.description)
    }
    late = []
  }

  private static func rows(
    of controller: NSFetchedResultsController<NSFetchRequestResult>
  ) -> [[NSObject]] {
    (controller.sections ?? []).map { ($0.objects ?? []).compactMap { $0 as? NSObject } }
  }
}

extension ResultsIndexPath {
  fileprivate var below: ResultsIndexPath { ResultsIndexPath(section: section, row: row + 1) }
}
