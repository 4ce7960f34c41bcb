public import Observation

/// The sections of a controller, for views that observe them.
///
/// ```swift
/// let list = ObservableSections(of: controller)
/// // in a view: ForEach(list.sections) …
/// ```
@Observable
public final class ObservableSections {
  /// The sections with the identities of their objects, as they are now.
  public private(set) var sections: [FetchedResultsSnapshot.Section] = []
  /// The last change; nil before the first fetch.
  public private(set) var lastChange: SectionedDifference?
  @ObservationIgnored private var observation: FetchedResultsObservation?
  @ObservationIgnored private let controller: FetchedResultsController

  /// Creates the observable sections of a controller, which tracks changes from now on.
  ///
  /// - Complexity: O(*k*) for a batch of *k* changes, and the time to move the rows after them.
  public init(of controller: FetchedResultsController) {
    self.controller = controller
    observation = controller.observe { [weak self] in self?.apply($0) }
  }

  deinit { observation?.cancel() }

  /// Returns the object at an index path; nil if there is none.
  public func object(at path: ResultsIndexPath) -> ManagedObject? {
    guard sections.indices.contains(path.section),
      sections[path.section].itemIdentifiers.indices.contains(path.row)
    else { return nil }
    return controller.managedObjectContext.findObject(
      with: sections[path.section].itemIdentifiers[path.row])
  }

  private func apply(_ difference: SectionedDifference) {
    do {
      try difference.apply(to: &sections)
    } catch {
      // Only after a turn that was stopped, and whose changes were dropped.
      sections = controller.state?.sections() ?? []
    }
    lastChange = difference
  }
}

extension FetchedResultsSnapshot.Section: Identifiable {
  /// The section's name.
  public var id: String { identifier }
}
