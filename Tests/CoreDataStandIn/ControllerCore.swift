import FetchedResults

/// The engine's controller together with its delegate, which calls the app's delegate.
final class ControllerCore: FetchedResultsControllerDelegate {
  typealias AnyController = NSFetchedResultsController<any NSFetchRequestResult>

  let engine: FetchedResultsController
  let context: NSManagedObjectContext
  weak var delegate: (any NSFetchedResultsControllerDelegate)?
  /// The app's controller, if it has the delegate's type.
  weak var shown: AnyController?
  /// The controller for the delegate, if the app's has another type.
  var facade: AnyController?

  init(_ engine: FetchedResultsController, in context: NSManagedObjectContext) {
    self.engine = engine
    self.context = context
  }

  private var receiver: (any NSFetchedResultsControllerDelegate, AnyController)? {
    guard let delegate, let controller = shown ?? facade else { return nil }
    return (delegate, controller)
  }

  var implementedMethods: FetchedResultsDelegateMethods {
    FetchedResultsDelegateMethods(rawValue: delegate?.implementedMethods.rawValue ?? 0)
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController) {
    receiver.map { $0.controllerWillChangeContent($1) }
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    guard let (delegate, controller) = receiver else { return }
    delegate.controller(
      controller, didChange: context.object(for: object), at: indexPath.map(IndexPath.init),
      for: NSFetchedResultsChangeType(type), newIndexPath: newIndexPath.map(IndexPath.init))
  }

  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    guard let (delegate, controller) = receiver else { return }
    delegate.controller(
      controller, didChange: SectionInfo(sectionInfo, in: context), atSectionIndex: sectionIndex,
      for: NSFetchedResultsChangeType(type))
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    receiver.map { $0.controllerDidChangeContent($1) }
  }

  func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    guard let (delegate, controller) = receiver else { return nil }
    return delegate.controller(controller, sectionIndexTitleForSectionName: sectionName)
  }

  func controller(
    _ controller: FetchedResultsController, didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    guard let (delegate, controller) = receiver else { return }
    delegate.controller(
      controller,
      didChangeContentWith: NSDiffableDataSourceSnapshotReference(snapshot, in: context))
  }

  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    guard let (delegate, controller) = receiver else { return }
    let changes = difference.map { change -> CollectionDifference<NSManagedObjectID>.Change in
      switch change {
      case .remove(let offset, let id, let place):
        .remove(offset: offset, element: context.objectID(of: id), associatedWith: place)
      case .insert(let offset, let id, let place):
        .insert(offset: offset, element: context.objectID(of: id), associatedWith: place)
      }
    }
    guard let difference = CollectionDifference(changes) else { return }
    delegate.controller(controller, didChangeContentWith: difference)
  }
}
