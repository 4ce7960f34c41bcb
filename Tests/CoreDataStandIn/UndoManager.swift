import FetchedResults

/// Undoes changes of a context turn by turn. Foundation on Linux has no such class.
open class UndoManager: NSObject, @unchecked Sendable {
  /// Whether a turn of the run loop is a group. The stand-in has no run loop, so each
  /// `processPendingChanges()` ends a group.
  open var groupsByEvent = true
  /// How many groups are kept; 0 for no limit.
  open var levelsOfUndo: Int {
    get { history.levelsOfUndo == .max ? 0 : history.levelsOfUndo }
    set { history.levelsOfUndo = newValue == 0 ? .max : newValue }
  }
  /// Whether there is something to undo.
  open var canUndo: Bool { history.canUndo }
  /// Whether there is something to redo.
  open var canRedo: Bool { history.canRedo }

  let history = UndoHistory()
  weak var context: NSManagedObjectContext?

  /// Creates an undo manager.
  public override init() { super.init() }

  /// Begins a group.
  open func beginUndoGrouping() {}

  /// Ends a group, whose changes are undone together.
  open func endUndoGrouping() { context?.engine.processPendingChanges() }

  /// Undoes the last group.
  open func undo() { context?.engine.undo() }

  /// Repeats the last group.
  open func redo() { context?.engine.redo() }

  /// Removes everything that could be undone.
  open func removeAllActions() { history.removeAllActions() }
}
