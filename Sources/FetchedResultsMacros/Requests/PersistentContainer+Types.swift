public import FetchedResults
public import Foundation

extension PersistentContainer {
  /// Inserts an object of a class for each element of a sequence, in the background.
  ///
  /// Objects are saved in groups and then released, so only one group is in memory, however long
  /// the sequence is.
  ///
  /// ```swift
  /// try await container.insert(url.lines, of: Book.self) { line, book in
  ///   book.title = line
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - elements: The elements to create objects for.
  ///   - type: The class of the new objects.
  ///   - count: How many objects are saved at a time.
  ///   - author: The author of the saves in the history of the store.
  ///   - progress: Counts the saved objects, and can cancel the import; nil if neither is needed.
  ///   - didSave: Called after each save with the number of objects saved so far.
  ///   - fill: Sets a new object's values. It may fetch with the object's context, and relate the
  ///     object to others.
  /// - Returns: How many objects were inserted.
  /// - Throws: `StoreError`, `SaveError`, errors of `elements` and `fill`, and `CancellationError`.
  ///   Groups that were saved before stay in the store.
  /// - Precondition: The container's model was created with the class.
  @discardableResult
  public func insert<Elements: AsyncSequence & Sendable, Entity: ManagedEntity>(
    _ elements: Elements, of type: Entity.Type, savingEvery count: Int = 1_000,
    author: String? = nil, progress: Progress? = nil, didSave: (@Sendable (Int) -> Void)? = nil,
    _ fill: @escaping @Sendable (Elements.Element, Entity) throws -> Void
  ) async throws -> Int where Elements.Element: Sendable {
    try await insertObjects(
      of: type.managedSchema.entity(in: managedObjectModel), from: elements, savingEvery: count,
      author: author, progress: progress, didSave: didSave
    ) { element, object in
      try fill(element, Entity(managedObject: object))
    }
  }
}
