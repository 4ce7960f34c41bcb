public import FetchedResults

extension FetchedResultsController {
  /// The changes of the results as values: first everything as it is, then the difference of each
  /// batch.
  ///
  /// The elements have identities and no objects, so another actor may follow them. Turn an
  /// identity into an object with the context's `existingObject(with:)`.
  ///
  /// The controller tracks changes as long as somebody follows. If it missed changes since
  /// ``performFetch()``, it fetches again when the sequence is asked for, so no change is lost.
  public var changes: AsyncStream<SectionedDifference> { controller.changes }

  /// The sections with the identities of their objects: first as they are, then after each batch
  /// that changed them.
  ///
  /// A slow reader gets the newest sections and skips those between.
  ///
  /// - Complexity: O(*n*) a batch for *n* objects, where ``changes`` takes O(*k*) for *k* changes.
  public var snapshots: AsyncStream<[FetchedResultsSnapshot.Section]> { controller.snapshots }
}
