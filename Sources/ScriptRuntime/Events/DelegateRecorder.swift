package import FetchedResults
import ScriptSyntax

/// A controller's delegate that turns each callback into an event.
package final class DelegateRecorder: FetchedResultsControllerDelegate {
  package let implementedMethods: FetchedResultsDelegateMethods
  private unowned let binding: ControllerBinding
  private let emit: (Event) -> Void

  init(
    mode: Statement.DelegateMode, binding: ControllerBinding, emit: @escaping (Event) -> Void
  ) {
    implementedMethods =
      switch mode {
      case .changes: .changes
      case .didChange: .didChangeContent
      case .none: []
      }
    self.binding = binding
    self.emit = emit
  }

  package func controllerWillChangeContent(_ controller: FetchedResultsController) {
    emit(.willChangeContent(controller: binding.name))
  }

  package func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    emit(
      .didChangeObject(
        controller: binding.name, type: type, object: binding.shown(object),
        indexPath: indexPath, newIndexPath: newIndexPath))
  }

  package func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    emit(
      .didChangeSection(
        controller: binding.name, type: type, index: sectionIndex, name: sectionInfo.name))
  }

  package func controllerDidChangeContent(_ controller: FetchedResultsController) {
    emit(.didChangeContent(controller: binding.name))
  }
}
