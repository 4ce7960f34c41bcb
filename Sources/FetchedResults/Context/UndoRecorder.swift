/// Records the changes that a context's user makes, and undoes them.
final class UndoRecorder {
  private unowned let context: ManagedObjectContext
  /// For objects that something else changed during the turn: the states to which undo returns.
  ///
  /// See ``UndoHistory``.
  private var bases: [ObjectIdentifier: ObjectSnapshot?] = [:]

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Forgets the turn's states.
  func forget() { bases.removeAll() }

  /// Undoes the changes of the last turn.
  func undo() {
    guard let history = context.undoManager else { return }
    closeGroup(of: history)
    guard let group = history.takeUndoGroup() else { return }
    history.addRedoGroup(revert(group))
  }

  /// Redoes the changes that were last undone.
  func redo() {
    guard let history = context.undoManager else { return }
    closeGroup(of: history)
    guard let group = history.takeRedoGroup() else { return }
    history.addUndoGroup(revert(group))
  }

  /// Notes the changes of a batch.
  func record(_ batch: ContextChanges, in history: UndoHistory) {
    for (change, object) in zip(batch.changes, batch.objects) {
      record(change, of: object, in: history)
    }
    bases.removeAll()
  }

  /// Notes one change of a batch.
  ///
  /// After the last one, call ``forget()``.
  func record(_ change: ObjectChange, of object: ManagedObject, in history: UndoHistory) {
    guard !bases.isEmpty, let base = bases[ObjectIdentifier(object)] else {
      return history.record(object, before: change.before, after: change.after)
    }
    if base != change.after { history.record(object, before: base, after: change.after) }
  }

  /// Notes what the user changed in an object, before something else changes it.
  func capture(_ object: ManagedObject) {
    guard let history = context.undoManager, object.isUnprocessed else { return }
    let before = bases[ObjectIdentifier(object)] ?? object.baseline
    let after = object.isDeleted ? nil : object.snapshot
    if before != after { history.record(object, before: before, after: after) }
    didReplace(object)
  }

  /// Notes the object's state after something else changed it.
  ///
  /// The user's changes continue from there.
  func didReplace(_ object: ManagedObject) {
    guard context.undoManager != nil else { return }
    bases[ObjectIdentifier(object)] = .some(object.isDeleted ? nil : object.snapshot)
  }

  private func closeGroup(of history: UndoHistory) {
    context.propagateDeletions()
    for object in context.unprocessed { capture(object) }
    history.closeGroup()
  }

  /// Undoes the changes of a group, and returns the group that redoes them.
  private func revert(_ group: UndoHistory.Group) -> UndoHistory.Group {
    var opposite = UndoHistory.Group()
    for entry in group.entries.reversed() {
      switch entry {
      case .changed(let object, let before, let after):
        revert(object, from: after, to: before, noting: &opposite)
      case .inserted(let root, let numbers):
        for number in numbers.reversed() {
          guard let object = context.registered(number, in: root) else { continue }
          revert(object, from: object.snapshot, to: nil, noting: &opposite)
        }
      }
    }
    // Changes that followed on the other sides of relationships are undone, too.
    for replacement in context.reconciler.finish(cascades: false) {
      let object = replacement.object
      opposite.record(
        object, before: replacement.before, after: object.isDeleted ? nil : object.snapshot)
    }
    // An object may occur several times, and is unmarked once.
    for object in context.pending { unmark(object) }
    context.dropUnchangedObjects()
    return opposite
  }

  private func revert(
    _ object: ManagedObject, from after: ObjectSnapshot?, to before: ObjectSnapshot?,
    noting opposite: inout UndoHistory.Group
  ) {
    guard object.managedObjectContext === context else { return }
    let current = object.isDeleted ? nil : object.snapshot
    switch (current, before) {
    case (nil, nil): return
    // Something outside this context has deleted it since.
    case (nil, .some) where after != nil: return
    case (nil, let before?): context.replacing.restore(object, to: before, by: .undone)
    case (.some, nil):
      context.willReplace(object, by: .undone)
      context.markDeleted(object)
    case (let current?, let before?):
      var target = current
      target.take(from: before, whereChangedSince: after ?? current, of: object.entity)
      context.willReplace(object, by: .undone)
      context.willChange(object)
      object.snapshot = target
    }
    didReplace(object)
    opposite.record(object, before: current, after: object.isDeleted ? nil : object.snapshot)
  }

  /// Clears an object's mark as changed if undo left no unsaved changes.
  private func unmark(_ object: ManagedObject) {
    guard object.isPending, !object.isDeleted, object.committed == object.snapshot else { return }
    object.isPending = false
    object.committed = nil
  }
}
