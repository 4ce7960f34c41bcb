import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// `context edit parent main policy objectTrump`.
  func define(_ declaration: ContextDeclaration) throws(ScriptError) {
    let name = declaration.name
    guard session.context(named: name.text) == nil else {
      throw failure(.contextExists(name.text), name.range)
    }
    var parent: ManagedObjectContext?
    if let name = declaration.parent { parent = try context(name) }
    let context = session.define(context: name.text, parent: parent)
    if keepsReasons { turnLog.listen(to: context) }
    if let policy = declaration.policy.flatMap({ MergePolicy(rawValue: $0.text) }) {
      context.mergePolicy = policy
    }
  }

  /// Returns a context by its name.
  func context(_ name: Name) throws(ScriptError) -> ManagedObjectContext {
    if let context = session.context(named: name.text) { return context }
    let near = nearestName(to: name.text, among: session.contexts.map(\.name))
    throw failure(.unknownContext(name.text, suggestion: near), name.range)
  }

  /// Returns the context of a name, or of the enclosing `perform`.
  private func context(orCurrent name: Name?) throws(ScriptError) -> ManagedObjectContext {
    guard let name else { return session.context }
    return try context(name)
  }

  /// `perform { … }`, `perform bg { … }`: one turn, of another context where
  /// one is named.
  func perform(_ body: [Statement], on name: Name?, _ range: Range<Int>) throws(ScriptError) {
    guard let name else { return try executeInTurn(body) }
    let context = try context(name)
    try onContext(context) { () throws(ScriptError) in
      do throws(ScriptError) {
        try executeInTurn(body)
      } catch {
        processTurn(of: [context], range)
        throw error
      }
      processTurn(of: [context], range)
    }
  }

  /// Runs something whose statements belong to a context.
  func onContext<Result>(
    _ context: ManagedObjectContext, _ body: () throws(ScriptError) -> Result
  ) throws(ScriptError) -> Result {
    let outer = session.context
    session.context = context
    defer { session.context = outer }
    return try body()
  }

  // MARK: Ends of changes

  /// `save`, `save bg`.
  func save(_ name: Name?, _ range: Range<Int>) throws(ScriptError) {
    let context = try context(orCurrent: name)
    let changed = context.changedCount
    let outer = runningSave
    runningSave = source.text(in: range)
    defer { runningSave = outer }
    try locating(range) { try context.save() }
    session.tally.saved += changed
  }

  /// `rollback`, `rollback bg`.
  func rollback(_ name: Name?) throws(ScriptError) {
    let context = try context(orCurrent: name)
    session.tally.rolledBack += context.changedCount
    context.rollback()
  }

  /// `reset`, `reset bg`.
  func reset(_ name: Name?) throws(ScriptError) {
    try context(orCurrent: name).reset()
  }

  /// `undo`.
  func undo() {
    if session.context.undoHistory?.canUndo == true || session.context.hasUnprocessedChanges {
      session.tally.undone += 1
    }
    session.context.undo()
  }

  /// `redo`.
  func redo() {
    if session.context.undoHistory?.canRedo == true { session.tally.undone += 1 }
    session.context.redo()
  }

  // MARK: What others saved

  /// `merge bg into main`.
  func merge(_ source: Name, into target: Name) throws(ScriptError) {
    let saver = try context(source)
    let context = try context(target)
    guard saver !== context else { throw failure(.mergesItself(source.text), target.range) }
    guard let save = saver.lastSave else { throw failure(.notSaved(source.text), source.range) }
    context.mergeChanges(fromContextDidSave: save)
  }

  /// `automerge main on`.
  func automerge(_ name: Name, isOn: Bool) throws(ScriptError) {
    try context(name).automaticallyMergesChangesFromParent = isOn
  }

  /// `refresh dune`, `refresh dune merging`; a list refreshes each.
  func refresh(_ target: ExpressionSyntax, isMerging: Bool) throws(ScriptError) {
    let value = try scalar(target)
    let values: [Value]
    if case .list(let elements) = value { values = elements } else { values = [value] }
    for value in values {
      session.context.refresh(try object(value, target.range), mergeChanges: isMerging)
    }
  }

  /// `set policy objectTrump`: what a save of the enclosing context does where
  /// another one saved first.
  func setPolicy(_ value: ExpressionSyntax) throws(ScriptError) {
    let word = try string(value)
    guard let policy = MergePolicy(rawValue: word) else {
      throw failure(.needed("a merge policy", found: "'\(word)'"), value.range)
    }
    session.context.mergePolicy = policy
  }
}

extension ManagedObjectContext {
  /// How many objects a save would write.
  fileprivate var changedCount: Int {
    insertedObjects.count + updatedObjects.count + deletedObjects.count
  }
}
