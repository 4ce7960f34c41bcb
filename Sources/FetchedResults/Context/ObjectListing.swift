/// Lists the objects of an entity, whether or not the context holds them.
struct ObjectListing {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Returns every live object of an entity, those marked for deletion
  /// included, by number.
  ///
  /// Nothing is processed. Where the store cannot be read, the coordinator
  /// knows why.
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

  /// Returns the live objects of an entity that have one of some numbers, in
  /// order, those marked for deletion included.
  func objects(ofKind entity: EntityDescription, numbered numbers: Set<Int64>) -> [ManagedObject] {
    var found: [ManagedObject] = []
    context.source.inBatches(numbers.sorted()) { numbers in
      for case let object? in context.objects(numbers, in: entity.root)
      where object.entity.isKindOf(entity: entity) { found.append(object) }
    }
    return found
  }

  /// Returns every live object of an entity, by number, without reading a row
  /// that a store would have to be asked for.
  ///
  /// Nothing is processed.
  ///
  /// - Throws: ``StoreError`` if the store cannot say what it has.
  /// - Complexity: O(*n* log *n*) in the objects.
  func known(
    of entity: EntityDescription
  ) throws(StoreError) -> [KnownObject] {
    guard context.persistentStoreCoordinator.store.readsInBatches else {
      return all(of: entity).map(KnownObject.object)
    }
    let table = context.table(of: entity.root)
    var known: [Int64: KnownObject] = [:]
    for id in try context.persistentStoreCoordinator.store.objectIDs(of: entity) {
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
      known[object.objectID.number] = .object(object)
    }
    return known.sorted { $0.key < $1.key }.map(\.value)
  }
}
