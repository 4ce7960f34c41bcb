extension ManagedObjectContext {
  /// Returns the objects that match a request, unsaved changes included.
  ///
  /// Pending changes are processed first, so controllers report them before the fetch returns.
  ///
  /// - Throws: ``FetchError``.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public func fetch(_ request: FetchRequest) throws(FetchError) -> [ManagedObject] {
    try alone { () throws(FetchError) in try ContextFetch(self).objects(request) }
  }

  /// Passes on the objects that match a request in its order, unsaved changes included.
  ///
  /// It does what ``fetch(_:)`` does, but makes no list.
  ///
  /// - Parameters:
  ///   - restart: Called if the objects that were passed on so far are not the result.
  ///   - pass: Takes the next object. It must not use the context.
  @usableFromInline package func fetch(
    _ request: FetchRequest, restart: () -> Void, pass: (ManagedObject) -> Void
  ) throws(FetchError) {
    try alone { () throws(FetchError) in
      try ContextFetch(self).passObjects(of: request, restart: restart, pass: pass)
    }
  }

  /// Returns how many objects match a request, within its limit and offset.
  ///
  /// Pending changes are processed first, as in ``fetch(_:)``.
  ///
  /// - Throws: ``FetchError``.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public func count(for request: FetchRequest) throws(FetchError) -> Int {
    try ContextFetch(self).count(for: request)
  }

  /// Returns the identities of the objects that match a request, unsaved changes included.
  ///
  /// - Throws: ``FetchError``.
  public func fetchObjectIDs(_ request: FetchRequest) throws(FetchError) -> [ObjectID] {
    try ContextFetch(self).objects(request).map(\.objectID)
  }

  /// Returns values of saved objects by name.
  ///
  /// Unsaved changes are ignored, and the turn does not end.
  ///
  /// The request's limit and offset count dictionaries.
  ///
  /// - Throws: ``FetchError``, in Apple's words if the properties do not fit together.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  public func fetchDictionaries(_ request: FetchRequest) throws(FetchError) -> [FetchedDictionary] {
    // The dictionaries may refer to objects by their identities.
    let request = Renumbering(self).renumberBeforeReading(request)
    return try DictionaryFetch(request, in: self).run()
  }

  /// Gives unsaved objects other numbers if another process took theirs, as each fetch does first.
  package func renumberBeforeReading() { Renumbering(self).renumberBeforeReading() }

  /// Whether another process may have saved an object with the number of one of these, because that
  /// is new here.
  ///
  /// - Complexity: O(*k*) in the objects, and O(1) if the context has no new objects.
  package func hasNewObject(among ids: [ObjectID]) -> Bool {
    mayHaveDrafts && ids.contains { newObject($0) != nil }
  }

  /// Whether objects that were never saved may be here.
  var mayHaveDrafts: Bool {
    mayHaveNewObjects || drafts.isPossible || !persistentStoreCoordinator.lostDrafts.isEmpty
  }

  /// Returns the object with an identity, if it was never saved.
  func newObject(_ id: ObjectID) -> ManagedObject? {
    registered(id.number, in: id.entity.root).flatMap { $0.version == 0 ? $0 : nil }
  }

  /// Returns the numbers of the matching objects, in the request's order.
  package func fetchNumbers(_ request: FetchRequest) throws(FetchError) -> [Int64] {
    try ContextFetch(self).numbers(request)
  }

  /// Throws the error of an earlier access to a fault, if there was one.
  func checkReads() throws(FetchError) {
    do {
      try persistentStoreCoordinator.checkReads()
    } catch {
      throw FetchError.store(error)
    }
  }

  /// Returns the values of an object as they are now.
  package func snapshot(of number: Int64, in root: EntityDescription) -> ObjectSnapshot? {
    source.values(of: number, in: root)?.snapshot
  }

  /// Compiles a predicate with this context's clock, locale and objects.
  package func compile(
    _ predicate: FetchPredicate?, for entity: EntityDescription
  ) throws(FetchError) -> CompiledPredicate? {
    try ContextFetch(self).compile(predicate, for: entity)
  }
}

/// Performs what a request asks for in addition to rows that match: saved membership, newer values,
/// related objects.
struct FetchOptions {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Returns the fetches that see what is saved and nothing else, with the request for
  /// them.
  ///
  /// A context that has read nothing sees just that: by whose values a row matches and
  /// is sorted, also those of related objects, is one question.
  static func fetchOfSaved(
    _ request: FetchRequest, for context: ManagedObjectContext
  ) -> (ContextFetch, FetchRequest) {
    let saved = ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
    saved.environment = context.environment
    var request = request
    request.includesPendingChanges = true
    return (ContextFetch(saved), request)
  }

  // MARK: Newer values

  /// Gives the objects that the context has the source's values, where those are newer;
  /// unsaved changes stay.
  ///
  /// - Complexity: O(*n*): every row of an object here is read.
  func refresh(_ numbers: [Int64], in root: EntityDescription) {
    let table = context.table(of: root)
    let held = numbers.filter { table[$0].map { !$0.isInserted && !$0.isDeleted } == true }
    context.source.inBatches(held) { numbers in
      for (number, row) in zip(numbers, context.source.rows(Array(numbers), in: root)) {
        guard let object = table[number], let row,
          row.version != object.version || context.stale.contains(object.objectID)
        else { continue }
        context.replacing.refresh(object, to: row, mergeChanges: true, by: .refreshed)
      }
    }
    context.reconciler.finish()
  }

  // MARK: Related objects

  /// Reads the objects that relationships of fetched rows lead to, all those of one
  /// relationship together.
  ///
  /// - Parameter keyPaths: Dotted; a key that is not a relationship ends its path.
  func prefetch(_ keyPaths: [String], of rows: [StoreRow]) {
    for keyPath in keyPaths {
      var level = rows
      for key in keyPath.split(separator: ".").map(String.init) where !level.isEmpty {
        level = related(to: level, by: key)
      }
    }
  }

  private func related(to rows: [StoreRow], by key: String) -> [StoreRow] {
    var numbers: Set<Int64> = []
    var root: EntityDescription?
    for row in rows {
      guard let ordinal = row.entity.relationshipOrdinal(named: key) else { continue }
      // The first of many that were read together reads the relationship for all.
      for id in row.snapshot[row.entity.attributes.count + ordinal].members {
        numbers.insert(id.number)
        root = id.entity.root
      }
    }
    guard let root else { return [] }
    var found: [StoreRow] = []
    context.source.inBatches(numbers.sorted()) { numbers in
      found += context.objects(numbers, in: root).compactMap { $0?.row }
    }
    return found
  }
}

/// Reads faults when they are accessed.
struct FaultFiring {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Gives a fault the values that the source has now.
  ///
  /// The values that were read last serve while the source has no newer ones. A look
  /// never changes what another object is related to.
  func fire(_ fault: ManagedObject) {
    fault.isFault = false
    guard fault.managedObjectContext === context, !fault.isDeleted, !fault.isPending else { return }
    guard context.stale.contains(fault.objectID) else { return }
    context.persistentStoreCoordinator.firedFaults += 1
    guard let (row, isInStep) = read(fault) else {
      // What could not be read is not gone.
      if context.persistentStoreCoordinator.hasReadFailure {
        fault.isFault = true
      } else {
        lose(fault)
      }
      return
    }
    for listener in context.listeners { listener.receiver?.contextWillFire(fault) }
    if !fault.isUnprocessed { context.valuesBeforeFiring[fault.objectID] = fault.snapshot }
    if isInStep {
      fault.snapshot = row.snapshot
      fault.version = row.version
      context.stale.remove(fault.objectID)
      if !context.persistentStoreCoordinator.hooks.isEmpty {
        ObjectLifecycle(context).awakeFromFetch(fault)
      }
    } else {
      for index in fault.entity.attributes.indices {
        // The stored value, because data in a file of its own is not needed yet.
        fault.snapshot.stored[index] = row.snapshot.stored[index]
      }
    }
    if fault.isUnprocessed { context.undoRecorder.didReplace(fault) }
  }

  /// Reads a fault's row, and whether it is in step with the source; nil if there is no row, or if
  /// it cannot be read.
  private func read(_ fault: ManagedObject) -> (row: StoreRow, isInStep: Bool)? {
    var result: (row: StoreRow, isInStep: Bool)?
    let readAll = {
      guard let row = context.source.row(of: fault.objectID) else { return }
      result = (row, isInStep(fault, with: row))
    }
    // One statement reads a row, and each list takes another. Others may save between them.
    if fault.entity.relationships.contains(where: \.isToMany) {
      context.persistentStoreCoordinator.store.readingOneStateIfPossible(readAll)
    } else {
      readAll()
    }
    return result
  }

  /// Whether the source relates a fault to the same objects as this context does.
  ///
  /// Else its relationships follow with a merge or a refresh, as do those on the other
  /// side, and the fault stays one with older values than the source.
  private func isInStep(_ fault: ManagedObject, with row: StoreRow) -> Bool {
    guard !fault.entity.relationships.isEmpty else { return true }
    let theirs = row.snapshot
    theirs.readRelationships()
    fault.readRelationships()
    return fault.entity.relationships.indices.allSatisfy { ordinal in
      let index = fault.entity.attributes.count + ordinal
      return theirs[index] == fault.snapshot[index]
    }
  }

  /// Lets a fault whose row is gone be a deleted object without values, as Core Data
  /// does since iOS 9.
  ///
  /// Its relationships' other sides follow with the next processing.
  private func lose(_ fault: ManagedObject) {
    context.console?(
      "CoreData: warning: An NSManagedObjectContext delegate overrode fault handling behavior to "
        + "silently delete the object with ID '\(fault.objectID)' and substitute nil/0 for all "
        + "property values instead of throwing.")
    context.replacing.delete(fault, by: .refreshed)
    fault.snapshot.removeAttributes(of: fault.entity)
  }
}

extension ManagedObjectContext {
  /// Gives a fault the values that the source has now.
  func fire(_ fault: ManagedObject) { FaultFiring(self).fire(fault) }
}

extension ObjectSnapshot {
  /// Makes every attribute nil, as those of an object are whose row is gone.
  mutating func removeAttributes(of entity: EntityDescription) {
    for index in entity.attributes.indices { self[index] = .null }
  }
}

/// What receives the objects of a fetch, one after the other.
///
/// So the caller of a fetch can put each object where it wants it, and no list of objects is made
/// in between.
final class FetchReceiver {
  /// Called if the objects that were passed on so far are not the result.
  let restart: () -> Void
  /// Takes the next object.
  let pass: (ManagedObject) -> Void

  init(restart: @escaping () -> Void, pass: @escaping (ManagedObject) -> Void) {
    self.restart = restart
    self.pass = pass
  }
}

/// Makes an object of each row while the store reads the next one, and passes it on.
final class RowAdoption: RowReceiver {
  private let context: ManagedObjectContext
  private let reference: ContextReference
  private let table: ObjectTable
  private let receiver: FetchReceiver
  private let pass: (ManagedObject) -> Void
  /// The objects that were made, if a controller may have to learn of them.
  private var made: [ManagedObject] = []
  private let hasListeners: Bool

  init(in context: ManagedObjectContext, _ root: EntityDescription, _ receiver: FetchReceiver) {
    self.context = context
    reference = context.reference
    self.receiver = receiver
    pass = receiver.pass
    table = context.table(of: root)
    hasListeners = !context.listeners.isEmpty
  }

  func begin() { receiver.restart() }

  func receive(_ row: consuming StoreRow, number: Int64) {
    if let object = table.objects[number] { return object._withUnsafeGuaranteedRef(pass) }
    // The table takes the only reference, so that none is counted on the way.
    let object = Unmanaged.passRetained(ManagedObject(row, number: number, in: reference))
    table.add(object, number: number)
    if hasListeners { made.append(object.takeUnretainedValue()) }
    object._withUnsafeGuaranteedRef(pass)
  }

  /// Takes the objects out of the context, because the fetch has failed.
  ///
  /// Others may have saved before the rows were read. A controller may have placed these rows by
  /// older values, and would use the values of the objects instead.
  func abandon() {
    for object in made where table[object.objectID.number] === object {
      table[object.objectID.number] = nil
    }
  }

  /// Tells controllers of the objects, if others have saved.
  func finish() {
    guard context.persistentStoreCoordinator.store.foreignSaves > 0 else { return }
    for object in made { context.tellReceivers(ofRead: object) }
  }
}

/// Lists the objects of an entity, whether or not they are in the context.
struct ObjectListing {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Returns every object of an entity that exists, by number, including objects marked for
  /// deletion.
  ///
  /// Nothing is processed. If the store cannot be read, the coordinator keeps the error.
  ///
  /// - Complexity: O(*n* log *n*) in the objects.
  func all(of entity: EntityDescription) -> [ManagedObject] {
    var objects: [ManagedObject] = []
    // Others may save between the statement that lists the numbers and those that read the rows.
    context.persistentStoreCoordinator.store.readingOneStateIfPossible {
      objects = self.objects(ofKind: entity, numbered: numbers(of: entity))
    }
    return objects
  }

  /// Returns the numbers of the objects of an entity in the store, in this context and in those
  /// above it.
  private func numbers(of entity: EntityDescription) -> Set<Int64> {
    var numbers: Set<Int64> = []
    do {
      for id in try context.persistentStoreCoordinator.store.objectIDs(of: entity) {
        numbers.insert(id.number)
      }
    } catch {
      context.persistentStoreCoordinator.note(error)
    }
    for context in Swift.sequence(first: context, next: \.parent) {
      for object in context.table(of: entity.root).stored
      where object.entity.isKindOf(entity: entity) {
        numbers.insert(object.objectID.number)
      }
    }
    return numbers
  }

  /// Returns the existing objects of an entity with some numbers, in order, including objects
  /// marked for deletion.
  func objects(ofKind entity: EntityDescription, numbered numbers: Set<Int64>) -> [ManagedObject] {
    var found: [ManagedObject] = []
    context.source.inBatches(numbers.sorted()) { numbers in
      for case let object? in context.objects(numbers, in: entity.root)
      where object.entity.isKindOf(entity: entity) { found.append(object) }
    }
    return found
  }

  /// Returns the objects of an entity whose relationship may lead to one of some objects:
  /// according to the store, and objects that may differ from the store.
  ///
  /// If the store cannot be read, the coordinator keeps the error.
  func referrers(
    to ids: [ObjectID], of entity: EntityDescription, at ordinal: Int
  ) -> [ManagedObject] {
    var numbers: Set<Int64> = []
    do {
      for id in try context.persistentStoreCoordinator.store.objectIDs(
        of: entity, leadingTo: ids, at: ordinal)
      {
        numbers.insert(id.number)
      }
    } catch {
      context.persistentStoreCoordinator.note(error)
    }
    for context in Swift.sequence(first: context, next: \.parent) {
      for object in context.pending where object.entity.isKindOf(entity: entity) {
        numbers.insert(object.objectID.number)
      }
      for id in context.stale where id.entity.isKindOf(entity: entity) { numbers.insert(id.number) }
      // The store has no column for such a relationship.
      guard entity.relationships[ordinal].isTransient else { continue }
      for object in context.table(of: entity.root).stored
      where object.entity.isKindOf(entity: entity) {
        numbers.insert(object.objectID.number)
      }
    }
    return objects(ofKind: entity, numbered: numbers)
  }

  /// Returns every object of an entity that exists, by number, without reading a row from a store.
  ///
  /// Nothing is processed.
  ///
  /// - Throws: ``StoreError`` if the store cannot say what it has.
  /// - Complexity: O(*n* log *n*) in the objects.
  func known(
    of entity: EntityDescription
  ) throws(StoreError) -> [KnownObject] {
    let table = context.table(of: entity.root)
    let ids = try context.persistentStoreCoordinator.store.objectIDs(of: entity)
    var known: [Int64: KnownObject] = Dictionary(minimumCapacity: ids.count)
    // A list that was stopped is not used.
    var stop = StopCheck.Loop()
    for id in ids {
      if stop.isWanted() { return [] }
      known[id.number] = .fault(id)
    }
    var below = context.parent
    while let context = below {
      for object in context.table(of: entity.root).stored
      where object.entity.isKindOf(entity: entity) {
        let id = object.objectID
        known[id.number] = object.isDeleted ? nil : .fault(id)
      }
      below = context.parent
    }
    for object in table.stored where object.entity.isKindOf(entity: entity) {
      if stop.isWanted() { return [] }
      known[object.objectID.number] = .object(object)
    }
    var numbers = Array(known.keys)
    StopCheck.sort(&numbers, by: <)
    var list: [KnownObject] = []
    list.reserveCapacity(numbers.count)
    for number in numbers {
      if stop.isWanted() { return [] }
      if let object = known[number] { list.append(object) }
    }
    releaseInBackground(consume known, count: list.count)
    return list
  }
}

extension ManagedObjectContext {
  /// Looks at values of an entity's objects that are in memory.
  ///
  /// No fault is fired and no file is read. If the store is a file, only objects in this context
  /// are seen. A fault is seen with the values that were last read.
  ///
  /// - Parameters:
  ///   - entity: The entity; objects of those that inherit from it are seen too.
  ///   - limit: The most objects to look at.
  ///   - body: Called with each object that is not deleted. It returns whether to continue.
  /// - Complexity: O(*n*) in the objects of the root entity, at most the limit.
  package func glance(
    at entity: EntityDescription, atMost limit: Int,
    _ body: (ObjectID, ObjectSnapshot) -> Bool
  ) {
    let root = entity.root
    let table = table(of: root)
    guard let store = persistentStoreCoordinator.store as? InMemoryStore else {
      for object in table.stored.prefix(limit)
      where !object.isDeleted && object.entity.isKindOf(entity: entity) {
        guard body(object.objectID, object.snapshot) else { return }
      }
      return
    }
    var number: Int64 = 0
    let last = min(store.lastNumber(in: root), Int64(clamping: limit))
    while number < last {
      number += 1
      if let object = table[number], !object.isFault {
        guard !object.isDeleted, object.entity.isKindOf(entity: entity) else { continue }
        guard body(object.objectID, object.snapshot) else { return }
      } else if let row = store.row(number, in: root), row.entity.isKindOf(entity: entity) {
        guard body(ObjectID(entity: row.entity, number: number), row.snapshot) else { return }
      }
    }
  }
}
