public import Foundation

extension PersistentContainer {
  /// Inserts an object for each element of a sequence, in the background.
  ///
  /// Objects are saved in groups and then forgotten, so memory holds one group, however long the
  /// sequence is. The next element is asked for only when there is room for it: at most 250 are
  /// read before objects are made of them. Contexts that merge automatically follow group by group.
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
  ///   - progress: Counts the saved objects, and can cancel the import; nil for neither.
  ///   - didSave: Called after each save with the number of objects saved so far.
  ///   - fill: Sets a new object's values. It may fetch by the object's context, and relate the
  ///     object to others. It is called on the context's queue, and the sequence is read elsewhere.
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
    let size = max(1, count)
    var saved = 0
    // A call of the context's actor takes longer than the insertion of an object, so many elements
    // go there at once.
    let ahead = ElementsAhead<Elements.Element>()
    var inserted = 0
    func insert() async throws {
      let elements = ahead.take()
      try await context.insertObjects(of: entity, from: elements, fill)
      inserted += elements.count
    }
    func save() async throws {
      try await context.saveGroup(author: author)
      saved += inserted
      inserted = 0
      progress?.completedUnitCount = Int64(saved)
      didSave?(saved)
    }
    for try await element in elements {
      if progress?.isCancelled == true { throw CancellationError() }
      let count = ahead.add(element)
      let isFull = inserted + count == size
      if isFull || count == ElementsAhead<Elements.Element>.most { try await insert() }
      if isFull { try await save() }
    }
    if !ahead.isEmpty { try await insert() }
    if inserted > 0 { try await save() }
    return saved
  }
}

/// Elements of an import that were read, and of which no objects were made yet.
///
/// It is a class, which knows the type of its elements. The function that reads them would look up
/// the type of an array of them again after each element.
private final class ElementsAhead<Element> {
  /// How many there are at most.
  static var most: Int { 250 }

  private var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }

  /// Adds an element, and returns how many there are.
  func add(_ element: Element) -> Int {
    elements.append(element)
    return elements.count
  }

  /// Removes and returns all elements.
  func take() -> [Element] {
    let taken = elements
    elements = []
    elements.reserveCapacity(Self.most)
    return taken
  }
}

extension BackgroundContext {
  fileprivate func insertObjects<Element: Sendable>(
    of entity: EntityDescription, from elements: [Element],
    _ fill: @Sendable (Element, ManagedObject) throws -> Void
  ) throws {
    for element in elements { try fill(element, context.insert(entity)) }
  }

  fileprivate func saveGroup(author: String?) async throws {
    try Task.checkCancellation()
    context.transactionAuthor = author
    do {
      try await context.save()
    } catch SaveError.cancelled {
      // Whoever imports should not have to know in which part the task was cancelled.
      throw CancellationError()
    }
    context.reset()
  }
}
