extension ManagedObjectContext {
  /// Tells `handler` of each processing of changes and of each save, until the
  /// observation is cancelled or released.
  ///
  /// Several observers, and controllers, are told in the order in which they began.
  /// A processing that changed no object is not told, nor is a save that has nothing
  /// to write. An observer may change objects and save, as Core Data's may: what it
  /// changes in `objectsDidChange` is a batch of its own.
  public func observe(
    _ handler: @escaping (ContextNotification) -> Void
  ) -> ContextObservation {
    let observation = ContextObservation(self, handler)
    addReceiver(observation)
    observers.removeAll { $0.observation == nil }
    observers.append(WeakObservation(observation: observation))
    return observation
  }

  /// Tells observers something of a save.
  func notify(_ notification: ContextNotification) {
    for observer in observers { observer.observation?.tell(notification) }
  }
}

/// Someone who is told about a context's changes and saves; see
/// ``ManagedObjectContext/observe(_:)``.
public final class ContextObservation {
  private weak var context: ManagedObjectContext?
  private var handler: ((ContextNotification) -> Void)?

  fileprivate init(
    _ context: ManagedObjectContext, _ handler: @escaping (ContextNotification) -> Void
  ) {
    self.context = context
    self.handler = handler
  }

  /// Ends the observation.
  public func cancel() {
    handler = nil
    context?.observers.removeAll { $0.observation === self }
  }

  fileprivate func tell(_ notification: ContextNotification) { handler?(notification) }
}

extension ContextObservation: ContextChangeReceiver {
  package func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) {
    guard handler != nil, !batch.changes.isEmpty else { return }
    tell(.objectsDidChange(NotifiedObjects(changedIn: batch)))
  }

  package func contextDidReset() {
    var objects = NotifiedObjects()
    objects.areAllInvalidated = true
    tell(.objectsDidChange(objects))
  }

  package func holds(_ number: Int64, in root: EntityDescription) -> Bool { false }

  package func awaitsMerges(of entity: EntityDescription) -> Bool { handler != nil }

  package func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])? { nil }
}

/// An observation that may go away.
struct WeakObservation {
  weak var observation: ContextObservation?
}
