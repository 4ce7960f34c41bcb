/// How a context learns what its source has become.
extension ManagedObjectContext {
  /// Takes over what another context saved.
  ///
  /// Inserted objects come, deleted ones go, and updated ones get the source's
  /// values, except for attributes with unsaved changes here, which win.
  /// Controllers report it with the next processing: updated objects as updates
  /// or moves, and as inserts and deletes where the predicate says so now.
  ///
  /// What did not reach this context's source is left alone: a save into this
  /// context itself, which is here already, and one into another parent.
  ///
  /// The save may be one of another coordinator on the same file. An entity is
  /// then found by its name, where the two models are two values.
  public func mergeChanges(fromContextDidSave save: ContextSave) {
    let source = parent.map { ObjectIdentifier($0) }
    guard save.target == source || save.saver == source else { return }
    freeTakenNumbers()
    let inserted = save.insertedObjectIDs.compactMap(knownID)
    forEachSourceRow(of: inserted) { mergeInsertion(of: inserted[$0], as: $1) }
    let changed = (save.updatedObjectIDs + save.deletedObjectIDs).compactMap(knownID)
    forEachSourceRow(of: changed) { mergeUpdate(of: changed[$0], to: $1) }
    finishReplacing()
  }

  /// Merges what other coordinators, and other processes, saved into the store's
  /// file since this context read it.
  ///
  /// For saves of which there is no ``ContextSave``. Objects of this context are
  /// refreshed where the version of their row is another one, unsaved changes
  /// kept, and go where the row is gone. Controllers fetch again with the next
  /// processing, and report what became of their results: also rows that came,
  /// and rows that were never looked at.
  ///
  /// A program that changes rows without counting up their versions (`Z_OPT`) is
  /// followed by ``refreshAllObjects()`` only.
  ///
  /// - Throws: ``StoreError`` where the file cannot be read.
  /// - Complexity: O(1) if there was no save; else O(*n*) in the objects of this
  ///   context and in the rows of its controllers.
  public func mergeChangesFromStore() throws {
    try coordinator.checkReads()
    try coordinator.store.readingOneState {
      let generation = coordinator.store.generation
      guard generation != mergedGeneration || !stale.isEmpty || parent != nil else { return }
      mergedGeneration = generation
      freeTakenNumbers()
      for table in orderedTables {
        let objects = Array(table.stored)
        forEachSourceRow(of: objects.map(\.objectID)) { index, row in
          let object = objects[index]
          guard row?.version != object.version || stale.contains(object.objectID) else { return }
          refreshInPlace(object, to: row, mergeChanges: true)
        }
      }
      followStore()
    }
    finishReplacing()
    try coordinator.checkReads()
  }

  /// Reads an object's values from the source again.
  ///
  /// Controllers report an update or a move, whether or not a value differs,
  /// and a delete where the source no longer has the object. An object that was
  /// inserted and not saved is left alone, and one that is marked for deletion
  /// stays so.
  ///
  /// - Parameters:
  ///   - object: An object of this context.
  ///   - mergeChanges: Whether unsaved changes stay; else they are dropped.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    refreshInPlace(object, mergeChanges: mergeChanges)
    finishReplacing()
  }

  /// Refreshes every object of this context, unsaved changes kept, and the
  /// results of its controllers with them.
  ///
  /// Where other coordinators or processes saved into the store's file,
  /// controllers report their new objects, too.
  ///
  /// - Complexity: O(*n*) in the objects and in the controllers' rows.
  public func refreshAllObjects() {
    freeTakenNumbers()
    for held in listeners.compactMap({ $0.receiver?.heldNumbers() }) {
      inBatches(held.numbers) { numbers in
        let found = objects(numbers, in: held.entity.root)
        // What could not be read is not gone.
        if coordinator.hasReadFailure { return }
        for (number, object) in zip(numbers, found) where object == nil {
          vanish(number, of: held.entity, by: [.refreshed, .unread])
        }
      }
    }
    for table in orderedTables {
      let objects = Array(table.stored)
      forEachSourceRow(of: objects.map(\.objectID)) { index, row in
        refreshInPlace(objects[index], to: row, mergeChanges: true)
      }
    }
    if coordinator.store.foreignSaves > 0 { followStore() }
    finishReplacing()
  }

  /// Takes single objects out of the context, as if the context had never read
  /// them; unsaved changes are lost.
  ///
  /// Controllers report them as deleted. The objects can be had again by a
  /// fetch.
  public func invalidate(_ objects: [ManagedObject]) {
    for object in objects where object.managedObjectContext === self {
      vanish(object, by: .refreshed)
    }
    // What is in the source keeps the references that lead to it.
    replaced.removeAll { sourceRow(of: $0.object.objectID) != nil }
    finishReplacing(cascades: false)
  }
}

extension ManagedObjectContext {
  /// Lets controllers fetch at the next turn, where they do not know what others
  /// saved.
  func followStore() {
    for listener in listeners { listener.receiver?.contextFollowsStore() }
    followsStore = true
  }

  /// Returns the identity of an object of another coordinator as it is here; nil
  /// where the model has no entity of that name.
  private func knownID(_ id: ObjectID) -> ObjectID? {
    guard let entity = coordinator.managedObjectModel[id.entity.name] else { return nil }
    return entity === id.entity ? id : ObjectID(entity: entity, number: id.number)
  }

  private func mergeInsertion(of id: ObjectID, as row: StoreRow?) {
    let root = id.entity.root
    guard let row else { return mergeUpdate(of: id, to: nil) }
    if let object = registered(id.number, in: root) {
      if object.version != row.version || stale.contains(id) {
        refresh(object, to: row, mergeChanges: true, by: .merged)
      } else if !object.isPending && !object.isUnprocessed {
        announce(object)
      }
      return
    }
    announce(adopt(row, number: id.number))
  }

  /// Lets the next batch tell of an object as new.
  private func announce(_ object: ManagedObject) {
    object.isUnprocessed = true
    unprocessed.append(object)
    didReplace(object)
  }

  /// Takes over an object's state in the source; whether it was an update or a
  /// deletion counts less than what is there now.
  private func mergeUpdate(of id: ObjectID, to row: StoreRow?) {
    let root = id.entity.root
    guard let row else {
      if coordinator.hasReadFailure { return }
      if let object = registered(id.number, in: root) {
        // A new object here may have the number of another process's.
        return object.isInserted ? () : vanish(object, by: .merged)
      }
      if isHeld(id.number, in: root) {
        vanish(id.number, of: id.entity, by: [.merged, .unread])
      }
      return
    }
    if let object = registered(id.number, in: root) {
      return refresh(object, to: row, mergeChanges: true, by: .merged)
    }
    let object = adopt(row, number: id.number)
    refresh(object, to: row, mergeChanges: true, by: [.merged, .unread])
  }

  func refreshInPlace(_ object: ManagedObject, mergeChanges: Bool) {
    refreshInPlace(object, to: sourceRow(of: object.objectID), mergeChanges: mergeChanges)
  }

  /// Gives an object what the source has of it: a row, or nothing.
  private func refreshInPlace(_ object: ManagedObject, to row: StoreRow?, mergeChanges: Bool) {
    guard object.managedObjectContext === self, !object.isInserted, !object.isNewAndGone,
      !object.isDeleted || object.isPending
    else { return }
    guard let row else {
      // What could not be read is not gone.
      if !coordinator.hasReadFailure { vanish(object, by: .refreshed) }
      return
    }
    refresh(object, to: row, mergeChanges: mergeChanges, by: .refreshed)
  }

  /// Gives an object the source's values.
  ///
  /// An object marked for deletion here stays so, and its deletion then counts
  /// as one of the newest version, with the delete rules for what it is related
  /// to since.
  func refresh(
    _ object: ManagedObject, to row: StoreRow, mergeChanges: Bool, by cause: ChangeCauses
  ) {
    // A new object may have the number of another process's, until it is saved.
    guard !object.isInserted, !object.isNewAndGone else { return }
    stale.remove(object.objectID)
    object.version = row.version
    if object.isDeleted {
      if object.isPending { renewDeletion(of: object, as: row.snapshot) }
      return
    }
    willReplace(object, by: cause)
    if mergeChanges, let committed = object.committed {
      var merged = row.snapshot
      merged.take(from: object.snapshot, whereChangedSince: committed, of: object.entity)
      object.snapshot = merged
      object.committed = row.snapshot
    } else {
      object.snapshot = row.snapshot
      object.isPending = false
      object.committed = nil
    }
    didReplace(object)
  }

  /// Lets a deletion be one of newer values than those that it met.
  func renewDeletion(of object: ManagedObject, as snapshot: Snapshot) {
    object.snapshot = snapshot
    object.committed = snapshot
    if !object.entity.relationships.isEmpty { deletions.append(object) }
  }

  /// Takes an object out of the context that the source no longer has.
  func vanish(_ object: ManagedObject, by cause: ChangeCauses) {
    willReplace(object, by: cause)
    object.isDeleted = true
    object.isPending = false
    object.committed = nil
    didReplace(object)
  }

  /// Takes a row out of the results that the source no longer has, and that never
  /// was an object here: another process deleted it.
  private func vanish(
    _ number: Int64, of entity: EntityDescription, by cause: ChangeCauses
  ) {
    let object = ManagedObject(
      objectID: ObjectID(entity: entity, number: number), snapshot: entity.defaults, context: self)
    register(object)
    tellReceivers(ofRead: object)
    vanish(object, by: cause)
  }

  /// Brings a deleted object back.
  func restore(_ object: ManagedObject, to snapshot: Snapshot, by cause: ChangeCauses) {
    let id = object.objectID
    if registered(id.number, in: id.entity.root) == nil { register(object) }
    willReplace(object, by: cause)
    object.isDeleted = false
    object.snapshot = snapshot
    guard !object.isPending else { return }
    let row = sourceRow(of: id)
    object.isPending = true
    object.committed = row?.snapshot
    if let row { object.version = row.version } else { object.renewVersion() }
    pending.append(object)
  }
}
