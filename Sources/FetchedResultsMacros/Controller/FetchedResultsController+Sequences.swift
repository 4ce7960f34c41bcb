public import FetchedResults

extension FetchedResultsController {
  /// The changes of the results as values: first the complete results, then the difference of each
  /// batch.
  ///
  /// The elements contain identities and no objects, so another actor can read them. To get an
  /// object for an identity, call the context's `existingObject(with:)`.
  ///
  /// The controller tracks changes as long as someone iterates the sequence. If it missed changes
  /// since ``performFetch()``, it fetches again when the sequence is created, so that no change is
  /// lost.
  public var changes: AsyncStream<SectionedDifference> { controller.changes }

  /// The sections with the identities of their objects: first the current ones, then those after
  /// each batch that changed them.
  ///
  /// A slow reader receives the newest sections and skips those between.
  ///
  /// - Complexity: O(*n*) for each batch with *n* objects, where ``changes`` takes O(*k*) for *k*
  ///   changes.
  public var snapshots: AsyncStream<[FetchedResultsSnapshot.Section]> { controller.snapshots }
}
