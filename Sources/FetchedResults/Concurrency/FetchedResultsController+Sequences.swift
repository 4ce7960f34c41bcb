/// A controller's changes as sequences that other actors may follow.
extension FetchedResultsController {
  /// The changes of the results: first everything as it is, then the difference of each batch.
  ///
  /// Each access makes a new sequence, which keeps differences until they are taken. The sequence
  /// ends when the controller is released. The controller tracks changes only while there is a
  /// sequence or a delegate. So create the sequence before the first ``performFetch()``. The
  /// elements are values, so another actor may iterate over the sequence.
  public var changes: AsyncStream<SectionedDifference> {
    sequence(buffering: .unbounded) { $0 }
  }

  /// The sections with the identities of their objects, after each batch that changed them.
  ///
  /// A slow reader gets the newest sections, and misses those in between.
  ///
  /// - Complexity: O(*n*) for a batch, with *n* objects; ``changes`` takes O(*k*).
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
