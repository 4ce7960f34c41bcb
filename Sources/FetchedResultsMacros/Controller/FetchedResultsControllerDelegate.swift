public import FetchedResults

/// The methods that are called when the results of a controller change.
///
/// The calls have the same order and meaning as those of the engine's delegate. All methods are
/// optional.
public protocol FetchedResultsControllerDelegate<Result>: AnyObject {
  /// The class of the objects.
  associatedtype Result: ManagedEntity
  /// What the method for snapshots returns; the compiler finds it.
  associatedtype SnapshotResult = UnimplementedMethod
  /// What the method for differences returns; the compiler finds it.
  associatedtype DifferenceResult = UnimplementedMethod

  /// The methods that the controller calls. By default, it calls all that this delegate implements.
  var implementedMethods: FetchedResultsDelegateMethods { get }

  /// Called before the changes of a batch.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Result>)

  /// Called for each changed object.
  ///
  /// `indexPath` is the index path before the batch, nil for an insert. `newIndexPath` is the one
  /// after it, nil for a delete. An update has both.
  func controller(
    _ controller: FetchedResultsController<Result>, didChange object: Result,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?)

  /// Called for each section that was inserted or deleted.
  func controller(
    _ controller: FetchedResultsController<Result>,
    didChange section: ManagedResultsSection<Result>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// Called after the changes of a batch.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Result>)

  /// Called with a snapshot of the current results, after each batch and after each fetch.
  ///
  /// Write the method without a result.
  @discardableResult func controller(
    _ controller: FetchedResultsController<Result>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) -> SnapshotResult

  /// Called with the difference between the objects before and after a batch.
  ///
  /// Write the method without a result.
  @discardableResult func controller(
    _ controller: FetchedResultsController<Result>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) -> DifferenceResult

  /// Returns the title of a section in the section index; nil for the default.
  func controller(
    _ controller: FetchedResultsController<Result>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

/// Default implementations, which tell the controller that the delegate lacks the method.
extension FetchedResultsControllerDelegate {
  /// All methods that the delegate implements.
  public var implementedMethods: FetchedResultsDelegateMethods { .automatic }

  /// The listed methods, or those that the delegate implements.
  var resolvedMethods: FetchedResultsDelegateMethods {
    implementedMethods.resolved(
      snapshot: SnapshotResult.self, difference: DifferenceResult.self)
  }

  /// Does nothing.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Result>) {
    controller.controller.noteUnimplemented(.willChangeContent)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Result>, didChange object: Result,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    controller.controller.noteUnimplemented(.didChangeObject)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Result>,
    didChange section: ManagedResultsSection<Result>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {
    controller.controller.noteUnimplemented(.didChangeSection)
  }

  /// Does nothing.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Result>) {
    controller.controller.noteUnimplemented(.didChangeContent)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Result>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) -> UnimplementedMethod { UnimplementedMethod() }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Result>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) -> UnimplementedMethod { UnimplementedMethod() }

  /// Returns nil.
  public func controller(
    _ controller: FetchedResultsController<Result>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    controller.controller.noteUnimplemented(.sectionIndexTitle)
    return nil
  }
}

/// The delegate of the engine's controller.
///
/// It wraps the objects, and forwards the calls.
final class DelegateRelay<Result: ManagedEntity>: FetchedResults.FetchedResultsControllerDelegate {
  weak var controller: FetchedResultsController<Result>?
  private var changes = FetchedResultsChanges<Result>()

  var implementedMethods: FetchedResultsDelegateMethods {
    controller?.delegate?.resolvedMethods ?? .changes
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
    } else if !controller.hasDelegate {
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
