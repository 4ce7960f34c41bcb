/// The changes that a context can undo and redo: one group for each turn.
///
/// A group holds the values before and after of each object that its turn changed. They share
/// memory with the context if nothing changed since. Objects inserted one after another take no
/// extra memory. Changes by merges, refreshes and conflict policies are not recorded, and stay when
/// a turn is undone: only attributes that the turn changed are reset.
///
/// A save keeps the history, so a saved change can be undone and saved again. A rollback and a
/// reset empty it.
public final class UndoHistory {
  /// The number of turns that can be undone; 0 for none.
  ///
  /// The oldest are dropped first. In Foundation's UndoManager, 0 is for no limit.
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
  @exclusivity(unchecked) private(set) var isOverflowing = false
  /// Knows the changes of the context that were not processed yet.
  weak var recorder: UndoRecorder?

  /// Creates an empty history.
  public init(levelsOfUndo: Int = 100, stateLimit: Int = 250_000) {
    self.levelsOfUndo = levelsOfUndo
    self.stateLimit = stateLimit
  }

  /// Whether there is a turn to undo.
  ///
  /// - Complexity: O(*k*) for *k* unprocessed changes.
  public var canUndo: Bool { !isOverflowing && (!undoGroups.isEmpty || hasNewChanges) }

  /// Whether there is an undone turn to redo, and nothing has changed since.
  ///
  /// - Complexity: O(*k*) for *k* unprocessed changes.
  public var canRedo: Bool { !isOverflowing && !redoGroups.isEmpty && !hasNewChanges }

  /// Empties the history: what changed until now cannot be undone.
  public func removeAllActions() {
    empty()
    recorder?.begin()
  }

  /// Whether the running turn has changes to undo.
  private var hasNewChanges: Bool { !open.entries.isEmpty || recorder?.hasNewChanges == true }

  /// Empties the history, where the changes of the running turn go too or were recorded.
  func empty() {
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

    /// About how many objects it has.
    ///
    /// - Complexity: O(*k*) in the entries.
    var objectCount: Int {
      entries.reduce(0) { count, entry in
        if case .inserted(_, let numbers) = entry { count + numbers.count } else { count + 1 }
      }
    }

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

    /// Adds changes that are reverted after all others.
    mutating func recordLast(_ changes: [Entry]) {
      entries.insert(contentsOf: changes, at: 0)
      stateCount += changes.count
    }

    mutating func renumber(
      _ numbers: [Int64: Int64], in root: EntityDescription,
      references: (ManagedObject, ObjectSnapshot) -> ObjectSnapshot
    ) {
      entries = entries.flatMap { entry -> [Entry] in
        switch entry {
        case .inserted(let entity, let old):
          guard entity === root, numbers.keys.contains(where: old.contains) else { return [entry] }
          var ranges: [ClosedRange<Int64>] = []
          for number in old.map({ numbers[$0] ?? $0 }) {
            if let last = ranges.last, last.upperBound + 1 == number {
              ranges[ranges.count - 1] = last.lowerBound...number
            } else {
              ranges.append(number...number)
            }
          }
          return ranges.map { .inserted(root, $0) }
        case .changed(let object, let before, let after):
          return [
            .changed(
              object, before: before.map { references(object, $0) },
              after: after.map { references(object, $0) })
          ]
        }
      }
    }
  }

  /// Replaces old numbers of a root entity's objects by new ones.
  ///
  /// - Parameter references: Replaces them in the references of an object's values.
  func renumber(
    _ numbers: [Int64: Int64], in root: EntityDescription,
    references: (ManagedObject, ObjectSnapshot) -> ObjectSnapshot
  ) {
    for index in undoGroups.indices {
      undoGroups[index].renumber(numbers, in: root, references: references)
    }
    for index in redoGroups.indices {
      redoGroups[index].renumber(numbers, in: root, references: references)
    }
    open.renumber(numbers, in: root, references: references)
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

  /// Everything that the history holds.
  var contents: Contents {
    get { Contents(undoGroups, keptStates, redoGroups, open, isOverflowing) }
    set { (undoGroups, keptStates, redoGroups, open, isOverflowing) = newValue }
  }

  typealias Contents = (
    undoGroups: [Group], keptStates: Int, redoGroups: [Group], open: Group, isOverflowing: Bool
  )

  /// Ends the group of a turn.
  func closeGroup() {
    if isOverflowing { return empty() }
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

/// Records the changes that a context's user makes, and undoes them.
final class UndoRecorder {
  private unowned let context: ManagedObjectContext
  /// For objects that something else changed during the turn: the states to which undo returns.
  ///
  /// See ``UndoHistory``.
  private var bases: [ObjectIdentifier: ObjectSnapshot?] = [:]
  /// For objects with unsaved deletions into which newer values were merged: the values with which
  /// they had been read before.
  private var valuesBeforeMerge: [ObjectIdentifier: ObjectSnapshot] = [:]
  /// The objects from which the running undo has removed members; see
  /// ``endKeptRelationships(of:)``.
  private var formerOwners: [ManagedObject] = []
  /// Their values before.
  private var formerValues: [ObjectIdentifier: ObjectSnapshot] = [:]

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Begins from the present values: undo leaves what changed before.
  func begin() {
    guard context.undoManager != nil, !context.unprocessed.isEmpty else { return }
    StopCheck.finishing { context.propagateDeletions() }
    expect(context.unprocessed.count)
    for object in context.unprocessed { didReplace(object) }
  }

  /// Whether unprocessed changes can be undone.
  var hasNewChanges: Bool {
    !context.deletions.isEmpty || context.unprocessed.contains { change(of: $0) != nil }
  }

  /// Forgets the turn's states.
  func forget() {
    guard !bases.isEmpty else { return }
    let old = bases
    bases = [:]
    let count = old.count
    releaseInBackground(consume old, count: count)
  }

  /// Takes memory for the states of so many objects.
  ///
  /// A dictionary that grows by itself copies up to half a million states at once.
  func expect(_ count: Int) {
    if context.undoManager != nil { bases.reserveCapacity(count) }
  }

  /// What is known of the turn's objects beyond their own values.
  var notes: Notes {
    get { (bases, valuesBeforeMerge) }
    set { (bases, valuesBeforeMerge) = newValue }
  }

  typealias Notes = (
    bases: [ObjectIdentifier: ObjectSnapshot?],
    valuesBeforeMerge: [ObjectIdentifier: ObjectSnapshot]
  )

  /// Replaces references in the states of the turn's objects.
  func renumber(
    _ objects: [ManagedObject], references: (ManagedObject, ObjectSnapshot) -> ObjectSnapshot
  ) {
    guard !bases.isEmpty else { return }
    for object in objects {
      guard let base = bases[ObjectIdentifier(object)] else { continue }
      bases[ObjectIdentifier(object)] = .some(base.map { references(object, $0) })
    }
  }

  /// Forgets what was merged into deleted objects, because no deletion is unsaved now.
  func forgetMerges() { valuesBeforeMerge.removeAll() }

  /// Notes that an object is about to be deleted by the user.
  func willDelete(_ object: ManagedObject) {
    if !valuesBeforeMerge.isEmpty { valuesBeforeMerge[ObjectIdentifier(object)] = nil }
  }

  /// Notes that newer values are about to be merged into an object whose deletion is unsaved.
  func willMerge(intoDeleted object: ManagedObject) {
    let key = ObjectIdentifier(object)
    guard context.undoManager != nil, valuesBeforeMerge[key] == nil else { return }
    valuesBeforeMerge[key] = object.committed
  }

  /// Undoes the changes of the last turn.
  func undo() {
    guard let history = context.undoManager else { return }
    closeGroup(of: history)
    guard let group = history.takeUndoGroup() else { return }
    history.addRedoGroup(revert(group, isUndo: true))
  }

  /// Redoes the changes that were last undone.
  func redo() {
    guard let history = context.undoManager else { return }
    closeGroup(of: history)
    guard let group = history.takeRedoGroup() else { return }
    history.addUndoGroup(revert(group, isUndo: false))
  }

  /// Notes the changes of a batch.
  ///
  /// - Parameter mayStop: Whether the turn may still stop.
  /// - Returns: Whether nothing has stopped that. Otherwise the history is as before.
  func record(_ batch: ContextChanges, in history: UndoHistory, mayStop: Bool) -> Bool {
    let count = batch.changes.count
    let before = mayStop ? history.contents : nil
    var stop = mayStop ? StopCheck.Loop(over: count) : StopCheck.Loop(droppingOver: count)
    for (change, object) in zip(batch.changes, batch.objects) {
      if history.isOverflowing { break }
      if stop.isWanted(after: 2) {
        guard let before else { break }
        history.contents = before
        return false
      }
      record(change, of: object, in: history)
    }
    forget()
    return true
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

  /// Notes what followed from a child's save on the other sides of relationships, so that an undo of
  /// the save restores the order of lists, too.
  func record(_ consequences: [RelationshipReconciler.Replacement]) {
    guard let history = context.undoManager else { return }
    var seen: Set<ObjectIdentifier> = []
    for replacement in consequences {
      let object = replacement.object
      guard let before = replacement.before, seen.insert(ObjectIdentifier(object)).inserted
      else { continue }
      history.record(object, before: before, after: object.isDeleted ? nil : object.snapshot)
    }
  }

  /// Notes what the user changed in an object, before something else changes it.
  func capture(_ object: ManagedObject) {
    guard let history = context.undoManager, object.isUnprocessed else { return }
    if let change = change(of: object) {
      history.record(object, before: change.before, after: change.after)
    }
    didReplace(object)
  }

  /// Returns what the user changed in an unprocessed object; nil for nothing.
  private func change(
    of object: ManagedObject
  ) -> (before: ObjectSnapshot?, after: ObjectSnapshot?)? {
    let before = bases[ObjectIdentifier(object)] ?? object.baseline
    let after = object.isDeleted ? nil : object.snapshot
    return before == after ? nil : (before, after)
  }

  /// Notes the object's state after something else changed it.
  ///
  /// The user's changes continue from there.
  func didReplace(_ object: ManagedObject) {
    guard context.undoManager != nil else { return }
    bases[ObjectIdentifier(object)] = .some(object.isDeleted ? nil : object.snapshot)
  }

  private func closeGroup(of history: UndoHistory) {
    StopCheck.finishing { context.propagateDeletions() }
    for object in context.unprocessed { capture(object) }
    history.closeGroup()
  }

  /// Undoes or redoes the changes of a group, and returns the group that does the opposite.
  private func revert(_ group: UndoHistory.Group, isUndo: Bool) -> UndoHistory.Group {
    var opposite = UndoHistory.Group()
    var stop = context.replacingLoop(over: .max)
    defer { (formerOwners, formerValues) = ([], [:]) }
    let replacedBefore = context.reconciler.replaced.count
    expect(group.objectCount)
    for entry in group.entries.reversed() {
      if stop.isWanted(after: 4) { return opposite }
      switch entry {
      case .changed(let object, let before, let after):
        revert(object, from: after, to: before, isUndo: isUndo, noting: &opposite)
      case .inserted(let root, let numbers):
        for number in numbers.reversed() {
          if stop.isWanted(after: 4) { return opposite }
          guard let object = context.registered(number, in: root) else { continue }
          revert(object, from: object.snapshot, to: nil, isUndo: isUndo, noting: &opposite)
        }
      }
    }
    opposite.recordLast(
      formerOwners.filter { !$0.isDeleted }.map { object in
        .changed(
          object, before: formerValues[ObjectIdentifier(object)], after: object.snapshot)
      })
    context.reconciler.alignDeleted(replacedAfter: replacedBefore)
    // Changes that followed on the other sides of relationships are undone, too.
    for replacement in context.reconciler.finish(cascades: false) {
      let object = replacement.object
      opposite.record(
        object, before: replacement.before, after: object.isDeleted ? nil : object.snapshot)
    }
    // An object may occur several times, and is unmarked once.
    for object in context.pending {
      if stop.isWanted() { return opposite }
      unmark(object)
    }
    context.dropUnchangedObjects()
    return opposite
  }

  private func revert(
    _ object: ManagedObject, from after: ObjectSnapshot?, to before: ObjectSnapshot?,
    isUndo: Bool, noting opposite: inout UndoHistory.Group
  ) {
    guard object.managedObjectContext === context else { return }
    var current = object.isDeleted ? nil : object.snapshot
    switch (current, before) {
    case (nil, nil): return
    // Something outside this context has deleted it since.
    case (nil, .some) where after != nil: return
    case (nil, let before?):
      let values = addingMerges(to: before, of: object)
      context.replacing.restore(object, to: values, by: .undone)
    // Something else has reverted the deletion since: a merge policy, or a child's save.
    case (.some, .some) where after == nil: return
    case (.some, nil):
      context.willReplace(object, by: .undone)
      context.markDeleted(object)
      if isUndo { endKeptRelationships(of: object) }
      // A redo puts it back among the members of objects that are gone now, too.
      current = formerValues[ObjectIdentifier(object)] ?? current
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

  /// Ends the relationships of an object that undo removes, where its delete rule would keep them.
  ///
  /// A rule is for deletions by the user, such as one that is redone. It neither denies an undo, nor
  /// leaves references to an object that was never inserted.
  private func endKeptRelationships(of object: ManagedObject) {
    for (ordinal, relationship) in object.entity.relationships.enumerated()
    where relationship.deleteRule.keepsReferences {
      if let inverse = try? object.entity.link(at: ordinal).inverse {
        for id in object.members(at: ordinal) {
          guard let other = context.findObject(with: id), !other.isDeleted,
            other.hasMember(object.objectID, at: inverse.ordinal)
          else { continue }
          // Its members before the first removal are enough to reconcile all, and to redo it.
          if formerValues[ObjectIdentifier(other)] == nil {
            formerValues[ObjectIdentifier(other)] = other.snapshot
            formerOwners.append(other)
            context.willReplace(other, by: .assigned)
          }
          other.dropMember(object.objectID, from: inverse.ordinal)
          didReplace(other)
        }
      }
      object.snapshot[object.entity.attributes.count + ordinal] =
        relationship.isToMany ? .list([]) : .null
    }
  }

  /// Returns the values that an undone deletion gives an object: those before, with what was merged
  /// since.
  private func addingMerges(to before: ObjectSnapshot, of object: ManagedObject) -> ObjectSnapshot {
    guard let read = valuesBeforeMerge.removeValue(forKey: ObjectIdentifier(object)),
      object.isPending, var values = object.committed
    else { return before }
    values.take(from: before, whereChangedSince: read, of: object.entity)
    return values
  }

  /// Clears an object's mark as changed if undo left no unsaved changes.
  private func unmark(_ object: ManagedObject) {
    guard object.isPending, !object.isDeleted, object.committed == object.snapshot else { return }
    context.replacedState?.note(object)
    object.isPending = false
    object.committed = nil
  }
}

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
  ///
  /// - Parameter mayStop: Whether the turn may still stop.
  /// - Returns: Whether nothing has stopped that.
  func recordForUndo(_ batch: ContextChanges, mayStop: Bool) -> Bool {
    undoManager.map { undoRecorder.record(batch, in: $0, mayStop: mayStop) } ?? true
  }
}
