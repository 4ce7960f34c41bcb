/// The delegate methods that a controller calls.
///
/// On Apple's systems the controller asks the Objective-C runtime which methods a delegate
/// implements. Here it finds out with ``automatic``.
public struct FetchedResultsDelegateMethods: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `controllerWillChangeContent(_:)`.
  public static let willChangeContent = Self(rawValue: 1)
  /// `controller(_:didChange:at:for:newIndexPath:)`.
  public static let didChangeObject = Self(rawValue: 2)
  /// `controller(_:didChange:atSectionIndex:for:)`.
  public static let didChangeSection = Self(rawValue: 4)
  /// `controllerDidChangeContent(_:)`.
  public static let didChangeContent = Self(rawValue: 8)
  /// `controller(_:sectionIndexTitleForSectionName:)`.
  ///
  /// It alone does not make a controller track changes.
  public static let sectionIndexTitle = Self(rawValue: 16)

  /// `controller(_:didChangeContentWith:)` with a snapshot.
  ///
  /// If it is implemented, no other method is called.
  public static let snapshot = Self(rawValue: 32)
  /// `controller(_:didChangeContentWith:)` with a difference.
  ///
  /// Without a section key path, no other method is called. With one, this method is ignored.
  public static let difference = Self(rawValue: 64)

  /// The methods that the delegate implements, found at run time.
  ///
  /// If a method is not implemented, its default implementation reports that to the controller. To
  /// find the two newer methods before the first batch, the controller calls them after a fetch,
  /// and when it gets a new delegate while it has results. The snapshot method gets a snapshot of
  /// the results, and the difference method an empty difference.
  public static let automatic = Self(rawValue: 1 << 30)

  /// The four callbacks that report changes.
  ///
  /// Each of them makes a controller track changes.
  public static let changes: Self = [
    .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent,
  ]
}

/// Receives the changes of a controller's results.
///
/// For each batch of changes that concerns the results, a delegate receives, in this order: will
/// change; object deletes; section deletes; section inserts; object inserts; moves and updates; did
/// change. Old index paths refer to the results before the batch, and new index paths to the
/// results after it. No path refers to a state in between. During `controllerWillChangeContent(_:)`
/// the controller still shows the old results, and from then on the new ones.
///
/// A callback may read the controller, change objects and fetch. Objects changed inside a callback
/// are reported in a batch of their own, at the latest at the end of the next turn.
public protocol FetchedResultsControllerDelegate: AnyObject {
  /// The methods that the controller calls; by default ``FetchedResultsDelegateMethods/automatic``,
  /// all that the delegate implements.
  ///
  /// Usually leave this out, so that no method is forgotten. Give a list if a delegate implements
  /// more methods than it wants to receive: a method that is not in the list is never called.
  var implementedMethods: FetchedResultsDelegateMethods { get }

  /// Called before the changes of a batch.
  func controllerWillChangeContent(_ controller: FetchedResultsController)

  /// Called for each changed object.
  ///
  /// The index path is the place before the batch, nil for an insert. The new index path is the
  /// place after it, nil for a delete. An update has both.
  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?)

  /// Called for each section that was inserted or deleted.
  ///
  /// For a delete, the index is the one before the batch. For an insert, it is the one after it.
  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType)

  /// Called after the changes of a batch.
  func controllerDidChangeContent(_ controller: FetchedResultsController)

  /// Called with a snapshot of the results, after a batch and after each fetch.
  ///
  /// - Complexity: O(*n*) for a batch, because a snapshot names every object.
  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// Called with a batch as the difference between the objects before and after.
  ///
  /// An update is a removal and an insertion at one place, each associated with the other. A move
  /// is such a pair at two places.
  ///
  /// As on Apple's systems, a controller with sections never calls it: a difference of one list
  /// cannot say which section an object belongs to. With sections, use
  /// ``FetchedResultsController/observe(_:)`` or ``FetchedResultsController/changes``, which give a
  /// ``SectionedDifference`` for every controller.
  ///
  /// - Complexity: O(*k* log *n*) for *k* changes, as for the callbacks.
  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>)

  /// Returns the title of a section in the section index; nil for the default, the capitalised
  /// first letter of the name.
  func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

/// Default implementations, which report to the controller that the delegate does not implement the
/// method.
extension FetchedResultsControllerDelegate {
  /// ``FetchedResultsDelegateMethods/automatic``.
  public var implementedMethods: FetchedResultsDelegateMethods { .automatic }

  /// Does nothing.
  public func controllerWillChangeContent(_ controller: FetchedResultsController) {
    controller.noteUnimplemented(.willChangeContent)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    controller.noteUnimplemented(.didChangeObject)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    controller.noteUnimplemented(.didChangeSection)
  }

  /// Does nothing.
  public func controllerDidChangeContent(_ controller: FetchedResultsController) {
    controller.noteUnimplemented(.didChangeContent)
  }

  /// Returns nil.
  public func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    controller.noteUnimplemented(.sectionIndexTitle)
    return nil
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    controller.noteUnimplemented(.snapshot)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    controller.noteUnimplemented(.difference)
  }
}
