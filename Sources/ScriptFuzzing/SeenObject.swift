import FetchedResults

/// An object as a context has it, or would read it.
///
/// Turns are written by looking at objects in this way. Reading an object into the context would
/// change what the turn does, and only in one of several runs.
struct SeenObject {
  let id: ObjectID
  private let snapshot: ObjectSnapshot

  var entity: EntityDescription { id.entity }

  /// The value of an attribute.
  subscript(name: String) -> PropertyValue {
    entity.attributeIndex(named: name).map { snapshot[$0] } ?? .null
  }

  /// Returns an entity's objects as a context has them, by number.
  static func all(of entity: EntityDescription, in context: ManagedObjectContext) -> [SeenObject] {
    // If the store cannot be read, the next statement fails too.
    var ids = Set((try? context.persistentStoreCoordinator.store.objectIDs(of: entity)) ?? [])
    var layer: ManagedObjectContext? = context
    while let current = layer {
      ids.formUnion(
        current.insertedObjects.map(\.objectID).filter { $0.entity.isKindOf(entity: entity) })
      layer = current.parent
    }
    return ids.sorted { $0.number < $1.number }.compactMap { id in
      // An object that was deleted before a save hides what another process saved under its number.
      guard context.registered(id.number, in: id.entity.root)?.isDeleted != true else { return nil }
      return context.currentSnapshot(of: id).map { SeenObject(id: id, snapshot: $0) }
    }
  }
}
