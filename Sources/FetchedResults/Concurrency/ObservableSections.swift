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

/// A controller's changes as sequences that other actors may follow.
extension FetchedResultsController {
  /// The changes of the results: first the complete results, then the difference of each batch.
  ///
  /// Each access creates a sequence of its own, which keeps differences until they are read. It
  /// ends when the controller is released. The elements are values, so another actor can read the
  /// sequence.
  ///
  /// No change is lost between the first element and the later ones. The controller tracks changes
  /// as long as it has a delegate, an observer or a sequence. Otherwise it keeps the results of
  /// its fetch. It fetches again when the sequence is created, if it missed changes until then.
  /// See ``observe(_:)``.
  public var changes: AsyncStream<SectionedDifference> {
    sequence(buffering: .unbounded) { $0 }
  }

  /// The sections with the identities of their objects: first as they are, then after each batch
  /// that changed them.
  ///
  /// A slow reader gets the newest sections and skips those between. Nothing is lost at the start,
  /// as for ``changes``.
  ///
  /// - Complexity: O(*n*) a batch for *n* objects, where ``changes`` takes O(*k*).
  public var snapshots: AsyncStream<[FetchedResultsSnapshot.Section]> {
    sequence(buffering: .bufferingNewest(1)) { [weak self] _ in self?.state?.sections() }
  }

  private func sequence<Element: Sendable>(
    buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy,
    _ element: @escaping (SectionedDifference) -> Element?
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
    let end = EndOfObservation()
    continuation.onTermination = { _ in end.note() }
    _ = observe(
      { difference in if let element = element(difference) { continuation.yield(element) } },
      end: end, didEnd: { continuation.finish() })
    return stream
  }
}
