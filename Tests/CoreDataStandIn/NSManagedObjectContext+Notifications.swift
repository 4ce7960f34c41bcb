import FetchedResults

public let NSInsertedObjectsKey = "inserted"
public let NSUpdatedObjectsKey = "updated"
public let NSDeletedObjectsKey = "deleted"
public let NSRefreshedObjectsKey = "refreshed"
public let NSInvalidatedObjectsKey = "invalidated"
public let NSInvalidatedAllObjectsKey = "invalidatedAll"

extension Notification.Name {
  /// Objects of a context changed in a turn.
  public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
    "NSObjectsChangedInManagingContextNotification")
  /// A context is about to save.
  public static let NSManagedObjectContextWillSave = Notification.Name(
    "NSManagingContextWillSaveChangesNotification")
  /// A context has saved.
  public static let NSManagedObjectContextDidSave = Notification.Name(
    "NSManagingContextDidSaveChangesNotification")
}

extension NSManagedObjectContext {
  func post(_ notification: ContextNotification) {
    let center = NotificationCenter.default
    switch notification {
    case .objectsDidChange(let objects):
      center.post(
        name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: userInfo(of: objects)
      )
    case .willSave: center.post(name: .NSManagedObjectContextWillSave, object: self)
    case .didSave(let objects):
      center.post(
        name: .NSManagedObjectContextDidSave, object: self, userInfo: userInfo(of: objects))
    }
  }

  private func userInfo(of objects: NotifiedObjects) -> [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    for (key, changed) in objects.byKey { info[key.rawValue] = wrapped(changed) }
    if objects.areAllInvalidated { info[NSInvalidatedAllObjectsKey] = [NSManagedObjectID]() }
    return info
  }
}
