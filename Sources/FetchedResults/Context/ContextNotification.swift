import Synchronization

/// A notification of a context for its observers.
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
  /// The objects that are deleted, here or in the source (`NSDeletedObjectsKey`).
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

extension ManagedObjectContext {
  /// Calls `handler` after each processing of changes and around each save, until the observation
  /// is cancelled or released.
  ///
  /// Observers and controllers are called in the order in which they were added. `handler` is not
  /// called if a processing changed no object, or if a save has nothing to write. An observer may
  /// change objects and save, as Core Data's may: what it changes in `objectsDidChange` is a batch
  /// of its own. In `willSave` a save is under way, and another one throws a ``NestedSaveError``.
  public func observe(
    _ handler: @escaping (ContextNotification) -> Void
  ) -> ContextObservation {
    let observation = ContextObservation(self, handler)
    addReceiver(observation)
    observers.removeAll { $0.observation == nil }
    observers.append(WeakObservation(observation: observation))
    return observation
  }

  /// Calls `handler` with each save that wrote something, until the observation is cancelled or
  /// released.
  ///
  /// Observers are called in the order in which they were added. The value can be sent to another
  /// actor, and merged there by ``mergeChanges(fromContextDidSave:)``. To learn of the objects of a
  /// save, and of changes before it, use ``observe(_:)``.
  public func observeSaves(_ handler: @escaping (ContextSave) -> Void) -> ContextObservation {
    let observation = ContextObservation(self) { _ in }
    observation.saveHandler = handler
    saveObservers.removeAll { $0.observation == nil }
    saveObservers.append(WeakObservation(observation: observation))
    return observation
  }

  /// Calls the observers of saves.
  func tellSaved(_ save: ContextSave) {
    for observer in saveObservers { observer.observation?.saveHandler?(save) }
  }

  /// Tells observers something of a save.
  func notify(_ notification: ContextNotification) {
    for observer in observers { observer.observation?.tell(notification) }
  }
}

extension ManagedObject {
  /// The changes of this object in each turn: whether it was updated, deleted or refreshed.
  ///
  /// ```swift
  /// for await _ in book.changes { titleLabel.text = book.title }
  /// ```
  ///
  /// Read the new values from the object, on the actor of its context. A reader that is slow gets
  /// the newest element and skips those between. The sequence keeps the object in its context. It
  /// ends when the context is reset or released, and at once for an object without a context.
  public var changes: AsyncStream<NotifiedObjects.Key> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NotifiedObjects.Key.self, bufferingPolicy: .bufferingNewest(1))
    guard let context = managedObjectContext else {
      continuation.finish()
      return stream
    }
    let reader = ObjectReaders.Reader(self, continuation)
    continuation.onTermination = { [end = reader.end] _ in end.note() }
    context.objectReaders.add(reader, in: context)
    return stream
  }
}

/// Whether an observation has ended, readable from any thread.
package final class EndOfObservation: Sendable {
  private let isOver = Atomic(false)

  package init() {}

  package var isReached: Bool { isOver.load(ordering: .acquiring) }

  package func note() { isOver.store(true, ordering: .releasing) }
}

/// Who reads the changes of single objects of a context.
struct ObjectReaders {
  /// A reader, which keeps its object, and whose sequence ends with it.
  final class Reader {
    fileprivate let object: ManagedObject
    let end = EndOfObservation()
    private let continuation: AsyncStream<NotifiedObjects.Key>.Continuation

    init(
      _ object: ManagedObject, _ continuation: AsyncStream<NotifiedObjects.Key>.Continuation
    ) {
      self.object = object
      self.continuation = continuation
    }

    deinit { continuation.finish() }

    fileprivate func tell(_ key: NotifiedObjects.Key) { continuation.yield(key) }
  }

  private var readers: [ObjectIdentifier: [Reader]] = [:]
  /// Observes the context for all readers.
  private var observation: ContextObservation?
  /// With how many objects to look next for readers that have ended.
  private var limit = Self.smallestLimit

  private static let smallestLimit = 16

  fileprivate mutating func add(_ reader: Reader, in context: ManagedObjectContext) {
    if readers.count >= limit {
      for object in readers.keys { removeEnded(of: object) }
      limit = max(Self.smallestLimit, readers.count * 2)
    }
    readers[ObjectIdentifier(reader.object), default: []].append(reader)
    if observation == nil {
      observation = context.observe { [unowned context] in context.objectReaders.receive($0) }
      observation?.awaitsUnknownObjects = false
    }
  }

  /// - Complexity: O(*k*) in the objects of the notification.
  private mutating func receive(_ notification: ContextNotification) {
    guard case .objectsDidChange(let changed) = notification else { return }
    if changed.areAllInvalidated { readers = [:] }
    for (key, objects) in changed.byKey {
      for object in objects.map(ObjectIdentifier.init) where readers[object] != nil {
        removeEnded(of: object)
        for reader in readers[object] ?? [] { reader.tell(key) }
      }
    }
    guard readers.isEmpty else { return }
    observation?.cancel()
    observation = nil
  }

  private mutating func removeEnded(of object: ObjectIdentifier) {
    readers[object]?.removeAll { $0.end.isReached }
    if readers[object]?.isEmpty == true { readers[object] = nil }
  }
}

/// An observer of a context's changes and saves; see ``ManagedObjectContext/observe(_:)`` and
/// ``ManagedObjectContext/observeSaves(_:)``.
public final class ContextObservation {
  private weak var context: ManagedObjectContext?
  private var handler: ((ContextNotification) -> Void)?
  fileprivate var saveHandler: ((ContextSave) -> Void)?
  /// Whether it receives merged objects that the context did not have before.
  fileprivate var awaitsUnknownObjects = true

  fileprivate init(
    _ context: ManagedObjectContext, _ handler: @escaping (ContextNotification) -> Void
  ) {
    self.context = context
    self.handler = handler
  }

  /// Ends the observation.
  public func cancel() {
    handler = nil
    saveHandler = nil
    context?.observers.removeAll { $0.observation === self }
    context?.saveObservers.removeAll { $0.observation === self }
  }

  fileprivate func tell(_ notification: ContextNotification) { handler?(notification) }
}

extension ContextObservation: ContextChangeReceiver {
  package func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) {
    guard handler != nil, !batch.changes.isEmpty else { return }
    tell(.objectsDidChange(NotifiedObjects(changedIn: batch)))
  }

  package func contextDidReset() {
    var objects = NotifiedObjects()
    objects.areAllInvalidated = true
    tell(.objectsDidChange(objects))
  }

  package func holds(_ number: Int64, in root: EntityDescription) -> Bool { false }

  package func awaitsMerges(of entity: EntityDescription) -> Bool {
    handler != nil && awaitsUnknownObjects
  }

  package func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])? { nil }
}

/// An observation that may go away.
struct WeakObservation {
  weak var observation: ContextObservation?
}

/// The contexts of one source, in order of their creation.
///
/// Adding a context looks at the others only when their number has doubled. Otherwise *n* new
/// contexts would take *n*² steps.
struct ContextList {
  private var entries: [WeakContext] = []
  /// Those that merge automatically what others save.
  private var followers: [WeakContext] = []
  /// How many entries there are when the contexts that are gone are next removed.
  private var limit = Self.smallestLimit

  private static var smallestLimit: Int { 8 }

  /// Whether there never was a context, or all were gone when one was last added.
  var isEmpty: Bool { entries.isEmpty }

  /// The contexts that exist.
  ///
  /// - Complexity: O(*n*).
  var contexts: [ManagedObjectContext] { entries.compactMap(\.context) }

  /// The contexts that merge automatically.
  ///
  /// - Complexity: O(*k*) in their number.
  var following: [ManagedObjectContext] { followers.compactMap(\.context) }

  /// Whether there is another context.
  func hasOther(than context: ManagedObjectContext) -> Bool {
    entries.contains { entry in entry.context.map { $0 !== context } ?? false }
  }

  /// Adds a context after the others.
  ///
  /// - Complexity: O(1) amortized.
  mutating func append(_ context: ManagedObjectContext) {
    if entries.count >= limit {
      entries.removeAll { $0.context == nil }
      followers.removeAll { $0.context == nil }
      limit = max(Self.smallestLimit, 2 * entries.count)
    }
    entries.append(WeakContext(context: context))
  }

  /// Notes whether a context merges automatically from now on.
  mutating func note(_ context: ManagedObjectContext, follows: Bool) {
    if follows {
      followers.append(WeakContext(context: context))
    } else {
      followers.removeAll { $0.context === context || $0.context == nil }
    }
  }
}

/// A context that may go away.
private struct WeakContext {
  weak var context: ManagedObjectContext?
}
