public import FetchedResults

/// Is told how the results of a controller of a class's objects change.
///
/// The order and the meaning of the calls are those of the engine's delegate. A delegate implements
/// the methods that it wants.
public protocol FetchedResultsControllerDelegate<Result>: AnyObject {
  /// The class of the objects.
  associatedtype Result: ManagedEntity

  /// The methods that the controller calls; by default all that this delegate implements.
  var implementedMethods: FetchedResultsDelegateMethods { get }

  /// Tells that a batch follows.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Result>)

  /// Tells of one object.
  ///
  /// The index path is the place before the batch, nil for an insert; the new one is the place
  /// after it, nil for a delete. An update has both.
  func controller(
    _ controller: FetchedResultsController<Result>, didChange object: Result,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?)

  /// Tells of one section, which is inserted or deleted.
  func controller(
    _ controller: FetchedResultsController<Result>,
    didChange section: ManagedResultsSection<Result>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// Tells that the batch is over.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Result>)

  /// Tells of the results as they are now, after a batch and after each fetch.
  func controller(
    _ controller: FetchedResultsController<Result>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// Tells of a batch as the difference between the objects before and after.
  func controller(
    _ controller: FetchedResultsController<Result>,
    didChangeContentWith difference: CollectionDifference<ObjectID>)

  /// Returns the title of a section in the section index; nil for the default.
  func controller(
    _ controller: FetchedResultsController<Result>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

/// Methods that a delegate does not implement; each tells the controller so.
extension FetchedResultsControllerDelegate {
  /// All methods that the delegate implements.
  public var implementedMethods: FetchedResultsDelegateMethods { .automatic }

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
  ) {
    controller.controller.noteUnimplemented(.snapshot)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Result>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    controller.controller.noteUnimplemented(.difference)
  }

  /// Returns nil.
  public func controller(
    _ controller: FetchedResultsController<Result>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    controller.controller.noteUnimplemented(.sectionIndexTitle)
    return nil
  }
}
