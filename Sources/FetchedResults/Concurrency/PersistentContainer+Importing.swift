public import Foundation

extension PersistentContainer {
  /// Inserts an object for each element of a sequence, in the background.
  ///
  /// Objects are saved in groups and then forgotten, so memory holds one group, however long the
  /// sequence is. The next element is asked for only when there is room for it. Contexts that
  /// merge automatically follow group by group.
  ///
  /// ```swift
  /// let count = try await container.insertObjects(of: book, from: url.lines) { line, object in
  ///   object["title"] = .string(line)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - entity: The entity of the new objects.
  ///   - elements: What to make objects of.
  ///   - count: How many objects one save has.
  ///   - author: Who saves, in the history of the store.
  ///   - progress: Counts the saved objects, and can cancel the import; nil if nobody wants that.
  ///   - didSave: Called after each save with the number of objects saved so far.
  ///   - fill: Sets a new object's values. It may fetch by the object's context, and relate the
  ///     object to others.
  /// - Returns: How many objects were inserted.
  /// - Throws: ``StoreError``, ``SaveError``, what `elements` and `fill` throw, and
  ///   `CancellationError`. The groups that were saved before stay.
  @discardableResult
  public func insertObjects<Elements: AsyncSequence & Sendable>(
    of entity: EntityDescription, from elements: Elements, savingEvery count: Int = 1_000,
    author: String? = nil, progress: Progress? = nil, didSave: (@Sendable (Int) -> Void)? = nil,
    _ fill: @escaping @Sendable (Elements.Element, ManagedObject) throws -> Void
  ) async throws -> Int where Elements.Element: Sendable {
    let context = try newBackgroundContext()
    return try await context.insertObjects(
      of: entity, from: elements, savingEvery: max(1, count), author: author,
      progress: progress, didSave: didSave, fill)
  }
}

extension BackgroundContext {
  fileprivate func insertObjects<Elements: AsyncSequence & Sendable>(
    of entity: EntityDescription, from elements: Elements, savingEvery count: Int,
    author: String?, progress: Progress?, didSave: (@Sendable (Int) -> Void)?,
    _ fill: @Sendable (Elements.Element, ManagedObject) throws -> Void
  ) async throws -> Int where Elements.Element: Sendable {
    context.transactionAuthor = author
    var saved = 0
    var waiting = 0
    for try await element in elements {
      if progress?.isCancelled == true { throw CancellationError() }
      try fill(element, context.insert(entity))
      waiting += 1
      guard waiting == count else { continue }
      try await saveGroup()
      saved += waiting
      progress?.completedUnitCount = Int64(saved)
      waiting = 0
      didSave?(saved)
    }
    if waiting > 0 {
      try await saveGroup()
      saved += waiting
      progress?.completedUnitCount = Int64(saved)
      didSave?(saved)
    }
    return saved
  }

  private func saveGroup() async throws {
    try Task.checkCancellation()
    do {
      try await context.save()
    } catch SaveError.cancelled {
      // Whoever imports should not have to know in which part the task was cancelled.
      throw CancellationError()
    }
    context.reset()
  }
}
