/// Batch requests, which go directly to the store, and how contexts learn about them.
extension ManagedObjectContext {
  /// Inserts rows into the store, without changing any context.
  ///
  /// - Throws: ``BatchRequestError``; then nothing is written.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws(BatchRequestError) -> BatchResult {
    try batch { try $0.insert(request) }
  }

  /// Changes rows of the store, without changing any context.
  ///
  /// - Throws: ``BatchRequestError``; then nothing is written.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws(BatchRequestError) -> BatchResult {
    try batch { try $0.update(request) }
  }

  /// Deletes rows of the store, without changing any context or applying any delete rule.
  ///
  /// - Throws: ``BatchRequestError``; then nothing is written.
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

  /// What happened to the objects of a merge.
  public enum ChangeKey: String, Hashable, Sendable, CaseIterable {
    /// Objects that were inserted.
    case insertedObjects
    /// Objects that were updated.
    case updatedObjects
    /// Objects that were deleted.
    case deletedObjects
  }

  /// Merges changes that were written directly into the store, for example by a batch request.
  ///
  /// Controllers report them with the next processing, as after
  /// ``mergeChanges(fromContextDidSave:)``. A parent context merges before its children.
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
    // What a context changed because of the merge, for example references to a deleted object, is
    // part of what its children merge.
    var consequences: [ObjectIdentifier: [ObjectID]] = [:]
    for (context, _) in zip(contexts, depths).sorted(by: { $0.1 < $1.1 }) {
      let ofParent = context.parent.flatMap { consequences[ObjectIdentifier($0)] } ?? []
      let own = ChangeMerger(context).merge(
        inserted: changes[.insertedObjects] ?? [],
        changed: (changes[.updatedObjects] ?? []) + (changes[.deletedObjects] ?? []) + ofParent)
      consequences[ObjectIdentifier(context)] = ofParent + own
    }
  }
}
