import Synchronization

/// An observation of a controller's changes as values; see
/// ``FetchedResultsController/observe(_:)``.
public final class FetchedResultsObservation {
  /// Whether the observation has ended; another thread may end it.
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

/// Whether an observation has ended, readable from any thread.
package final class EndOfObservation: Sendable {
  private let isOver = Atomic(false)

  package init() {}

  package var isReached: Bool { isOver.load(ordering: .acquiring) }

  package func note() { isOver.store(true, ordering: .releasing) }
}

extension FetchedResultsController {
  /// Calls `handler` for each batch that changes the results, until the observation is cancelled or
  /// the controller is released.
  ///
  /// Observers are called in the order in which they were added, after the delegate. A controller
  /// with an observer tracks changes, even without a delegate. The handler is called at once with
  /// the present results, and then after each fetch and each batch. It runs where the context is
  /// used, and may read the controller and change objects.
  ///
  /// - Complexity: O(*k*) for a batch of *k* changes; O(*n*) for a fetch of *n* objects.
  @discardableResult
  public func observe(
    _ handler: @escaping (SectionedDifference) -> Void
  ) -> FetchedResultsObservation {
    observe(handler, end: EndOfObservation(), didEnd: nil)
  }

  /// - Parameter didEnd: Called when the controller releases the observation.
  package func observe(
    _ handler: @escaping (SectionedDifference) -> Void, end: EndOfObservation,
    didEnd: (() -> Void)?
  ) -> FetchedResultsObservation {
    fetchMissedBatches()
    let observation = FetchedResultsObservation(handler, end: end, didEnd: didEnd)
    observers.append(observation)
    if let state { observation.tell(SectionedDifference(replacingBy: state.sections())) }
    return observation
  }

  /// Fetches again if objects changed while the controller had no follower.
  private func fetchMissedBatches() {
    guard let missed = state, missed.hasMissedBatch, missed.trackingError == nil,
      deliveryStyle == nil, !isObserved
    else { return }
    let request = fetchRequest
    fetchRequest = missed.request
    defer { fetchRequest = request }
    do {
      try performFetch()
    } catch {
      missed.trackingError = error
      state = missed
    }
  }

  /// Whether the controller has observers.
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

  /// Sends the whole results to the observers.
  func tellObserversAll() {
    tellObservers(SectionedDifference(replacingBy: state?.sections() ?? []))
  }
}
