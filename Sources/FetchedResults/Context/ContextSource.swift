/// What a context reads from: its parent, or the store.
struct ContextSource {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Returns what the source has of an object now.
  ///
  /// Nil also if it cannot be read; the coordinator knows that then.
  func row(_ number: Int64, in root: EntityDescription) -> StoreRow? {
    // A loop, because contexts may be nested deeper than calls.
    var reader = context
    while let parent = reader.parent {
      if let object = parent.registered(number, in: root) {
        if object.isFault { parent.fire(object) }
        return object.isDeleted ? nil : object.row
      }
      reader = parent
    }
    do {
      return try context.persistentStoreCoordinator.store.row(number, in: root)
    } catch {
      context.persistentStoreCoordinator.note(error)
      return nil
    }
  }

  /// Returns what the source has of objects now, read together.
  ///
  /// Nil also for those that cannot be read, as of one; the others are read anyway.
  func rows(_ numbers: [Int64], in root: EntityDescription) -> [StoreRow?] {
    if let parent = context.parent { return ContextSource(parent).currentRows(numbers, in: root) }
    do {
      return try context.persistentStoreCoordinator.store.rows(numbers, in: root)
    } catch {
      context.persistentStoreCoordinator.note(error)
      guard numbers.count > 1 else { return [nil] }
      return numbers.map { number in
        try? context.persistentStoreCoordinator.store.row(number, in: root)
      }
    }
  }

  /// Returns what the source has of objects now, or nil if one of them cannot be read; no error is
  /// reported.
  func readableRows(_ numbers: [Int64], in root: EntityDescription) -> [StoreRow?]? {
    if let parent = context.parent { return ContextSource(parent).currentRows(numbers, in: root) }
    return try? context.persistentStoreCoordinator.store.rows(numbers, in: root)
  }

  /// How many rows are read together unless a request says otherwise.
  static var rowsAtATime: Int { 256 }

  /// Calls `body` with the index of each object and what the source has of it, as ``row(of:)``
  /// returns it; many rows are read together.
  func forEachRow<Failure>(
    of ids: [ObjectID], _ body: (Int, StoreRow?) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    while start < ids.count {
      let root = ids[start].entity.root
      var end = start
      while end < min(ids.count, start + Self.rowsAtATime), ids[end].entity.root === root {
        end += 1
      }
      let rows = self.rows(ids[start..<end].map(\.number), in: root)
      for (index, row) in zip(start..<end, rows) {
        try body(index, row?.entity === ids[index].entity ? row : nil)
      }
      start = end
    }
  }

  /// Calls `body` with numbers, many at a time.
  ///
  /// - Parameter size: How many, where a request says it; 0 if none does.
  func inBatches<Failure>(
    _ numbers: [Int64], of size: Int = 0, _ body: (ArraySlice<Int64>) throws(Failure) -> Void
  ) throws(Failure) {
    let size = size > 0 ? size : Self.rowsAtATime
    var start = 0
    while start < numbers.count {
      let end = min(numbers.count, start + size)
      try body(numbers[start..<end])
      start = end
    }
  }

  /// What reading an object gave.
  enum Reading {
    case row(StoreRow)
    /// The source has no such object.
    case nothing
    /// The source cannot say; the coordinator knows why.
    case unreadable
  }

  /// Calls `body` with the index of each object and what the source has of it, many rows read
  /// together.
  ///
  /// Unlike ``forEachRow(of:_:)``, it tells objects that could not be read from those that do not
  /// exist.
  func forEachReading(of ids: [ObjectID], _ body: (Int, Reading) -> Void) {
    let coordinator = context.persistentStoreCoordinator
    // Errors of earlier reads say nothing about these objects.
    let earlier = coordinator.takeReadFailure()
    defer { if let earlier { coordinator.note(earlier) } }
    var failure: StoreError?
    forEachRow(of: ids) { index, row in
      if let row { return body(index, .row(row)) }
      guard coordinator.hasReadFailure || failure != nil else { return body(index, .nothing) }
      // Several rows were read together, and any of them may be the one that cannot be read.
      failure = coordinator.takeReadFailure() ?? failure
      let row = self.row(of: ids[index])
      let ownFailure = coordinator.takeReadFailure()
      body(index, row.map(Reading.row) ?? (ownFailure == nil ? .nothing : .unreadable))
    }
    if let failure { coordinator.note(failure) }
  }

  /// Returns what the source has of an object now.
  ///
  /// Nil also if the number is now that of an object of another entity, because another program
  /// used it again.
  func row(of id: ObjectID) -> StoreRow? {
    guard let row = row(id.number, in: id.entity.root), row.entity === id.entity else { return nil }
    return row
  }

  /// Returns objects as they are here now, as a child context reads them.
  private func currentRows(_ numbers: [Int64], in root: EntityDescription) -> [StoreRow?] {
    let table = context.table(of: root)
    let below = numbers.filter { table[$0] == nil }
    var rows = self.rows(below, in: root).makeIterator()
    return numbers.map { number in
      guard let object = table[number] else { return rows.next() ?? nil }
      if object.isFault { context.fire(object) }
      return object.isDeleted ? nil : object.row
    }
  }

  /// Returns the row by which a fetch finds an object: the unsaved one of the
  /// first context that has one, or the store's.
  ///
  /// What a context only has read may be older than that: it knows of what was saved
  /// by the same coordinator, and where another one saved, the store is asked.
  func foundRow(
    _ number: Int64, in root: EntityDescription, asPending: Bool = true
  ) -> StoreRow? {
    if let object = context.registered(number, in: root) {
      if object.isPending && asPending { return object.row }
      if context.parent == nil && !isStale(object) && !object.isPending
        && context.persistentStoreCoordinator.store.foreignSaves == 0
      {
        return object.row
      }
    }
    if let parent = context.parent { return ContextSource(parent).foundRow(number, in: root) }
    return row(number, in: root)
  }

  private func isStale(_ object: ManagedObject) -> Bool {
    !context.stale.isEmpty && context.stale.contains(object.objectID)
  }

  /// Returns the values of an object when changes were last processed.
  func processedSnapshot(of number: Int64, in root: EntityDescription) -> ObjectSnapshot? {
    guard let object = context.registered(number, in: root) else {
      return row(number, in: root)?.snapshot
    }
    return object.isUnprocessed ? object.baseline : object.snapshot
  }

  /// Returns the identity and the values of an object as they are now.
  func values(of number: Int64, in entity: EntityDescription) -> ObjectValues? {
    if let object = context.registered(number, in: entity.root) { return object.values }
    guard let row = self.row(number, in: entity.root) else { return nil }
    return ObjectValues(
      objectID: ObjectID(entity: row.entity, number: number), snapshot: row.snapshot, graph: context
    )
  }

  /// Whether an object is not in the store; nil if it is neither here nor below.
  func isTemporary(_ number: Int64, in root: EntityDescription) -> Bool? {
    if let object = context.registered(number, in: root) { return object.hasTemporaryID }
    if let parent = context.parent { return ContextSource(parent).isTemporary(number, in: root) }
    return row(number, in: root).map { _ in false }
  }
}

/// The relation of a context to its parent, children and siblings.
extension ManagedObjectContext {
  var source: ContextSource { ContextSource(self) }

  /// The other contexts that read from the same source.
  ///
  /// - Complexity: O(*n*).
  var siblings: [ManagedObjectContext] { peers.contexts.filter { $0 !== self } }

  /// Whether other contexts read from the same source.
  var hasSiblings: Bool { peers.hasOther(than: self) }

  /// The contexts that merge automatically what this one saves: siblings and children.
  var followers: [ManagedObjectContext] {
    peers.following.filter { $0 !== self } + children.following
  }

  /// The contexts that read from the same source, this one included.
  private var peers: ContextList { parent?.children ?? persistentStoreCoordinator.contexts }

  /// Lets the source know whether this context merges automatically.
  func noteFollowing() {
    let follows = automaticallyMergesChangesFromParent
    if let parent {
      parent.children.note(self, follows: follows)
    } else {
      persistentStoreCoordinator.note(self, follows: follows)
    }
    awaitEndOfTurn()
  }

  /// Whether this context or one below it has unsaved objects of an entity.
  func hasUnsavedObjects(of root: EntityDescription) -> Bool {
    hasPendingObjects(of: root) || parent?.hasUnsavedObjects(of: root) == true
  }

  /// Whether objects of a root entity may differ from the store: they are unsaved, others saved them
  /// since they were read, or lists here still have some that a save has deleted.
  package func knowsUnsavedObjects(of root: EntityDescription) -> Bool {
    hasPendingObjects(of: root) || stale.contains { $0.entity.root === root }
      || rootsKeptInLists.contains(root) || parent?.knowsUnsavedObjects(of: root) == true
  }

  /// Whether objects of a root entity may have older values than the store, because another process
  /// saved and this context has not merged everything since.
  func mayKnowOlderObjects(of root: EntityDescription) -> Bool {
    let noticed = persistentStoreCoordinator.noticedForeignSaves
    guard noticed > 0 else { return false }
    let hasMerged =
      parent == nil && mergedForeignSaves == noticed && unreadMerges.isEmpty && lostMerges.isEmpty
    return !hasMerged && table(of: root).stored.contains { !$0.isFault }
      || parent?.mayKnowOlderObjects(of: root) == true
  }

  /// Whether this context has unsaved objects of an entity.
  ///
  /// Objects that others deleted do not count, because the store already knows about that.
  func hasPendingObjects(of root: EntityDescription) -> Bool {
    pending.contains { $0.entity.root === root && !$0.isGone }
  }
}

extension ManagedObject {
  /// Whether key paths that lead to the object read nil, as they do if the context never had it.
  func isMissing(as id: ObjectID) -> Bool {
    isForgotten || isGone || !entity.isKindOf(entity: id.entity)
  }

  /// Reads the relationships that were not read yet, in each of the object's states.
  func readRelationships() {
    snapshot.readRelationships()
    committed?.readRelationships()
    baseline?.readRelationships()
  }

  /// The object as a row, as a child context reads it.
  var row: StoreRow { StoreRow(entity: entity, snapshot: snapshot, version: version) }
}

/// A context's objects during one fetch.
///
/// The rows of a fetch often lead to the same objects, and nothing changes during a fetch. So each
/// object is read once, up to a limit.
final class CachingObjectGraph: ObjectGraph {
  private let context: ManagedObjectContext
  private var known = RowCache(capacity: 8192)

  init(_ context: ManagedObjectContext) { self.context = context }

  var owner: AnyObject? { context }

  var environment: EvaluationEnvironment { context.environment }

  func currentSnapshot(of id: ObjectID) -> ObjectSnapshot? {
    if let object = context.registered(id.number, in: id.entity.root) {
      return object.isMissing(as: id) ? nil : object.snapshot
    }
    if let snapshot = known[id] { return snapshot }
    guard let snapshot = context.currentSnapshot(of: id) else { return nil }
    known[id] = snapshot
    return snapshot
  }

  func knowsUnsavedObjects(of root: EntityDescription) -> Bool {
    context.knowsUnsavedObjects(of: root)
  }
}
