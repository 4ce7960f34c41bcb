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
    return objects(ofKind: entity, numbered: numbers)
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
