/// Requests that go to the store alone, and how contexts learn of them.
extension ManagedObjectContext {
  /// Writes new rows into the store, past every context.
  ///
  /// - Throws: ``BatchRequestError`` or ``ObjectError`` for a value that cannot be written,
  ///   ``StoreError`` where the store refuses; nothing is written then.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
    try BatchOperation(self).insert(request)
  }

  /// Changes rows of the store, past every context.
  ///
  /// - Throws: As ``execute(_:)-(BatchInsertRequest)``, and ``FetchError`` of the predicate.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    try BatchOperation(self).update(request)
  }

  /// Deletes rows of the store, past every context and every delete rule.
  ///
  /// - Throws: ``FetchError`` of the request, ``StoreError`` where the store refuses.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    try BatchOperation(self).delete(request)
  }

  /// What happened to objects that a context is told of.
  public enum ChangeKey: String, Hashable, Sendable, CaseIterable {
    /// Objects that came.
    case insertedObjects
    /// Objects that changed.
    case updatedObjects
    /// Objects that went.
    case deletedObjects
  }

  /// Lets contexts take over what was written into the store past them, as by a batch request.
  ///
  /// Controllers report it with the next processing, as after
  /// ``mergeChanges(fromContextDidSave:)``. A parent context is told before its children.
  ///
  /// - Parameters:
  ///   - changes: The identities of the objects.
  ///   - contexts: Contexts of one coordinator.
  /// - Complexity: O(*k* log *n*) for *k* objects, in each context.
  public static func mergeChanges(
    fromRemoteContextSave changes: [ChangeKey: [ObjectID]], into contexts: [ManagedObjectContext]
  ) {
    let depths = contexts.map { context in
      Swift.sequence(first: context, next: \.parent).count { _ in true }
    }
    for (context, _) in zip(contexts, depths).sorted(by: { $0.1 < $1.1 }) {
      ChangeMerger(context).merge(
        inserted: changes[.insertedObjects] ?? [],
        changed: (changes[.updatedObjects] ?? []) + (changes[.deletedObjects] ?? []))
    }
  }
}
