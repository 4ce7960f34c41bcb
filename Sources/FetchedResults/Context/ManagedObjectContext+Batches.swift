/// Requests that go to the store alone, and how contexts learn of them.
extension ManagedObjectContext {
  /// Writes new rows into the store, past every context.
  ///
  /// - Throws: ``BatchRequestError``; nothing is written then.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws(BatchRequestError) -> BatchResult {
    try batch { try $0.insert(request) }
  }

  /// Changes rows of the store, past every context.
  ///
  /// - Throws: ``BatchRequestError``; nothing is written then.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws(BatchRequestError) -> BatchResult {
    try batch { try $0.update(request) }
  }

  /// Deletes rows of the store, past every context and every delete rule.
  ///
  /// - Throws: ``BatchRequestError``; nothing is written then.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws(BatchRequestError) -> BatchResult {
    try batch { try $0.delete(request) }
  }

  private func batch(
    _ body: (BatchOperation) throws -> BatchResult
  ) throws(BatchRequestError) -> BatchResult {
    do {
      return try body(BatchOperation(self))
    } catch {
      throw BatchRequestError(error, store: persistentStoreCoordinator.store.identifier)
    }
  }

  /// What happened to objects that a context is told about.
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
