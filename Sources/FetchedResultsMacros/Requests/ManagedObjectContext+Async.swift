public import FetchedResults

/// Variants of fetches that suspend while they wait for another process.
extension ManagedObjectContext {
  /// Returns the objects that match a request, including unsaved changes.
  ///
  /// While another process has locked the file, the task sleeps between attempts, and its actor is
  /// free for other work.
  ///
  /// - Throws: `FetchError`; `FetchError.cancelled` if the task is cancelled.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  @inlinable public func fetch<Result>(
    _ request: FetchRequest<Result>, isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchError) -> [Result] {
    try await fetch(request.request(in: self), isolation: isolation)
      .map { Result(managedObject: $0) }
  }

  /// Returns how many objects match a request, including its limit and offset.
  ///
  /// It waits like ``fetch(_:isolation:)``.
  ///
  /// - Throws: `FetchError`; `FetchError.cancelled` if the task is cancelled.
  public func count<Result>(
    for request: FetchRequest<Result>, isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchError) -> Int {
    try await count(for: request.request(in: self), isolation: isolation)
  }
}
