package import FetchedResults
import TableViews

/// A delegate that reports each callback and then lets its table react to it.
package final class TableRecorder: DelegateRecorder {
  let table: FetchedResultsTable<CellContent>
  let tableName: String

  init(
    _ table: FetchedResultsTable<CellContent>, named tableName: String,
    of binding: ControllerBinding, emit: @escaping (Event) -> Void
  ) {
    self.table = table
    self.tableName = tableName
    super.init(table.implementedMethods, binding, emit)
  }

  package override func controllerWillChangeContent(_ controller: FetchedResultsController) {
    super.controllerWillChangeContent(controller)
    table.controllerWillChangeContent(controller)
  }

  package override func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    super.controller(
      controller, didChange: object, at: indexPath, for: type, newIndexPath: newIndexPath)
    table.controller(
      controller, didChange: object, at: indexPath, for: type, newIndexPath: newIndexPath)
  }

  package override func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    super.controller(controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
    table.controller(controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
  }

  package override func controllerDidChangeContent(_ controller: FetchedResultsController) {
    super.controllerDidChangeContent(controller)
    table.controllerDidChangeContent(controller)
  }
}
