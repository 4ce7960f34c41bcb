/// What one save wrote: the note by which other contexts catch up.
public struct ContextSave: Sendable {
  /// The objects that came, in order of insertion.
  public let insertedObjectIDs: [ObjectID]
  /// The objects that changed, in order of the first change.
  public let updatedObjectIDs: [ObjectID]
  /// The objects that went, in order of the first change.
  public let deletedObjectIDs: [ObjectID]
  /// The context that saved; nil if it is unknown, as of a transaction of a store's history.
  let saver: ObjectIdentifier?
  /// The parent that the save went into; nil for the store.
  let target: ObjectIdentifier?

  init(of changed: [ManagedObject], by context: ManagedObjectContext) {
    insertedObjectIDs = changed.filter(\.isInserted).map(\.objectID)
    updatedObjectIDs = changed.filter(\.isUpdated).map(\.objectID)
    deletedObjectIDs = changed.filter(\.isDeleted).map(\.objectID)
    saver = ObjectIdentifier(context)
    target = context.parent.map { ObjectIdentifier($0) }
  }

  /// Makes a note of what others saved into the store.
  package init(
    inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []
  ) {
    insertedObjectIDs = inserted
    updatedObjectIDs = updated
    deletedObjectIDs = deleted
    saver = nil
    target = nil
  }

  /// Whether nothing was saved.
  package var isEmpty: Bool {
    insertedObjectIDs.isEmpty && updatedObjectIDs.isEmpty && deletedObjectIDs.isEmpty
  }

  /// Makes a note of changes that a store's history has.
  init(_ changes: some Sequence<PersistentHistoryChange>) {
    var ids: [PersistentHistoryChangeType: [ObjectID]] = [:]
    var seen: [PersistentHistoryChangeType: Set<ObjectID>] = [:]
    for change in changes
    where seen[change.changeType, default: []].insert(change.changedObjectID).inserted {
      ids[change.changeType, default: []].append(change.changedObjectID)
    }
    insertedObjectIDs = ids[.insert] ?? []
    updatedObjectIDs = ids[.update] ?? []
    deletedObjectIDs = ids[.delete] ?? []
    saver = nil
    target = nil
  }
}
