/// Hears every batch of a context, before the controllers that are made after
/// it.
///
/// For those who look over a controller's shoulder; it holds no rows.
package final class BatchObserver: ContextChangeReceiver {
  private let hear: (ContextChanges) -> Void

  /// Begins to observe; the context holds the observer weakly.
  package init(_ context: ManagedObjectContext, hear: @escaping (ContextChanges) -> Void) {
    self.hear = hear
    context.addReceiver(self)
  }

  func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) { hear(batch) }

  func contextDidReset() {}

  func holds(_ number: Int64, in root: EntityDescription) -> Bool { false }

  func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])? { nil }
}

extension FetchedResultsController {
  /// What stands for the last fetch: the same object until the next one, nil
  /// without results.
  package var fetchIdentity: AnyObject? { state }

  /// The request of the last fetch.
  package var fetchedRequest: FetchRequest? { state?.request }
}
