/// What a context can undo and redo: one group for each turn.
///
/// A group holds the values before and after of each object that its turn changed. They share
/// memory with the context if nothing changed since. Objects inserted one after another take no
/// extra memory. Changes by merges, refreshes and conflict policies are not recorded, and stay when
/// a turn is undone: only attributes that the turn changed are reset.
///
/// A save keeps the history, so a saved change can be undone and saved again. A rollback and a
/// reset empty it.
public final class UndoHistory {
  /// How many turns can be undone, 0 for none.
  ///
  /// The oldest are dropped first.
  public var levelsOfUndo: Int {
    didSet { trim() }
  }

  /// The most object states to keep, over all turns.
  ///
  /// If a single turn has more, that turn and earlier ones cannot be undone.
  public var stateLimit: Int {
    didSet { trim() }
  }

  private var undoGroups: [Group] = []
  /// How many object states the undo groups contain.
  private var keptStates = 0
  private var redoGroups: [Group] = []
  @exclusivity(unchecked) private var open = Group()
  /// Whether the open group is too large to keep.
  @exclusivity(unchecked) private var isOverflowing = false

  /// Creates an empty history.
  public init(levelsOfUndo: Int = 100, stateLimit: Int = 250_000) {
    self.levelsOfUndo = levelsOfUndo
    self.stateLimit = stateLimit
  }

  /// Whether there is a turn to undo.
  public var canUndo: Bool { !undoGroups.isEmpty || !open.entries.isEmpty }

  /// Whether there is an undone turn to redo.
  public var canRedo: Bool { !redoGroups.isEmpty && open.entries.isEmpty }

  /// Empties the history.
  public func removeAllActions() {
    undoGroups = []
    keptStates = 0
    redoGroups = []
    open = Group()
    isOverflowing = false
  }
}

extension UndoHistory {
  /// One turn's changes, in order.
  struct Group {
    enum Entry {
      /// Inserted objects, by the first and the last number.
      case inserted(EntityDescription, ClosedRange<Int64>)
      /// An object that changed, was deleted or was restored.
      case changed(ManagedObject, before: ObjectSnapshot?, after: ObjectSnapshot?)
    }

    var entries: [Entry] = []
    /// How many entries hold values.
    private(set) var stateCount = 0

    mutating func record(_ object: ManagedObject, before: ObjectSnapshot?, after: ObjectSnapshot?) {
      guard before == nil else {
        entries.append(.changed(object, before: before, after: after))
        stateCount += 1
        return
      }
      guard after != nil else { return }
      let root = object.entity.root
      let number = object.objectID.number
      if case .inserted(root, let range)? = entries.last, range.upperBound + 1 == number {
        entries[entries.count - 1] = .inserted(root, range.lowerBound...number)
      } else {
        entries.append(.inserted(root, number...number))
      }
    }
  }

  /// Adds a change to the open group.
  func record(_ object: ManagedObject, before: ObjectSnapshot?, after: ObjectSnapshot?) {
    guard !isOverflowing else { return }
    open.record(object, before: before, after: after)
    if open.stateCount > stateLimit {
      open = Group()
      isOverflowing = true
    }
  }

  /// Whether the running turn has changes that can be undone.
  var isOpen: Bool { isOverflowing || !open.entries.isEmpty }

  /// Ends the group of a turn.
  func closeGroup() {
    if isOverflowing { return removeAllActions() }
    guard !open.entries.isEmpty else { return }
    let group = open
    open = Group()
    redoGroups = []
    addUndoGroup(group)
  }

  func takeUndoGroup() -> Group? {
    guard let group = undoGroups.popLast() else { return nil }
    keptStates -= group.stateCount
    return group
  }

  func takeRedoGroup() -> Group? { redoGroups.popLast() }

  func addUndoGroup(_ group: Group) {
    undoGroups.append(group)
    keptStates += group.stateCount
    trim()
  }

  func addRedoGroup(_ group: Group) {
    redoGroups.append(group)
    if redoGroups.reduce(0, { $0 + $1.stateCount }) > stateLimit { redoGroups = [] }
  }

  /// Forgets the oldest groups if there are too many, or too many states.
  private func trim() {
    let surplus = undoGroups.count - max(levelsOfUndo, 0)
    guard surplus > 0 || keptStates > stateLimit else { return }
    var forgotten = 0
    while forgotten < undoGroups.count, forgotten < surplus || keptStates > stateLimit {
      keptStates -= undoGroups[forgotten].stateCount
      forgotten += 1
    }
    undoGroups.removeFirst(forgotten)
  }
}
