public import FetchedResults

/// Calls that suspend where they would have to wait for another process.
extension ManagedObjectContext {
  /// Returns the objects that match a request, unsaved changes included.
  ///
  /// While another process has locked the file, the task sleeps between attempts, and its actor
  /// may do something else.
  ///
  /// - Throws: `FetchError`; `FetchError.cancelled` where the task is cancelled.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  @inlinable public func fetch<Result>(
    _ request: FetchRequest<Result>, isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchError) -> [Result] {
    try await fetch(request.request(in: self), isolation: isolation)
      .map { Result(managedObject: $0) }
  }

  /// Returns how many objects match a request, its limit and offset heeded, and waits as
  /// ``fetch(_:isolation:)`` does.
  ///
  /// - Throws: `FetchError`; `FetchError.cancelled` where the task is cancelled.
  public func count<Result>(
    for request: FetchRequest<Result>, isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchError) -> Int {
    try await count(for: request.request(in: self), isolation: isolation)
  }
}
