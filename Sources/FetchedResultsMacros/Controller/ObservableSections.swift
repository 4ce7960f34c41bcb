public import FetchedResults
public import Observation

/// The engine's observable sections, whose name is hidden by this module's ``ObservableSections``.
public typealias EngineObservableSections = FetchedResults.ObservableSections

/// The sections of a controller, for views that observe them.
///
/// ```swift
/// let list = ObservableSections(of: controller)
/// // in a view: ForEach(list.sections) …
/// ```
public final class ObservableSections<Result: ManagedEntity>: Observable {
  private let base: EngineObservableSections
  /// Kept, because its delegate is called by it.
  private let controller: FetchedResultsController<Result>

  /// Creates the observable sections of a controller, which tracks changes from now on.
  ///
  /// - Complexity: O(*k*) for a batch of *k* changes, and the time to move the rows after them.
  public init(of controller: FetchedResultsController<Result>) {
    self.controller = controller
    base = EngineObservableSections(of: controller.controller)
  }

  /// The sections with the identities of their objects, as they are now.
  public var sections: [FetchedResultsSnapshot.Section] { base.sections }

  /// The last change; nil before the first fetch.
  public var lastChange: SectionedDifference? { base.lastChange }

  /// Returns the object at an index path; nil if there is none.
  public func object(at path: ResultsIndexPath) -> Result? {
    base.object(at: path).map(Result.init(managedObject:))
  }
}
