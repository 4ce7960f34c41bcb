import FetchedResults
import ScriptSyntax

/// Statements about contexts: those that save or discard changes, and those that merge the changes
/// of others.
struct ContextCommands: SessionCommand {
  let parts: SessionParts

  /// How deep contexts are nested, because a fetch calls itself for each parent.
  private static var deepestNesting: Int { 200 }

  /// `context edit parent main policy objectTrump`.
  func define(_ declaration: ContextDeclaration) throws(ScriptError) {
    let name = declaration.name
    guard session.context(named: name.text) == nil else {
      throw frames.failure(.contextExists(name.text), name.range)
    }
    var parent: ManagedObjectContext?
    if let name = declaration.parent {
      let nearest = try names.context(name)
      let level = sequence(first: nearest, next: \.parent).reduce(1) { level, _ in level + 1 }
      guard level <= Self.deepestNesting else {
        throw frames.failure(.contextsTooDeep(limit: Self.deepestNesting), name.range)
      }
      parent = nearest
    }
    let context = session.define(context: name.text, parent: parent)
    turnLog.listen(to: context)
    session.note(.context(name.text, parent: declaration.parent?.text))
    if let policy = declaration.policy.flatMap({ MergePolicy(rawValue: $0.text) }) {
      context.mergePolicy = policy
      session.note(.policy(context, policy))
    }
  }

  /// Returns the context with a name; without a name, that of the enclosing `perform`.
  private func context(orCurrent name: Name?) throws(ScriptError) -> ManagedObjectContext {
    guard let name else { return session.context }
    return try names.context(name)
  }

  // MARK: Ends of changes

  /// `save`, `save bg`.
  func save(_ name: Name?, _ range: Range<Int>) throws(ScriptError) {
    let context = try context(orCurrent: name)
    let changed = context.changedCount
    try frames.withSave(frames.source.text(in: range)) { () throws(ScriptError) in
      session.note(.save(context))
      steps.progress.expect(changed)
      try frames.locating(range) {
        do throws(SaveError) {
          try context.save()
        } catch {
          let cause = error.underlyingError
          session.note(.saveFailed(cause))
          // The error of a hook has its own place.
          if let refused = cause as? ObjectValidationError,
            refused.failures.contains(where: { $0.reason == callbacks.failure })
          {
            try turns.throwKeptError()
          }
          throw cause
        }
      }
    }
    session.tally.saved += changed
  }

  /// `rollback`, `rollback bg`.
  func rollback(_ name: Name?) throws(ScriptError) {
    let context = try context(orCurrent: name)
    session.tally.rolledBack += context.changedCount
    session.note(.rollback(context))
    replacing(in: context) { context.rollback() }
  }

  /// `reset`, `reset bg`.
  func reset(_ name: Name?) throws(ScriptError) {
    let context = try context(orCurrent: name)
    session.note(.reset(context))
    context.reset()
  }

  /// `undo`.
  func undo() {
    if session.context.undoManager?.canUndo == true || session.context.hasUnprocessedChanges {
      session.tally.undone += 1
    }
    session.note(.undo)
    replacing(in: session.context) { session.context.undo() }
  }

  /// `redo`.
  func redo() {
    if session.context.undoManager?.canRedo == true { session.tally.undone += 1 }
    session.note(.redo)
    replacing(in: session.context) { session.context.redo() }
  }

  /// Replaces values of objects.
  ///
  /// This may stop only if the context can revert it, as it can if nothing else is in the turn.
  private func replacing(in context: ManagedObjectContext, _ replace: () -> Void) {
    if !frames.isInTurn, !frames.isInCallback, context.keepReplacedState() {
      replace()
    } else {
      StopCheck.finishing(replace)
    }
  }

  // MARK: What others saved

  /// `merge bg into main`, `merge batch into main`.
  func merge(_ source: Name, into target: Name) throws(ScriptError) {
    switch try names.mergeSource(source) {
    case .context(let saver): try merge(saver, source, into: target)
    case .batch: try mergeBatch(source.range, into: target)
    }
  }

  private func mergeBatch(_ range: Range<Int>, into target: Name) throws(ScriptError) {
    let context = try names.context(target)
    guard let result = session.lastBatch else { throw frames.failure(.noBatch, range) }
    guard result.objectIDs != nil else {
      throw frames.failure(.batchWithoutIDs(result.resultType.rawValue), range)
    }
    replacing(in: context) {
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [context])
    }
  }

  private func merge(
    _ saver: ManagedObjectContext, _ source: Name, into target: Name
  ) throws(ScriptError) {
    let context = try names.mergeTarget(target, of: saver, source)
    guard let save = saver.lastSave else {
      throw frames.failure(.notSaved(source.text), source.range)
    }
    session.note(.merge(saver, into: context))
    replacing(in: context) { context.mergeChanges(fromContextDidSave: save) }
  }

  /// `automerge main on`.
  func automerge(_ name: Name, isOn: Bool) throws(ScriptError) {
    let context = try names.context(name)
    context.automaticallyMergesChangesFromParent = isOn
    session.note(.automerge(context, isOn: isOn))
  }

  /// `observe main`: starts or stops printing the notifications of a context.
  func observe(_ name: Name, isOn: Bool) throws(ScriptError) {
    let context = try names.context(name)
    session.note(.observe(context, isOn: isOn))
    guard isOn else { return session.observe(name.text, by: nil) }
    guard !session.isObserved(name.text) else { return }
    let events = events
    let observation = context.observe { notification in
      events.emit(.notification(ShownNotification(notification, context: name.text)))
    }
    session.observe(name.text, by: observation)
  }

  /// `refresh dune`, `refresh dune merging`.
  ///
  /// For a list, refreshes each of its objects.
  func refresh(_ target: ExpressionSyntax, isMerging: Bool) throws(ScriptError) {
    let value = try evaluator.scalar(target)
    let values: [PropertyValue]
    if case .list(let elements) = value { values = elements } else { values = [value] }
    for value in values {
      let object = try names.object(value, target.range)
      session.note(.refresh(object.objectID, isMerging: isMerging))
      session.context.refresh(object, mergeChanges: isMerging)
    }
  }
}
