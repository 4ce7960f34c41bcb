import CoreData

/// Keeps the notification of a context's last save, so that other contexts can merge it.
///
/// Everything runs on the test's thread, so no data is shared between threads.
final class LastSave: @unchecked Sendable {
  private(set) var notification: Notification?
  private var observer: (any NSObjectProtocol)?

  init(of context: NSManagedObjectContext) {
    observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: context, queue: nil
    ) { [weak self] in self?.notification = $0 }
  }

  func forget() { observer.map { NotificationCenter.default.removeObserver($0) } }
}

/// Reports the notifications of a context in frc's format.
///
/// Everything runs on the test's thread, so no data is shared between threads.
final class NotificationReporter: @unchecked Sendable {
  private let context: String
  private let names: ObjectNames
  private let report: (String) -> Void

  init(_ context: String, names: ObjectNames, report: @escaping (String) -> Void) {
    self.context = context
    self.names = names
    self.report = report
  }

  func observers(of context: NSManagedObjectContext) -> [any NSObjectProtocol] {
    let all: [(Notification.Name, String)] = [
      (.NSManagedObjectContextObjectsDidChange, "objectsDidChange"),
      (.NSManagedObjectContextWillSave, "willSave"),
      (.NSManagedObjectContextDidSave, "didSave"),
    ]
    return all.map { name, word in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        self.tell(word, of: $0)
      }
    }
  }

  private func tell(_ word: String, of notification: Notification) {
    let keys = [
      NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
      NSInvalidatedObjectsKey,
    ]
    let info = notification.userInfo ?? [:]
    let objects = keys.map { key -> (String, String?) in
      let changed = info[key] as? Set<NSManagedObject> ?? []
      let sorted = ObjectNames.sorted(changed.map { names.name(of: $0.objectID) })
      return (key, sorted.isEmpty ? nil : JSONText.strings(sorted))
    }
    let isAll = info[NSInvalidatedAllObjectsKey] != nil
    report(
      JSONText.object(
        [
          ("event", JSONText.string("notification")), ("name", JSONText.string(word)),
          ("context", JSONText.string(context)),
        ] + objects + [("invalidatedAll", isAll ? "true" : nil)]))
  }
}
