/// Receives every batch of a context, before the controllers that are created after it.
///
/// It observes a context without holding rows.
package final class BatchObserver: ContextChangeReceiver {
  private let hear: (ContextChanges) -> Void

  /// Begins to observe; the context holds the observer weakly.
  package init(_ context: ManagedObjectContext, hear: @escaping (ContextChanges) -> Void) {
    self.hear = hear
    context.addReceiver(self)
  }

  package func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) {
    hear(batch)
  }

  package func contextDidReset() {}

  package func holds(_ number: Int64, in root: EntityDescription) -> Bool { false }

  package func awaitsMerges(of entity: EntityDescription) -> Bool { true }

  package func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])? { nil }
}
