/// What a context tells its observers.
///
/// Core Data posts these as notifications: `objectsDidChange` is
/// NSManagedObjectContextObjectsDidChange, the two others are WillSave and DidSave.
public enum ContextNotification {
  /// Pending changes were processed, or the context was reset.
  case objectsDidChange(NotifiedObjects)
  /// A save begins, with changes that were processed. What an observer changes now is
  /// saved, too.
  case willSave
  /// A save has written its changes.
  case didSave(NotifiedObjects)
}

/// The objects of a notification, each under one key.
public struct NotifiedObjects {
  /// The new objects (`NSInsertedObjectsKey`).
  public internal(set) var inserted: [ManagedObject] = []
  /// The objects that have unsaved changes (`NSUpdatedObjectsKey`); of a save, those
  /// that it wrote.
  public internal(set) var updated: [ManagedObject] = []
  /// The objects that are deleted, or gone from the source (`NSDeletedObjectsKey`).
  public internal(set) var deleted: [ManagedObject] = []
  /// The objects that got values of the source and have no unsaved changes
  /// (`NSRefreshedObjectsKey`): by a merge, a refresh, a rollback or a resolved
  /// conflict.
  public internal(set) var refreshed: [ManagedObject] = []
  /// The objects that were taken out of the context (`NSInvalidatedObjectsKey`).
  public internal(set) var invalidated: [ManagedObject] = []
  /// Whether all objects were (`NSInvalidatedAllObjectsKey`): the context was reset.
  public internal(set) var areAllInvalidated = false

  /// The keys that have objects, in one order.
  public var byKey: [(key: Key, objects: [ManagedObject])] {
    [
      (.inserted, inserted), (.updated, updated), (.deleted, deleted), (.refreshed, refreshed),
      (.invalidated, invalidated),
    ].filter { !$0.1.isEmpty }
  }

  /// Under what an object is in a notification.
  public enum Key: String, CaseIterable, Sendable {
    /// Objects that were inserted.
    case inserted
    /// Objects with unsaved changes.
    case updated
    /// Objects that were deleted.
    case deleted
    /// Objects that got values of the source.
    case refreshed
    /// Objects that left the context.
    case invalidated
  }
}

extension NotifiedObjects {
  /// Groups the objects of a batch.
  ///
  /// - Complexity: O(*k*).
  init(changedIn batch: ContextChanges) {
    for (change, object) in zip(batch.changes, batch.objects) {
      switch change.kind {
      case .inserted: inserted.append(object)
      case .deleted where change.causes.contains(.invalidated): invalidated.append(object)
      case .deleted: deleted.append(object)
      case .updated where object.isPending: updated.append(object)
      case .updated where change.causes == .assigned: updated.append(object)
      case .updated: refreshed.append(object)
      case nil: break
      }
    }
  }

  /// Groups the objects that a save writes.
  init(savedIn changed: [ManagedObject]) {
    for object in changed {
      if object.isDeleted {
        deleted.append(object)
      } else if object.isInserted {
        inserted.append(object)
      } else {
        updated.append(object)
      }
    }
  }
}
