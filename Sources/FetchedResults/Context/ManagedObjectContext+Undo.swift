extension ManagedObjectContext {
  /// Takes the changes of the last turn back; without an ``undoHistory``, or
  /// with nothing in it, does nothing.
  ///
  /// What has changed in this turn so far counts as a turn of its own, and is
  /// what goes back then. Controllers report the changes as any others.
  public func undo() {
    guard let history = undoHistory else { return }
    closeUndoGroup(of: history)
    guard let group = history.takeUndoGroup() else { return }
    history.addRedoGroup(revert(group))
  }

  /// Makes the changes that were undone last again, unless something else was
  /// changed since.
  public func redo() {
    guard let history = undoHistory else { return }
    closeUndoGroup(of: history)
    guard let group = history.takeRedoGroup() else { return }
    history.addUndoGroup(revert(group))
  }

  /// Notes the changes of a batch.
  func recordForUndo(_ batch: ContextChanges) {
    guard let history = undoHistory else { return }
    for (change, object) in zip(batch.changes, batch.objects) {
      guard !undoBases.isEmpty, let base = undoBases[ObjectIdentifier(object)] else {
        history.record(object, before: change.before, after: change.after)
        continue
      }
      if base != change.after { history.record(object, before: base, after: change.after) }
    }
    undoBases.removeAll()
  }

  /// Notes what an object's user changed before something else changes it.
  func captureForUndo(_ object: ManagedObject) {
    guard let history = undoHistory, object.isUnprocessed else { return }
    let before = undoBases[ObjectIdentifier(object)] ?? object.baseline
    let after = object.isDeleted ? nil : object.snapshot
    if before != after { history.record(object, before: before, after: after) }
    didReplace(object)
  }

  /// Notes the state from which an object's user goes on.
  func didReplace(_ object: ManagedObject) {
    guard undoHistory != nil else { return }
    undoBases[ObjectIdentifier(object)] = .some(object.isDeleted ? nil : object.snapshot)
  }

  private func closeUndoGroup(of history: UndoHistory) {
    propagateDeletions()
    for object in unprocessed { captureForUndo(object) }
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
          guard let object = registered(number, in: root) else { continue }
          revert(object, from: object.snapshot, to: nil, noting: &opposite)
        }
      }
    }
    // What followed on the other sides of relationships goes back with it.
    for replacement in finishReplacing(cascades: false) {
      let object = replacement.object
      opposite.record(
        object, before: replacement.before, after: object.isDeleted ? nil : object.snapshot)
    }
    // An object may come several times, and its changes end once.
    for object in pending { unmark(object) }
    dropUnchangedObjects()
    return opposite
  }

  private func revert(
    _ object: ManagedObject, from after: Snapshot?, to before: Snapshot?,
    noting opposite: inout UndoHistory.Group
  ) {
    guard object.managedObjectContext === self else { return }
    let current = object.isDeleted ? nil : object.snapshot
    switch (current, before) {
    case (nil, nil): return
    // It went since by no doing of this context.
    case (nil, .some) where after != nil: return
    case (nil, let before?): restore(object, to: before, by: .undone)
    case (.some, nil):
      willReplace(object, by: .undone)
      markDeleted(object)
    case (let current?, let before?):
      var target = current
      target.take(from: before, whereChangedSince: after ?? current, of: object.entity)
      willReplace(object, by: .undone)
      willChange(object)
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
