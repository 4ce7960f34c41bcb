import Synchronization

/// Someone who is told about a controller's changes as values; see
/// ``FetchedResultsController/observe(_:)``.
public final class FetchedResultsObservation {
  /// Whether the observation was ended, possibly by another thread.
  package let end: EndOfObservation
  private let handler: (SectionedDifference) -> Void
  private let didEnd: (() -> Void)?

  init(
    _ handler: @escaping (SectionedDifference) -> Void, end: EndOfObservation,
    didEnd: (() -> Void)?
  ) {
    self.handler = handler
    self.end = end
    self.didEnd = didEnd
  }

  deinit { didEnd?() }

  /// Ends the observation.
  public func cancel() { end.note() }

  func tell(_ difference: SectionedDifference) {
    if !end.isReached { handler(difference) }
  }
}

/// Whether an observation is over, for those who are on another thread.
package final class EndOfObservation: Sendable {
  private let isOver = Atomic(false)

  package init() {}

  package var isReached: Bool { isOver.load(ordering: .acquiring) }

  package func note() { isOver.store(true, ordering: .releasing) }
}

extension FetchedResultsController {
  /// Tells `handler` of each batch that changes the results, until the observation is cancelled
  /// or the controller is gone.
  ///
  /// Several observers are told in the order in which they began, after the delegate. A
  /// controller with an observer tracks changes, also without a delegate. The handler is called
  /// at once with the results as they are, after each fetch, and after each batch. It runs where
  /// the context is used, and may read the controller and change objects.
  ///
  /// - Complexity: O(*k*) a batch of *k* changes; O(*n*) for a fetch of *n* objects.
  @discardableResult
  public func observe(
    _ handler: @escaping (SectionedDifference) -> Void
  ) -> FetchedResultsObservation {
    observe(handler, end: EndOfObservation(), didEnd: nil)
  }

  /// - Parameter didEnd: Called once the controller lets go of the observation.
  package func observe(
    _ handler: @escaping (SectionedDifference) -> Void, end: EndOfObservation,
    didEnd: (() -> Void)?
  ) -> FetchedResultsObservation {
    let observation = FetchedResultsObservation(handler, end: end, didEnd: didEnd)
    observers.append(observation)
    if let state { observation.tell(SectionedDifference(replacingBy: state.sections())) }
    return observation
  }

  /// Whether someone observes the controller.
  var isObserved: Bool {
    if observers.isEmpty { return false }
    observers.removeAll { $0.end.isReached }
    return !observers.isEmpty
  }

  func tellObservers(_ difference: @autoclosure () -> SectionedDifference) {
    guard isObserved else { return }
    let difference = difference()
    for observer in observers { observer.tell(difference) }
  }

  /// Tells observers of the results as a whole.
  func tellObserversAll() {
    tellObservers(SectionedDifference(replacingBy: state?.sections() ?? []))
  }
}
