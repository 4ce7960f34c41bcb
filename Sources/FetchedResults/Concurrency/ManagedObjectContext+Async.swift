/// Methods that suspend instead of blocking while another process has locked the file.
extension ManagedObjectContext {
  /// Processes pending changes, validates them and saves them, as ``save()`` does.
  ///
  /// While another process has locked the file, the task sleeps between attempts. The actor may do
  /// something else in the meantime. If it changes objects of this context, the save includes these
  /// changes.
  ///
  /// - Throws: ``SaveError``: ``StoreError/busy(store:)`` after 5 seconds, and
  ///   ``SaveError/cancelled`` if the task is cancelled. The changes then stay pending, and the
  ///   store is as it was.
  public func save(isolation: isolated (any Actor)? = #isolation) async throws(SaveError) {
    try await retrying(cancelled: .cancelled) { context throws(SaveError) in
      try context.saveNow()
    }
  }

  /// Returns the objects that match a request, as ``fetch(_:)`` does, and waits as
  /// ``save(isolation:)`` does.
  ///
  /// - Throws: ``FetchError``, ``FetchError/cancelled`` if the task is cancelled.
  public func fetch(
    _ request: FetchRequest, isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchError) -> [ManagedObject] {
    if Task.isCancelled { throw .cancelled }
    return try await retrying(cancelled: .cancelled) { context throws(FetchError) in
      try context.fetchNow(request)
    }
  }

  /// Returns how many objects match a request, as ``count(for:)`` does, and waits as
  /// ``save(isolation:)`` does.
  ///
  /// - Throws: ``FetchError``, ``FetchError/cancelled`` if the task is cancelled.
  public func count(
    for request: FetchRequest, isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchError) -> Int {
    if Task.isCancelled { throw .cancelled }
    return try await retrying(cancelled: .cancelled) { context throws(FetchError) in
      try context.countNow(for: request)
    }
  }

  // In an asynchronous function, the name would call the asynchronous method.
  private func saveNow() throws(SaveError) { try save() }

  private func fetchNow(_ request: FetchRequest) throws(FetchError) -> [ManagedObject] {
    try fetch(request)
  }

  private func countNow(for request: FetchRequest) throws(FetchError) -> Int {
    try count(for: request)
  }

  /// Calls `body` again until no other process has locked the file.
  ///
  /// - Parameter cancelled: The error to throw if the task is cancelled while it waits.
  func retrying<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, cancelled: Failure,
    _ body: (ManagedObjectContext) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    // Only time asleep counts, so that a busy actor does not give up sooner.
    var slept = Duration.zero
    var pause = Duration.milliseconds(1)
    while true {
      do throws(Failure) {
        let store = persistentStoreCoordinator.store
        let waits = store.waitsForOthers
        store.waitsForOthers = false
        defer { store.waitsForOthers = waits }
        return try body(self)
      } catch {
        guard isBusy(error), slept < Self.patience else { throw error }
      }
      do {
        try await Task.sleep(for: pause)
      } catch {
        throw cancelled
      }
      slept += pause
      pause = min(pause * 2, .milliseconds(50))
    }
  }

  /// How long to keep trying.
  private static var patience: Duration { .seconds(5) }
}

extension FetchedResultsController {
  /// Fetches, as ``performFetch()`` does, and waits as ``ManagedObjectContext/save(isolation:)``
  /// does.
  ///
  /// While it waits, the controller follows changes with the results that it had.
  ///
  /// - Throws: ``FetchedResultsError``, with ``FetchError/cancelled`` if the task is cancelled.
  public func performFetch(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchedResultsError) {
    let hadResults = state != nil
    do {
      try await managedObjectContext.retrying(cancelled: .fetch(.cancelled)) {
        _ throws(FetchedResultsError) in
        if Task.isCancelled { throw .fetch(.cancelled) }
        try replaceResults(orKeepAfter: { $0 == .fetch(.cancelled) || isBusy($0) })
      }
    } catch {
      if hadResults, error != .fetch(.cancelled) {
        forget()
        tellObserversAll()
      }
      throw error
    }
  }
}

/// Returns whether another process had locked the file.
private func isBusy(_ error: any Error) -> Bool {
  switch error {
  case StoreError.busy: true
  case SaveError.store(let error): isBusy(error)
  case FetchError.store(let error): isBusy(error)
  case FetchedResultsError.fetch(let error): isBusy(error)
  case ObjectError.unreadable(let error): isBusy(error)
  default: false
  }
}
