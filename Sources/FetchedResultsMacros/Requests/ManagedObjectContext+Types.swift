public import FetchedResults

extension ManagedObjectContext {
  /// Returns the objects that match a request, including unsaved changes.
  ///
  /// Pending changes are processed first, as in the engine's own fetch.
  ///
  /// - Throws: `FetchError`.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  @inlinable public func fetch<Result>(
    _ request: FetchRequest<Result>
  ) throws(FetchError) -> [Result] {
    // Inlined, so that the class is known to the loop that wraps the objects.
    try fetch(request.request(in: self)).map { Result(managedObject: $0) }
  }

  /// Returns how many objects match a request, including its limit and offset.
  ///
  /// - Throws: `FetchError`.
  public func count<Result>(for request: FetchRequest<Result>) throws(FetchError) -> Int {
    try count(for: request.request(in: self))
  }

  /// Returns the identities of the objects that match a request.
  ///
  /// - Throws: `FetchError`.
  public func fetchObjectIDs<Result>(
    _ request: FetchRequest<Result>
  ) throws(FetchError) -> [ObjectID] {
    try fetchObjectIDs(request.request(in: self))
  }

  /// Returns the object with an identity; nil if there is none, or if it has another class.
  public func object<Result: ManagedEntity>(
    with id: ObjectID, as type: Result.Type = Result.self
  ) -> Result? {
    findObject(with: id).flatMap(Result.typed)
  }

  /// Returns this context's instance for an object of another context.
  public func object<Result: ManagedEntity>(for other: Result) -> Result? {
    object(with: other.objectID, as: Result.self)
  }

  /// Marks an object for deletion.
  public func delete(_ object: some ManagedEntity) { delete(object.managedObject) }
}
