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
  var hearsSaves: Bool { !context.persistentStoreCoordinator.hooks.isEmpty }

  /// Runs `willSave` for the objects that a save will write, until no hook changes anything.
  ///
  /// - Parameter prepare: Computes what depends on the changes, and processes them.
  /// - Throws: ``EndlessSaveError`` if a hook never stops changing objects.
  func willSave(_ prepare: () throws -> Void) throws {
    guard hearsSaves else { return }
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
