/// The delegate methods that a controller calls.
///
/// On Apple's systems the controller asks the Objective-C runtime which methods a delegate
/// implements. Here the controller finds it out by ``automatic``.
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
  /// Alone it does not make a controller track changes.
  public static let sectionIndexTitle = Self(rawValue: 16)

  /// `controller(_:didChangeContentWith:)` with a snapshot.
  ///
  /// No other method is then called.
  public static let snapshot = Self(rawValue: 32)
  /// `controller(_:didChangeContentWith:)` with a difference.
  ///
  /// Without a section key path no other method is then called; with one it is
  /// ignored.
  public static let difference = Self(rawValue: 64)

  /// The methods that the delegate implements, whichever they are.
  ///
  /// The default implementation of a method tells the controller that the delegate has none of its
  /// own. To learn of the two newer methods before the first batch, the controller calls them after
  /// a fetch, and when it gets a new delegate while it has results: the one with the snapshot of the
  /// results, and the one with an empty difference.
  public static let automatic = Self(rawValue: 1 << 30)

  /// The four callbacks that report changes; any of them makes a controller
  /// track.
  public static let changes: Self = [
    .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent,
  ]
}

/// Is told how a controller's results change.
///
/// For each batch of changes that concerns the results, a delegate receives, in
/// this order: will change; object deletes; section deletes; section inserts;
/// object inserts; moves and updates; did change. Each index path of an old
/// place counts in the results before the batch, each new one in the results
/// after it; never in between. While `controllerWillChangeContent(_:)` runs the
/// controller still shows the results before, from then on those after.
///
/// A callback may read the controller, change objects and fetch. Objects
/// changed inside a callback are reported in a batch of their own, at the
/// latest at the end of the next turn.
public protocol FetchedResultsControllerDelegate: AnyObject {
  /// The methods that the controller calls; ``FetchedResultsDelegateMethods/automatic``, the
  /// default, represents all that this delegate implements.
  ///
  /// Leave it out, so that no implementation is forgotten. A list is for a delegate that implements
  /// more than it wants to receive: a method that is not in the list is never called.
  var implementedMethods: FetchedResultsDelegateMethods { get }

  /// Tells that a batch follows.
  func controllerWillChangeContent(_ controller: FetchedResultsController)

  /// Tells of one object.
  ///
  /// The index path is the place before the batch, nil for an insert; the new
  /// one is the place after it, nil for a delete. An update has both.
  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?)

  /// Tells of one section, which is inserted or deleted.
  ///
  /// The index is that before the batch for a delete, and that after it for an
  /// insert.
  func controller(
    _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType)

  /// Tells that the batch is over.
  func controllerDidChangeContent(_ controller: FetchedResultsController)

  /// Tells of the results as they are now, after a batch and after each fetch.
  ///
  /// - Complexity: A snapshot names every object: O(*n*) a batch.
  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// Tells of a batch as the difference between the objects before and after.
  ///
  /// An update is a removal and an insertion at one place, each with the other
  /// as its association; a move is such a pair at two places.
  ///
  /// As on Apple's systems, a controller with sections never calls it: a difference of one list
  /// cannot say to which section an object belongs. With sections use
  /// ``FetchedResultsController/observe(_:)`` or ``FetchedResultsController/changes``, which give a
  /// ``SectionedDifference`` of any controller.
  ///
  /// - Complexity: O(*k* log *n*) for *k* changes, as the callbacks.
  func controller(
    _ controller: FetchedResultsController,
    didChangeContentWith difference: CollectionDifference<ObjectID>)

  /// Returns the title of a section in the section index; nil for the default,
  /// the name's first letter capitalised.
  func controller(
    _ controller: FetchedResultsController, sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

/// Methods that a delegate does not implement; each tells the controller so.
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
