import FetchedResults

/// An object as a context has it, or would read it.
///
/// Whoever writes a turn looks at objects in this way: reading one into the
/// context would change what the turn does, and in one of several runs only.
struct SeenObject {
  let id: ObjectID
  private let snapshot: ObjectSnapshot

  var entity: EntityDescription { id.entity }

  /// The value of an attribute.
  subscript(name: String) -> PropertyValue {
    entity.attributeIndex(named: name).map { snapshot[$0] } ?? .null
  }

  /// Returns what a context has of an entity's objects, by number.
  static func all(of entity: EntityDescription, in context: ManagedObjectContext) -> [SeenObject] {
    // A store that cannot be read fails in the next statement, too.
    var ids = Set((try? context.persistentStoreCoordinator.store.objectIDs(of: entity)) ?? [])
    var layer: ManagedObjectContext? = context
    while let current = layer {
      ids.formUnion(
        current.insertedObjects.map(\.objectID).filter { $0.entity.isKindOf(entity: entity) })
      layer = current.parent
    }
    return ids.sorted { $0.number < $1.number }.compactMap { id in
      // One that went before it was saved hides what another process saved under its number.
      guard context.registered(id.number, in: id.entity.root)?.isDeleted != true else { return nil }
      return context.currentSnapshot(of: id).map { SeenObject(id: id, snapshot: $0) }
    }
  }
}
