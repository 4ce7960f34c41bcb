import FetchedResults

/// A delegate that passes everything on to another one, and reports when each callback is over.
final class StepDelegate: FetchedResultsControllerDelegate {
  private let delegate: any FetchedResultsControllerDelegate
  private let callbackDidEnd: () -> Void

  let implementedMethods: FetchedResultsDelegateMethods

  /// - Parameters:
  ///   - delegate: Receives everything; held strongly.
  ///   - callbackDidEnd: Called after each callback about a change.
  init(
    of delegate: any FetchedResultsControllerDelegate, callbackDidEnd: @escaping () -> Void
  ) {
    self.delegate = delegate
    self.callbackDidEnd = callbackDidEnd
    implementedMethods = delegate.resolvedMethods
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController) {
    delegate.controllerWillChangeContent(controller)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    delegate.controller(
      controller, didChange: object, at: indexPath, for: type, newIndexPath: newIndexPath)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    delegate.controller(
      controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
    callbackDidEnd()
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    delegate.controllerDidChangeContent(controller)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    delegate.controller(controller, didChangeContentWith: snapshot)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    delegate.controller(controller, didChangeContentWith: difference)
    callbackDidEnd()
  }

  func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    delegate.controller(controller, sectionIndexTitleForSectionName: sectionName)
  }
}

/// Shows the table after each callback of a turn, and waits before the next one.
final class Stepper {
  private let show: (ControllerBinding) -> Void
  private let awaitKey: (_ step: Int) -> Bool
  private var count = 0
  private var isWaiting = true

  /// - Parameters:
  ///   - show: Prints the table of a controller.
  ///   - awaitKey: Waits until the user asks for the next step. Returns false if the rest should
  ///     run without a pause.
  init(show: @escaping (ControllerBinding) -> Void, awaitKey: @escaping (Int) -> Bool) {
    self.show = show
    self.awaitKey = awaitKey
  }

  /// Called before a callback is sent.
  func callbackWillBegin() {
    if count > 0, isWaiting { isWaiting = awaitKey(count) }
    count += 1
  }

  /// Shows the table after a callback.
  func callbackDidEnd(of controller: ControllerBinding) { show(controller) }
}
