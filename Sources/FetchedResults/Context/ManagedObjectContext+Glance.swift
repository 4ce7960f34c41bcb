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
