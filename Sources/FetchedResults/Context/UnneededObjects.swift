/// Releases objects that a context holds and that can no longer be reached.
///
/// A context keeps the objects that it has read. Two kinds of objects would fill it without being
/// used: those that a merge reads, and those that were deleted before they were saved.
struct UnneededObjects {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  // MARK: Merged rows

  /// Releases the objects that merges made of rows, except those that a controller holds, that have
  /// changed, or that something refers to.
  ///
  /// - Complexity: O(*k*) in the objects.
  func releaseMergedRows() {
    var rows = context.mergedRows
    context.mergedRows = []
    var freed = FreedNumbers()
    var table: (root: EntityDescription, table: ObjectTable)?
    for index in rows.indices where isAsInSource(rows[index]) {
      if release(&rows[index], &table) { freed.note(rows[index].objectID) }
    }
    freed.freePages(of: context)
  }

  private func isAsInSource(_ object: ManagedObject) -> Bool {
    let id = object.objectID
    return object.managedObjectContext === context && !object.isPending && !object.isDeleted
      && object.flags.isEmpty && !context.stale.contains(id)
      && context.valuesBeforeFiring[id] == nil
      && !context.isHeld(id.number, in: id.entity.root)
  }

  /// Takes an object out of the context if `object` is the only reference to it.
  ///
  /// - Parameter last: The table of the object before, which most objects are in.
  private func release(
    _ object: inout ManagedObject, _ last: inout (root: EntityDescription, table: ObjectTable)?
  ) -> Bool {
    let (number, root) = (object.objectID.number, object.entity.root)
    if last?.root !== root { last = (root, context.table(of: root)) }
    guard let table = last?.table, table[number] === object else { return false }
    table[number] = nil
    if isKnownUniquelyReferenced(&object) { return true }
    table[number] = object
    return false
  }

  // MARK: Drafts

  /// Releases the objects that were deleted before they were saved, if nothing leads to them.
  ///
  /// - Complexity: O(*n*) in the unsaved objects.
  func releaseDrafts() {
    let needed = neededDrafts()
    var pending = context.pending
    context.pending = []
    let hasPermanentIDs = !context.persistentStoreCoordinator.permanentIDs.isEmpty
    var freed = FreedNumbers()
    var kept = 0
    var table: (root: EntityDescription, table: ObjectTable)?
    var stop = StopCheck.Loop(droppingOver: pending.count)
    for index in pending.indices where isDraft(pending[index]) {
      if stop.isWanted(after: 2) { return }
      if !needed.contains(pending[index].objectID), release(&pending[index], &table) {
        let object = pending[index]
        object.isPending = false
        context.noteLoss(of: object)
        freed.note(object.objectID)
        if !context.stale.isEmpty { context.stale.remove(object.objectID) }
        if hasPermanentIDs {
          context.persistentStoreCoordinator.permanentIDs.remove(object.objectID)
        }
      } else {
        kept += 1
      }
    }
    if !freed.isEmpty {
      let gone = pending.filter { !$0.isPending }
      pending.removeAll { !$0.isPending }
      let count = gone.count
      if StopCheck.isInstalled { releaseInBackground(consume gone, count: count) }
    }
    context.pending = pending
    context.drafts.didLook(keeping: kept)
    freed.freePages(of: context)
  }

  /// Whether an object was deleted before it was saved, and its deletion was reported.
  private func isDraft(_ object: ManagedObject) -> Bool {
    object.isNewAndGone && object.isPending && object.flags.isEmpty
  }

  /// Returns the drafts that still have an effect: something leads to them, or they take part in
  /// the next save.
  private func neededDrafts() -> Set<ObjectID> {
    var needed: Set<ObjectID> = []
    var roots: Set<EntityDescription> = []
    var stop = StopCheck.Loop(droppingOver: context.pending.count)
    // Most objects have the entity of the object before.
    var last: (entity: EntityDescription, isValidated: Bool)?
    for object in context.pending where isDraft(object) {
      if stop.isWanted(after: 2) { return [] }
      if last?.entity !== object.entity {
        roots.insert(object.entity.root)
        last = (object.entity, isValidated(object))
      }
      if last?.isValidated == true { needed.insert(object.objectID) }
    }
    let links = looseLinks(to: roots)
    guard !links.isEmpty || !needed.isEmpty else { return [] }
    var waiting = Array(needed)
    func need(_ ids: [ObjectID]) {
      for id in ids where !needed.contains(id) {
        guard let object = context.registered(id.number, in: id.entity.root), isDraft(object)
        else { continue }
        needed.insert(id)
        waiting.append(id)
      }
    }
    for object in context.pending where !object.isNewAndGone {
      if stop.isWanted(after: 2) { return [] }
      for link in links where object.entity.isKindOf(entity: link.entity) {
        need(object.knownMembers(at: link.ordinal))
      }
    }
    // Key paths go on from one draft to others.
    while let id = waiting.popLast() {
      guard let object = context.registered(id.number, in: id.entity.root) else { continue }
      for ordinal in object.entity.relationships.indices { need(object.knownMembers(at: ordinal)) }
    }
    return needed
  }

  /// Whether a save checks if a draft may be deleted.
  private func isValidated(_ object: ManagedObject) -> Bool {
    object.entity.relationships.contains { $0.deleteRule == .deny }
      || context.persistentStoreCoordinator.hooks(of: object.entity).contains {
        $0.validateForDelete != nil
      }
  }

  /// Returns the relationships that may lead to a deleted object until the deletion is saved.
  private func looseLinks(
    to roots: Set<EntityDescription>
  ) -> [(entity: EntityDescription, ordinal: Int)] {
    context.persistentStoreCoordinator.managedObjectModel.entities.flatMap { entity in
      entity.relationships.indices.dropFirst(entity.superentity?.relationships.count ?? 0)
        .filter { ordinal in
          guard let link = try? entity.link(at: ordinal), roots.contains(link.destination.root)
          else { return false }
          guard let inverse = link.inverse else { return true }
          return link.destination.relationships[inverse.ordinal].deleteRule == .noAction
        }
        .map { (entity, $0) }
    }
  }
}

/// How many objects of a context were deleted before they were saved.
///
/// The context looks for those that nothing leads to when there are as many new ones as half of its
/// unsaved objects. So the time for that is in proportion to the deletions.
struct DraftCount {
  /// Since the context last looked; at least as many as there are.
  private var new = 0
  /// Those that something led to then.
  private var kept = 0

  /// Whether there may be one.
  var isPossible: Bool { new > 0 || kept > 0 }

  mutating func noteDeletion() { new += 1 }

  /// Whether to look at the unsaved objects.
  func isLookDue(among pending: Int) -> Bool { new > 0 && new >= pending / 2 }

  mutating func didLook(keeping count: Int) { (new, kept) = (0, count) }
}

/// The numbers of released objects, by root entity.
private struct FreedNumbers {
  /// The numbers of each root entity; the last one has the newest.
  private var numbers: [(root: EntityDescription, numbers: [Int64])] = []

  var isEmpty: Bool { numbers.isEmpty }

  mutating func note(_ id: ObjectID) {
    let root = id.entity.root
    if numbers.last?.root !== root { numbers.append((root, [])) }
    numbers[numbers.count - 1].numbers.append(id.number)
  }

  func freePages(of context: ManagedObjectContext) {
    for (root, numbers) in numbers { context.table(of: root).freePages(of: numbers) }
  }
}

extension ManagedObjectContext {
  /// Lets go of objects that a turn has left without a use.
  func releaseUnneeded() {
    guard batches.isEmpty, deliveryDepth == 0 else { return }
    if !mergedRows.isEmpty { UnneededObjects(self).releaseMergedRows() }
    if drafts.isLookDue(among: pending.count) { UnneededObjects(self).releaseDrafts() }
  }

  /// Whether this turn may look for unneeded objects.
  ///
  /// An object is unneeded only if nothing else refers to it, so no other thread may have it then.
  var looksForUnneededObjects: Bool { !mergedRows.isEmpty || drafts.isPossible }

  /// Frees a value that refers to objects: on another thread, except where this turn may look for
  /// unneeded objects.
  func releaseObjectsInBackground<Value>(_ value: consuming Value, count: Int) {
    if !looksForUnneededObjects { releaseInBackground(value, count: count) }
  }
}

extension ManagedObject {
  /// The objects of a relationship, except if it was never read: it is then as in the store, and
  /// leads to no draft.
  fileprivate func knownMembers(at ordinal: Int) -> [ObjectID] {
    snapshot.isUnread(entity.attributes.count + ordinal) ? [] : members(at: ordinal)
  }
}
