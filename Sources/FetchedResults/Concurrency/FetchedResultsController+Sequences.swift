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
