import FetchedResults

/// The delegate of the engine's controller.
///
/// It wraps the objects, and forwards the calls.
final class DelegateRelay<Result: ManagedEntity>: FetchedResults.FetchedResultsControllerDelegate {
  weak var controller: FetchedResultsController<Result>?
  private var changes = FetchedResultsChanges<Result>()

  var implementedMethods: FetchedResultsDelegateMethods {
    controller?.delegate?.implementedMethods ?? .changes
  }

  func controllerWillChangeContent(_: EngineFetchedResultsController) {
    guard let controller else { return }
    changes = FetchedResultsChanges()
    controller.delegate?.controllerWillChangeContent(controller)
  }

  func controller(
    _: EngineFetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    guard let controller else { return }
    let object = Result(managedObject: object)
    guard let delegate = controller.delegate else {
      changes.objects.append(
        .init(object: object, type: type, indexPath: indexPath, newIndexPath: newIndexPath))
      return
    }
    delegate.controller(
      controller, didChange: object, at: indexPath, for: type, newIndexPath: newIndexPath)
  }

  func controller(
    _: EngineFetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    guard let controller else { return }
    guard let delegate = controller.delegate else {
      changes.sections.append(.init(name: sectionInfo.name, index: sectionIndex, type: type))
      return
    }
    delegate.controller(
      controller, didChange: ManagedResultsSection(sectionInfo), atSectionIndex: sectionIndex,
      for: type)
  }

  func controllerDidChangeContent(_: EngineFetchedResultsController) {
    guard let controller else { return }
    if let delegate = controller.delegate {
      delegate.controllerDidChangeContent(controller)
    } else {
      let batch = changes
      changes = FetchedResultsChanges()
      controller.onChange?(batch)
    }
  }

  func controller(
    _: EngineFetchedResultsController, didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    guard let controller else { return }
    controller.delegate?.controller(controller, didChangeContentWith: snapshot)
  }

  func controller(
    _: EngineFetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    guard let controller else { return }
    controller.delegate?.controller(controller, didChangeContentWith: difference)
  }

  func controller(
    _: EngineFetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    guard let controller else { return nil }
    return controller.delegate?.controller(
      controller, sectionIndexTitleForSectionName: sectionName)
  }
}
