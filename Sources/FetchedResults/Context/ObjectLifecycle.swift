/// Runs the hooks of a context's objects.
struct ObjectLifecycle {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  private func hooks(of object: ManagedObject) -> [ManagedObjectHooks] {
    context.persistentStoreCoordinator.hooks(of: object.entity)
  }

  // MARK: Inserting and deleting

  /// Inserts an object, and assigns values after `awakeFromInsert`.
  ///
  /// - Parameter places: The places of the values that are assigned.
  func insert(_ id: ObjectID, _ snapshot: ObjectSnapshot, assigning places: [Int]) -> ManagedObject
  {
    let object = context.insert(id, snapshot: id.entity.defaults)
    awakeFromInsert(object)
    guard !object.isDeleted else { return object }
    for place in places where place < object.entity.attributes.count {
      object.snapshot[place] = snapshot[place]
    }
    return object
  }

  private func awakeFromInsert(_ object: ManagedObject) {
    for hooks in hooks(of: object) { hooks.awakeFromInsert?(object) }
  }

  /// Runs `awakeFromInsert` for an object that a child context's save inserts.
  ///
  /// The child's values win.
  ///
  /// - Returns: The values that the hooks set, which the child's values replace; nil if there are
  ///   no hooks.
  func awakeFromInsert(pushed object: ManagedObject) -> ObjectSnapshot? {
    guard hooks(of: object).contains(where: { $0.awakeFromInsert != nil }) else { return nil }
    let pushed = object.snapshot
    object.snapshot = object.entity.defaults
    awakeFromInsert(object)
    let awoken = object.snapshot
    object.snapshot = pushed
    return object.isDeleted ? nil : awoken
  }

  /// Runs `awakeFromFetch`, which may set transient values without changing the object.
  func awakeFromFetch(_ object: ManagedObject) {
    let awakening = hooks(of: object).compactMap(\.awakeFromFetch)
    guard !awakening.isEmpty else { return }
    let read = object.snapshot
    let wasUnprocessed = object.isUnprocessed
    let wasPending = object.isPending
    let causes = object.causes
    for awake in awakening { awake(object) }
    guard !object.isDeleted else { return }
    var values = read
    for place in object.entity.unstoredPlaces where place < object.entity.attributes.count {
      values[place] = object.snapshot[place]
    }
    object.snapshot = values
    if !wasUnprocessed { context.dropUnprocessed(object) }
    if !wasPending { context.dropPending(object) }
    object.causes = causes
  }

  func prepareForDeletion(_ object: ManagedObject) {
    // A hook that deletes its own object has no further effect.
    guard context.preparedDeletions.insert(ObjectIdentifier(object)).inserted else { return }
    for hooks in hooks(of: object) where !object.isDeleted { hooks.prepareForDeletion?(object) }
    context.preparedDeletions.remove(ObjectIdentifier(object))
  }

  // MARK: Saving

  /// Whether a save has hooks to run.
  var observesSaves: Bool { !context.persistentStoreCoordinator.hooks.isEmpty }

  /// Runs `willSave` for the objects that a save will write, until no hook changes anything.
  ///
  /// - Parameter prepare: Computes what depends on the changes, and processes them.
  /// - Throws: ``EndlessSaveError`` if a hook never stops changing objects.
  func willSave(_ prepare: () throws -> Void) throws {
    guard observesSaves else { return }
    var told: Set<ObjectIdentifier> = []
    var waiting = context.pending.filter(\.hasChanges)
    for _ in 1...EndlessSaveError.mostHookRounds {
      context.isInWillSave = true
      for object in waiting {
        told.insert(ObjectIdentifier(object))
        for hooks in hooks(of: object) { hooks.willSave?(object) }
      }
      context.isInWillSave = false
      let changed = Set(context.unprocessed.map { ObjectIdentifier($0) })
      try prepare()
      waiting = context.pending.filter {
        $0.hasChanges
          && (changed.contains(ObjectIdentifier($0)) || !told.contains(ObjectIdentifier($0)))
      }
      if waiting.isEmpty { return }
    }
    throw EndlessSaveError(changing: waiting[0].objectID)
  }

  func didSave(_ objects: [ManagedObject]) {
    for object in objects {
      // The values of a deleted object can still be read.
      let isGone = context.registered(object.objectID.number, in: object.entity.root) == nil
      if isGone { context.register(object) }
      for hooks in hooks(of: object) { hooks.didSave?(object) }
      if isGone { context.forget(object) }
    }
  }
}

extension ManagedObjectContext {
  /// Removes an object from the list of unprocessed changes.
  fileprivate func dropUnprocessed(_ object: ManagedObject) {
    guard object.isUnprocessed else { return }
    object.isUnprocessed = false
    object.baseline = nil
    if let place = unprocessed.lastIndex(where: { $0 === object }) { unprocessed.remove(at: place) }
  }

  /// Removes an object from the list of unsaved changes.
  fileprivate func dropPending(_ object: ManagedObject) {
    guard object.isPending else { return }
    object.isPending = false
    object.committed = nil
    if let place = pending.lastIndex(where: { $0 === object }) { pending.remove(at: place) }
  }
}

/// Code that runs at certain moments in the life of an entity's objects.
///
/// An app overrides these methods in its subclass of NSManagedObject.
///
/// ```swift
/// var hooks = ManagedObjectHooks()
/// hooks.awakeFromInsert = { $0["created"] = .date(Date()) }
/// coordinator.setHooks(hooks, of: book)
/// ```
///
/// An entity that inherits from another one has the hooks of both. The parent's run first.
public struct ManagedObjectHooks {
  /// Runs once, when a context inserts the object, before its values are assigned.
  ///
  /// When a child context saves, its new objects are inserted into the parent, where this hook runs
  /// again, as in Core Data. The child's values win.
  public var awakeFromInsert: ((ManagedObject) -> Void)?
  /// Runs when the object is made from its row, and when all of its values are read again.
  ///
  /// It may set transient properties, which does not count as a change. Core Data records no change
  /// here, so other assigned values are reset. The hook must not fetch or save, because the row may
  /// be read in the middle of a fetch or a save.
  public var awakeFromFetch: ((ManagedObject) -> Void)?
  /// Runs before validation for each object that a save will write, including deleted objects.
  ///
  /// It runs again for objects that changed since.
  public var willSave: ((ManagedObject) -> Void)?
  /// Runs once for each object that a save has written.
  ///
  /// Its changes are unsaved changes.
  public var didSave: ((ManagedObject) -> Void)?
  /// Runs before the object is deleted, directly or by a delete rule.
  ///
  /// Its relationships are not changed yet.
  public var prepareForDeletion: ((ManagedObject) -> Void)?
  /// Returns at a save why the object may not be deleted; nil if it may.
  public var validateForDelete: ((ManagedObject) -> String?)?

  /// Creates hooks that do nothing.
  public init() {}
}

extension PersistentStoreCoordinator {
  /// Sets the hooks of an entity's objects, and replaces the old ones.
  ///
  /// They apply to all contexts of the coordinator, and also to existing objects.
  public func setHooks(_ hooks: ManagedObjectHooks?, of entity: EntityDescription) {
    self.hooks[entity] = hooks
  }

  /// The hooks of an entity, inherited ones first.
  ///
  /// - Complexity: O(*d*), where *d* is the depth of the inheritance.
  func hooks(of entity: EntityDescription) -> [ManagedObjectHooks] {
    guard !hooks.isEmpty else { return [] }
    var found: [ManagedObjectHooks] = []
    var ancestor: EntityDescription? = entity
    while let entity = ancestor {
      if let hooks = hooks[entity] { found.append(hooks) }
      ancestor = entity.superentity
    }
    return found.reversed()
  }
}

/// The objects of a context, by root entity and number.
struct ObjectRegistry {
  /// The tables in the order of their creation, so that no output depends on the order of a
  /// dictionary.
  ///
  /// A table lives as long as the context, because others keep references to it.
  private(set) var tables: [ObjectTable] = []
  private var tablesByRoot: [EntityDescription: ObjectTable] = [:]
  /// The table that was last used.
  ///
  /// A turn rarely needs another one.
  private var lastTable: (root: EntityDescription, table: ObjectTable)?

  /// For about how many objects there is memory, which is more than there are.
  var capacity: Int { tables.reduce(0) { $0 + $1.objects.capacity } }

  /// Returns the objects of a root entity.
  mutating func table(of root: EntityDescription) -> ObjectTable {
    if let lastTable, lastTable.root === root { return lastTable.table }
    let table = tablesByRoot[root] ?? addTable(of: root)
    lastTable = (root, table)
    return table
  }

  private mutating func addTable(of root: EntityDescription) -> ObjectTable {
    let table = ObjectTable()
    tablesByRoot[root] = table
    tables.append(table)
    return table
  }
}

/// The objects of one root entity that a context holds, by number.
///
/// It is a separate object, so that a controller that compares many rows need not look up the
/// entity for each. It counts its references to the objects by hand. So reading an object's values
/// writes nothing to memory, which would be the main cost of a search among a million rows.
package final class ObjectTable {
  /// The table is only changed while no one reads it: it calls no other code.
  @exclusivity(unchecked)
  var objects = PagedArray<Unmanaged<ManagedObject>?>(placeholder: nil)
  /// Keeps the optimizer from removing reads whose values are not used otherwise.
  @exclusivity(unchecked) private var touched: Int32 = 0

  deinit { removeAll() }

  /// The object with a number; nil if the context does not hold one.
  package subscript(number: Int64) -> ManagedObject? {
    get { objects[number]?.takeUnretainedValue() }
    set {
      let old = objects[number]
      objects[number] = newValue.map(Unmanaged.passRetained)
      old?.release()
    }
  }

  /// Adds an object for which the table had none, and takes over the reference.
  @inline(__always)
  func add(_ object: Unmanaged<ManagedObject>, number: Int64) { objects[number] = object }

  /// Takes an object out, without counting references to others.
  ///
  /// - Returns: Whether the table had it.
  @inline(__always)
  func remove(_ object: ManagedObject) -> Bool {
    let number = object.objectID.number
    let reference = Unmanaged.passUnretained(object)
    guard objects[number]?.toOpaque() == reference.toOpaque() else { return false }
    objects[number] = nil
    reference.release()
    return true
  }

  /// Accesses an object without retaining it.
  ///
  /// - Parameter body: Must not change the table.
  /// - Returns: What `body` returns, or nil if there is no such object.
  @inline(__always)
  func withObject<Result>(_ number: Int64, _ body: (ManagedObject) -> Result) -> Result? {
    objects[number]?._withUnsafeGuaranteedRef(body)
  }

  /// Reads from objects and from their values what nothing depends on.
  ///
  /// Objects in the order of a list lie apart in memory. The processor carries out these reads at
  /// the same time. A loop that then uses one object after the other waits for none.
  func touchValues(of numbers: some Collection<Int64>) {
    var sum: Int64 = 0
    // Both ends of what an object and its values are: they may lie in two lines of the cache.
    for number in numbers {
      sum &+= withObject(number) { Int64($0.version) &+ $0.objectID.number } ?? 0
    }
    for number in numbers { sum &+= withObject(number) { Int64($0.snapshot.touch()) } ?? 0 }
    touched &+= Int32(truncatingIfNeeded: sum)
  }

  /// Every object of the table.
  var stored: some Sequence<ManagedObject> {
    objects.stored.lazy.compactMap { $0?.takeUnretainedValue() }
  }

  /// Calls `body` with every object, and retains none.
  ///
  /// - Parameter body: Must not change the table, or release an object.
  func visitObjects(_ body: (ManagedObject) -> Void) {
    for part in objects.parts {
      for case let object? in part { object._withUnsafeGuaranteedRef(body) }
    }
  }

  /// Frees the memory for some numbers, if their neighbours have no objects either.
  func freePages(of numbers: [Int64]) { objects.freePages(of: numbers) { $0 == nil } }

  func removeAll() {
    let old = objects
    objects.removeAll()
    for part in old.parts {
      for start in stride(from: 0, to: part.count, by: Self.objectsTouched) {
        let next = part[start..<min(start + Self.objectsTouched, part.count)]
        // Each release waits until the object is in the cache, and the next one waits for it. The
        // processor carries out these reads at the same time.
        for case let object? in next { touched &+= object._withUnsafeGuaranteedRef { $0.version } }
        for case let object? in next { object.release() }
      }
    }
  }

  /// How many objects are read before the first of them is released: as many as the processor's
  /// nearest cache surely holds.
  private static var objectsTouched: Int { 64 }
}

extension [ManagedObject] {
  /// Calls `body` with each object, and retains none: the array does, and must not change meanwhile.
  ///
  /// Counting references of a million objects takes longer than looking at them.
  ///
  /// - Parameter body: Returns whether to continue.
  /// - Returns: Whether `body` was called with every object and wanted to continue.
  @inline(__always)
  @discardableResult
  func visit(_ body: (ManagedObject) -> Bool) -> Bool {
    withUnsafeBufferPointer { objects in
      for place in objects.indices {
        guard Unmanaged.passUnretained(objects[place])._withUnsafeGuaranteedRef(body) else {
          return false
        }
      }
      return true
    }
  }

  /// Returns the objects for which a condition is true: this array itself if it is for all.
  @inline(__always)
  func selected(where isWanted: (ManagedObject) -> Bool) -> [ManagedObject] {
    var count = 0
    visit {
      if isWanted($0) { count += 1 }
      return true
    }
    if count == self.count { return self }
    return count == 0 ? [] : filter(isWanted)
  }
}

/// The version of a row counts its saves. It shows contexts that a row has changed since they read
/// it.
extension ManagedObject {
  /// The version of the row that a save writes.
  var nextVersion: Int32 { abs(version) + 1 }

  /// Gives an object whose row was deleted a version for the row that a save will write in its
  /// place.
  ///
  /// Other contexts may have read versions of the old row that this context never saw. They must
  /// not take the new row for one of these. So the version jumps ahead, by a number that is
  /// computed from the values: two contexts that restore the same object with different values give
  /// it different versions.
  func renewVersion() {
    guard version > 0 else { return }
    let jump = 1024 + Int32(snapshot.digest & 0xFFFF)
    version = -min(version + jump, Self.lastRenewedVersion)
  }

  /// The highest version after such a jump.
  ///
  /// It leaves room to count on, because a store treats higher versions as damage.
  private static var lastRenewedVersion: Int32 { 1 << 29 }
}

extension ObjectSnapshot {
  /// A number that follows from the values alone (FNV-1a over their text), the
  /// same in every process.
  fileprivate var digest: UInt64 {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for value in stored.lazy.map(\.value) {
      for byte in value.description.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
      digest = (digest ^ 0xFF) &* 0x100_0000_01B3
    }
    return digest
  }
}
