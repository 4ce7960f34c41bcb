/// What others saved and a context has not merged yet: each object once, up to a limit.
///
/// A merge reads the rows as they are then. So it needs to know only which objects changed, and
/// which of them are new. Past the limit it does not even need that: a context finds the changes
/// just as fast if it compares everything that it holds with its source.
package struct UnmergedSaves: Sendable {
  /// What is known of an object's changes.
  private struct Fact: OptionSet {
    let rawValue: UInt8

    /// The first save of the object inserted it.
    static let inserted = Fact(rawValue: 1)
    /// The object is the last one of its save.
    static let endsSave = Fact(rawValue: 2)
  }

  /// The objects that changed, in order.
  ///
  /// An object that was saved again is here twice until ``coalesce()`` removes it.
  private var ids: [ObjectID] = []
  private var facts: [Fact] = []
  /// How many objects at the start were taken.
  private var taken = 0
  /// Whether more changed than is kept.
  private var isOverflowing = false
  /// Whether the store's history has all of them.
  fileprivate private(set) var areInHistory = true
  /// The most objects to keep; at most twice as many are in memory.
  package var limit = Self.smallestLimit

  /// The limit of a context that holds few objects, and merges when it is asked to.
  package static var smallestLimit: Int { 4096 }

  /// The limit of a context that merges in short turns, in at most 2 MB.
  ///
  /// An import may be far ahead of it on a busy processor. Comparing everything would hold its
  /// actor for as long as a fetch of all rows takes.
  static var limitInTurns: Int { 1 << 16 }

  package init() {}

  /// What a context merges in one turn.
  package enum Part: Sendable {
    /// The objects that changed, and whether others inserted them.
    case objects([(id: ObjectID, isInserted: Bool)])
    /// So much has changed that the context has to compare everything with its source.
    case everything

    package var isEmpty: Bool {
      switch self {
      case .objects(let objects): objects.isEmpty
      case .everything: false
      }
    }
  }

  package var isEmpty: Bool { !isOverflowing && taken == ids.count }

  /// Adds what a save wrote.
  ///
  /// - Complexity: O(*k*) amortized for *k* objects; O(1) past the limit.
  package mutating func add(_ save: ContextSave) {
    if save.isEmpty { return }
    areInHistory = (isEmpty || areInHistory) && save.isInHistory
    if isOverflowing { return }
    if taken == ids.count { removeTaken() }
    if ids.count - taken + save.objectCount > 2 * limit { coalesce() }
    guard save.objectCount <= limit, ids.count - taken <= limit else { return addEverything() }
    for id in save.insertedObjectIDs { add(id, .inserted) }
    for id in save.updatedObjectIDs { add(id, []) }
    for id in save.deletedObjectIDs { add(id, []) }
    facts[facts.count - 1].insert(.endsSave)
  }

  /// Notes that any object may have changed.
  package mutating func addEverything() {
    (ids, facts, taken) = ([], [], 0)
    isOverflowing = true
  }

  private mutating func add(_ id: ObjectID, _ fact: Fact) {
    ids.append(id)
    facts.append(fact)
  }

  /// Keeps each object once, where it changed first.
  private mutating func coalesce() {
    var seen = Set<ObjectID>(minimumCapacity: ids.count - taken)
    var kept = 0
    for index in taken..<ids.count {
      let (id, fact) = (ids[index], facts[index])
      if seen.insert(id).inserted {
        (ids[kept], facts[kept]) = (id, fact)
        kept += 1
      } else if fact.contains(.endsSave) {
        facts[kept - 1].insert(.endsSave)
      }
    }
    ids.removeSubrange(kept...)
    facts.removeSubrange(kept...)
    taken = 0
  }

  /// Removes and returns the oldest changes.
  ///
  /// A save is taken as a whole. So what it wrote together is seen together.
  ///
  /// - Parameter count: About how many objects to return. At least one save is returned.
  package mutating func take(objects count: Int) -> Part {
    guard !isOverflowing else {
      isOverflowing = false
      return .everything
    }
    let start = taken
    let end = start + self.count(ofSavesWith: count)
    let part = Part.objects(
      (start..<end).map { (id: ids[$0], isInserted: facts[$0].contains(.inserted)) })
    taken = end
    // What is left after the last ones stays until the next save. The memory is that of the thread
    // that saves. If this thread freed it, the C library would join here what the other has freed:
    // 4 ms after an import of 100,000 objects.
    if taken < ids.count, taken > ids.count / 2 { removeTaken() }
    return part
  }

  /// Removes what was taken, and keeps no more memory than small saves need.
  private mutating func removeTaken() {
    guard taken < ids.count || ids.capacity <= 2 * Self.smallestLimit else {
      (ids, facts, taken) = ([], [], 0)
      return
    }
    ids.removeFirst(taken)
    facts.removeFirst(taken)
    taken = 0
  }

  /// How many of the oldest objects are those of whole saves with at most `count` objects, or of
  /// one save.
  private func count(ofSavesWith count: Int) -> Int {
    let waiting = facts[taken...]
    guard waiting.count > count else { return waiting.count }
    let whole = waiting.prefix(count).lastIndex { $0.contains(.endsSave) }
    let end = whole ?? waiting.firstIndex { $0.contains(.endsSave) }
    return end.map { $0 + 1 - taken } ?? waiting.count
  }
}

extension ContextSave {
  fileprivate var objectCount: Int {
    insertedObjectIDs.count + updatedObjectIDs.count + deletedObjectIDs.count
  }
}

/// What other contexts saved, until a context merges it.
///
/// Any thread may add saves.
package final class PendingSaves: Sendable {
  private let waiting = Locked(UnmergedSaves())
  private let didArrive: @Sendable () -> Void
  private let didEnd: @Sendable () -> Void

  /// - Parameters:
  ///   - didArrive: Called for each save, on the thread that saved.
  ///   - didEnd: Called when the context is gone.
  package init(
    didArrive: @escaping @Sendable () -> Void, didEnd: @escaping @Sendable () -> Void
  ) {
    self.didArrive = didArrive
    self.didEnd = didEnd
  }

  deinit { didEnd() }

  package func put(_ save: ContextSave) {
    waiting.withLock { $0.add(save) }
    didArrive()
  }

  package var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

  /// Sets the most objects to keep until changes are taken for the first time.
  func keep(atMost limit: Int) { waiting.withLock { $0.limit = limit } }

  /// Removes and returns the oldest changes.
  ///
  /// - Parameters:
  ///   - count: About how many objects to return. At least one save is returned.
  ///   - limit: The most objects to keep from now on.
  package func take(objects count: Int, keepingAtMost limit: Int) -> UnmergedSaves.Part {
    waiting.withLock { waiting in
      waiting.limit = limit
      return waiting.take(objects: count)
    }
  }

  /// Forgets all changes.
  ///
  /// - Parameter onlyIfInHistory: Whether it does so only if the store's history has all of them.
  package func empty(onlyIfInHistory: Bool = false) {
    waiting.withLock { waiting in
      if onlyIfInHistory, waiting.isEmpty || !waiting.areInHistory { return }
      let limit = waiting.limit
      waiting = UnmergedSaves()
      waiting.limit = limit
    }
  }
}

/// The values of some rows, so that they are not read again.
///
/// Its size is limited. Rows that are used often stay, and others are dropped after a while.
package struct RowCache {
  private let capacity: Int
  private var young: [ObjectID: ObjectSnapshot] = [:]
  private var old: [ObjectID: ObjectSnapshot] = [:]

  /// - Parameter capacity: How many objects are kept at most.
  package init(capacity: Int) { self.capacity = capacity }

  /// The values kept of an object, or nil.
  ///
  /// - Complexity: O(1).
  package subscript(id: ObjectID) -> ObjectSnapshot? {
    mutating get {
      if let snapshot = young[id] { return snapshot }
      guard let snapshot = old[id] else { return nil }
      self[id] = snapshot
      return snapshot
    }
    set {
      if young.count >= capacity / 2 {
        old = young
        young.removeAll(keepingCapacity: true)
      }
      young[id] = newValue
    }
  }
}
