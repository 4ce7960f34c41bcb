extension ManagedObjectContext {
  /// Undoes the changes of the last turn.
  ///
  /// Does nothing without an ``undoManager``, or if there is nothing to undo.
  ///
  /// Unprocessed changes count as a turn of their own, which is undone first. Controllers report
  /// the changes like any others.
  public func undo() { undoRecorder.undo() }

  /// Redoes the changes that were last undone, unless something else changed since.
  public func redo() { undoRecorder.redo() }

  /// Notes the changes of a batch.
  func recordForUndo(_ batch: ContextChanges) {
    if let undoManager { undoRecorder.record(batch, in: undoManager) }
  }
}
