extension ManagedObjectContext {
  /// Takes the changes of the last turn back; without an ``undoManager``, or
  /// with nothing in it, does nothing.
  ///
  /// What has changed in this turn so far counts as a turn of its own, and is
  /// what goes back then. Controllers report the changes as any others.
  public func undo() { undoRecorder.undo() }

  /// Makes the changes that were undone last again, unless something else was
  /// changed since.
  public func redo() { undoRecorder.redo() }

  /// Notes the changes of a batch.
  func recordForUndo(_ batch: ContextChanges) {
    if let undoManager { undoRecorder.record(batch, in: undoManager) }
  }
}
