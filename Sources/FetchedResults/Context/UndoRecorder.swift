/// Records what a context's user changes, and takes it back.
final class UndoRecorder {
  private unowned let context: ManagedObjectContext
  /// The states from which a turn's own changes are undone, of objects that
  /// were changed by something else in the turn; see ``UndoHistory``.
  private var bases: [ObjectIdentifier: ObjectSnapshot?] = [:]

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Forgets the turn's states.
  func forget() { bases.removeAll() }

  /// Takes the changes of the last turn back.
  func undo() {
    guard let history = context.undoManager else { return }
    closeGroup(of: history)
    guard let group = history.takeUndoGroup() else { return }
    history.addRedoGroup(revert(group))
  }

  /// Makes the changes that were undone last again.
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

  /// Notes one change of a batch; after the last one, ``forget()`` follows.
  func record(_ change: ObjectChange, of object: ManagedObject, in history: UndoHistory) {
    guard !bases.isEmpty, let base = bases[ObjectIdentifier(object)] else {
      return history.record(object, before: change.before, after: change.after)
    }
    if base != change.after { history.record(object, before: base, after: change.after) }
  }

  /// Notes what an object's user changed before something else changes it.
  func capture(_ object: ManagedObject) {
    guard let history = context.undoManager, object.isUnprocessed else { return }
    let before = bases[ObjectIdentifier(object)] ?? object.baseline
    let after = object.isDeleted ? nil : object.snapshot
    if before != after { history.record(object, before: before, after: after) }
    didReplace(object)
  }

  /// Notes the state from which an object's user continues.
  func didReplace(_ object: ManagedObject) {
    guard context.undoManager != nil else { return }
    bases[ObjectIdentifier(object)] = .some(object.isDeleted ? nil : object.snapshot)
  }

  private func closeGroup(of history: UndoHistory) {
    context.propagateDeletions()
    for object in context.unprocessed { capture(object) }
    history.closeGroup()
  }

  /// Takes a group's changes back, and returns what does so in turn.
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
    // What followed on the other sides of relationships goes back with it.
    for replacement in context.reconciler.finish(cascades: false) {
      let object = replacement.object
      opposite.record(
        object, before: replacement.before, after: object.isDeleted ? nil : object.snapshot)
    }
    // An object may come several times, and its changes end once.
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
    // It went since by no doing of this context.
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

  /// Ends an object's unsaved changes where an undo has left none.
  private func unmark(_ object: ManagedObject) {
    guard object.isPending, !object.isDeleted, object.committed == object.snapshot else { return }
    object.isPending = false
    object.committed = nil
  }
}
