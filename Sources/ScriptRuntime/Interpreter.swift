package import FetchedResults
package import ScriptSyntax

/// Runs statements in a session and emits their events.
///
/// A statement outside `perform` is a turn: its pending changes are processed at its end. An
/// interpreter belongs to one thread.
package final class Interpreter {
  package let session: Session
  /// The counter of statements and repetitions.
  package var steps: StepCounter { parts.steps }
  /// The progress of the running top-level statement.
  package var progress: StatementProgress { parts.steps.progress }
  /// Whether the caller drops the session if a statement is interrupted and not reverted.
  ///
  /// Then the statement may stop anywhere; see ``wasReverted``.
  package var dropsInterrupted = false
  /// Whether what an interrupted statement has changed is reverted, if that is possible.
  ///
  /// It need not be if the session ends then.
  package var revertsInterrupted = true
  /// Whether the last top-level statement was interrupted, and nothing of it is left.
  package private(set) var wasReverted = false
  /// What the last interrupted top-level statement had done until then.
  package private(set) var interruptedTally = SessionTally()
  /// Whether the running top-level statement can be reverted; see ``Statement/changesOnlyObjects``.
  private var revertsTurn = true
  /// What the session had done before the running top-level statement.
  @exclusivity(unchecked) private var tallyBefore = SessionTally()

  /// Called with each statement that runs, including those in blocks and in included files.
  @exclusivity(unchecked) package var onStatement: ((Statement) -> Void)?
  /// Called when the running top-level statement is to stop, before anything of it is undone, with
  /// what it has done until then.
  @exclusivity(unchecked) package var onStop: ((SessionTally) -> Void)?
  /// Called with each turn's explanations of its callbacks, if reasons are kept.
  @exclusivity(unchecked) package var onExplanations: (([Explanation]) -> Void)?

  /// Whether the receiver of an event has read it when it returns, and keeps nothing of it.
  ///
  /// Then `show` copies no rows.
  package var eventsAreReadAtOnce: Bool {
    get { parts.events.areReadAtOnce }
    set { parts.events.areReadAtOnce = newValue }
  }

  /// Whether a callback of a delegate, a hook or an observer is running.
  package var isInCallback: Bool { parts.frames.isInCallback }

  let parts: SessionParts
  private let environment: any ScriptEnvironment
  /// Returns whether the running statement must stop; called during its work.
  private let isCancelled: (@Sendable () -> Bool)?
  /// The check for the loops of the running top-level statement; nil if it cannot be stopped.
  @exclusivity(unchecked) private var stopCheck: StopCheck?
  /// The number of statements around the running one.
  @exclusivity(unchecked) private var nesting = 0

  /// The largest depth of nested statements, including those of all files that include one another.
  private static var deepestNesting: Int { 250 }

  /// Creates an interpreter with a session of its own.
  ///
  /// - Parameters:
  ///   - environment: Provides files, and reports Ctrl-C.
  ///   - evaluation: The clock and the locale at the start.
  ///   - stepLimit: The largest number of statements and repetitions; nil for no limit.
  ///   - emit: Called with each event, in order.
  package init(
    environment: any ScriptEnvironment,
    evaluation: EvaluationEnvironment = EvaluationEnvironment(), stepLimit: Int? = nil,
    emit: @escaping (Event) -> Void
  ) {
    self.environment = environment
    isCancelled = evaluation.isCancelled
    session = Session(environment: evaluation)
    parts = SessionParts(session, environment, stepLimit: stepLimit, emit: emit)
    parts.callbacks.runner = self
    let events = parts.events
    session.context.console = { events.emit(.console($0)) }
    session.context.didRenumber = { [weak frames = parts.frames] renumbered in
      frames?.renumber(
        Dictionary(renumbered.map { ($0.old, $0.new) }) { first, _ in first })
      for (old, new) in renumbered {
        events.emit(.note("\(old) is \(new) now, since another process took its number first"))
      }
    }
  }

  /// Called with each warning, once for each place of a statement.
  ///
  /// Warnings are not part of a script's output.
  package var onWarning: (Diagnostic, SourceText) -> Void {
    get { parts.warnings.onWarning }
    set { parts.warnings.onWarning = newValue }
  }

  /// Called with the controller's name when callbacks break the replay law.
  ///
  /// If it is set before the first statement, every controller is checked.
  package var onBreach: ((_ controller: String, CheckingDelegate.Breach) -> Void)? {
    get { parts.replayChecker.onBreach }
    set { parts.replayChecker.onBreach = newValue }
  }

  /// Sets the session's store, as `--store` does.
  ///
  /// The path is relative to the current folder.
  package func useStore(at path: String) { parts.stores.use(path: path) }

  /// Sets the session's only store, which is read and never written.
  ///
  /// A statement that names another one is an error.
  package func useOnlyStore(at path: String) { parts.stores.useOnly(path: path) }

  /// Starts to record how changes are decided, so that `explain` can show it for later turns.
  ///
  /// Recording costs about as much as deciding, so it is off in scripts that never ask.
  package func keepReasons() { parts.turnLog.keep(for: session) }

  /// Reads a script that is about to run.
  ///
  /// Finds the names of its entities, because relationships may lead to an entity before it is
  /// defined. Starts recording if the script contains an `explain`.
  ///
  /// - Parameter isWhole: Whether it takes the place of the script that was read before, so that no
  ///   entity is still to come that only that one defines.
  package func prepare(for script: ParsedScript, isWhole: Bool = false) {
    session.declareEntities(of: script, isWhole: isWhole)
    if script.statements.contains(where: \.mayExplain) { keepReasons() }
  }

  /// Runs one top-level statement.
  ///
  /// - Throws: ``ScriptError``. The changes made before the error are processed.
  package func run(_ statement: Statement, in source: SourceText) throws(ScriptError) {
    guard stopCheck == nil else { return try runAsTopLevel(statement, in: source) }
    let mark = SessionMark(session)
    let changesOnlyObjects = statement.changesOnlyObjects
    revertsTurn = revertsInterrupted && (changesOnlyObjects || !dropsInterrupted)
    wasReverted = false
    tallyBefore = mark.tally
    do throws(ScriptError) {
      try runAsTopLevel(statement, in: source)
    } catch {
      guard error.kind == .interrupted else { throw error }
      interruptedTally = session.tally.since(mark.tally)
      if changesOnlyObjects, mark.isReached(by: session) {
        session.tally = mark.tally
        wasReverted = true
      }
      throw error
    }
  }

  private func runAsTopLevel(
    _ statement: Statement, in source: SourceText
  ) throws(ScriptError) {
    try runTopLevel(in: source) { () throws(ScriptError) in
      try execute(PreparedStatement(statement, parts.frames.variables))
    }
  }

  /// Merges what others have saved into every context on the store, as a turn of its own.
  ///
  /// - Parameters:
  ///   - save: What that is; nil if the store does not know it.
  ///   - source: What errors are said of; its text is empty.
  /// - Throws: ``ScriptError``, as of a callback. What was merged is processed.
  package func mergeSaves(_ save: ContextSave?, in source: SourceText) throws(ScriptError) {
    try runTopLevel(in: source) { () throws(ScriptError) in
      defer { tellExplanations() }
      defer { parts.events.emitStatements() }
      let range = 0..<0
      try ending(range, endsTurn: true) { () throws(ScriptError) in
        try HistoryCommands(parts: parts).mergeSaves(save, range)
      }
    }
  }

  private func runTopLevel(
    in source: SourceText, _ body: () throws(ScriptError) -> Void
  ) throws(ScriptError) {
    if stopCheck == nil { progress.begin() }
    let outer = parts.frames.exchangeSource(source)
    parts.warnings.beginStatement()
    parts.events.beginStatement()
    defer {
      // This is not checked if a callback includes a file, because controllers are still reporting
      // changes.
      if !parts.frames.isInCallback { parts.replayChecker.check(session) }
      _ = parts.frames.exchangeSource(outer)
    }
    // A callback may include a file. Its statements stop together with the callback's.
    guard let isCancelled, stopCheck == nil else { return try body() }
    // The check is asked on this thread only.
    nonisolated(unsafe) let interpreter = self
    let check = StopCheck(
      isCancelled, dropsChanges: dropsInterrupted,
      didStop: { interpreter.onStop?(interpreter.session.tally.since(interpreter.tallyBefore)) },
      didAdvance: { [progress] in progress.count($0) })
    stopCheck = check
    defer { stopCheck = nil }
    parts.steps.stopCheck = check
    defer { parts.steps.stopCheck = nil }
    try check.watching { () throws(ScriptError) in try body() }
  }

  /// Ends the session, and updates section caches for the next one.
  ///
  /// - Returns: Descriptions of what went wrong.
  package func close() -> [String] {
    do {
      try session.coordinator.writeSectionCaches(
        of: session.controllerNames.compactMap { session.controllers[$0]?.controller })
      return []
    } catch {
      return ["\(error)"]
    }
  }
}

/// Where a session was before a statement, as far as the statement can be reverted.
private struct SessionMark {
  let tally: SessionTally
  private let results: Int
  /// The last batch of each context.
  private let sequences: [Int]

  init(_ session: Session) {
    tally = session.tally
    results = session.resultCount
    sequences = session.contexts.map { $0.context.sequence }
  }

  /// Whether a session in which a statement was stopped is there again.
  func isReached(by session: Session) -> Bool {
    session.resultCount == results && tally.saved == session.tally.saved
      && tally.batches == session.tally.batches
      && session.contexts.map { $0.context.sequence } == sequences
      && !session.contexts.contains { $0.context.hasUnprocessedChanges }
  }
}

extension Statement {
  /// Whether the statement changes nothing but objects, so that nothing of it is left if its turn
  /// is reverted.
  fileprivate var changesOnlyObjects: Bool {
    if case .let = kind { return true }
    // Rows of a file are inserted as objects, and a batch request writes all of its rows or none.
    if case .importRows = kind { return true }
    if case .batch = kind { return true }
    if case .merge = kind { return true }
    switch traits.effect {
    case .looks, .inserts, .changesObjects, .changesMatches, .saves, .fetches, .rollsBack, .undoes,
      .redoes:
      return true
    case .runs: return !inner.isEmpty && inner.allSatisfy(\.changesOnlyObjectsInside)
    case .defines, .resets, .changesRequest, .stopsTracking,
      .suspends, .resumes, .changes:
      return false
    }
  }

  /// A variable that a statement inside defines stays when the statement around it is stopped.
  ///
  /// What a rollback, an undo, a redo or a merge replaces cannot be reverted together with other
  /// changes.
  private var changesOnlyObjectsInside: Bool {
    if case .let = kind { return false }
    if case .merge = kind { return false }
    switch traits.effect {
    case .rollsBack, .undoes, .redoes: return false
    case .looks, .inserts, .changesObjects, .changesMatches, .saves, .fetches, .runs, .defines,
      .resets, .changesRequest, .stopsTracking, .suspends, .resumes, .changes:
      return changesOnlyObjects
    }
  }
}

extension Interpreter: PreparedStatementRunner {
  /// Runs a parsed script's statements until one fails.
  package func run(_ script: ParsedScript) throws(ScriptError) {
    prepare(for: script)
    for statement in script.statements { try run(statement, in: script.source) }
  }

  /// Runs a script in a session of its own, which ends with it.
  func runAlone(_ script: ParsedScript, includedBy includers: [String]) throws(ScriptError) {
    let events = parts.events
    let other = Interpreter(
      environment: environment, evaluation: session.environment, stepLimit: steps.remaining
    ) { events.emit($0) }
    other.onBreach = onBreach
    other.parts.frames.enterIncludes(includers)
    defer {
      steps.remaining = other.steps.remaining
      session.noteFile(of: other.session)
    }
    try other.run(script)
    for problem in other.close() { events.emit(.note(problem)) }
  }

  func execute(_ statements: [Statement]) throws(ScriptError) {
    for statement in statements {
      try execute(PreparedStatement(statement, parts.frames.variables))
    }
  }

  func execute(_ block: PreparedBlock) throws(ScriptError) {
    for index in 0..<block.count { try execute(block.statement(at: index)) }
  }

  /// Runs a statement.
  ///
  /// If it is a turn, ends it.
  func execute(_ statement: PreparedStatement) throws(ScriptError) {
    try parts.steps.count(at: statement.range)
    guard nesting < Self.deepestNesting else {
      throw parts.frames.failure(
        .nestedTooDeep(limit: Self.deepestNesting), statement.range)
    }
    nesting += 1
    onStatement?(statement.statement)
    defer { nesting -= 1 }
    defer { tellExplanations() }
    defer { if session.showsStatements { parts.events.emitStatements() } }
    try ending(statement.range, endsTurn: statement.endsTurn) { () throws(ScriptError) in
      try parts.perform(statement, self)
    }
  }

  /// Runs a closure.
  ///
  /// If it is a turn, ends it.
  private func ending(
    _ range: Range<Int>, endsTurn: Bool, _ body: () throws(ScriptError) -> Void
  ) throws(ScriptError) {
    let turns = parts.turns
    do {
      try body()
    } catch {
      if endsTurn {
        if error.kind == .interrupted || stopCheck?.isStopped == true {
          if revertsTurn { turns.revert(range) }
        } else {
          turns.end(range)
        }
      }
      turns.forgetKeptError()
      try throwIfStopped(range)
      throw turns.reason(for: error)
    }
    if endsTurn {
      turns.end(range)
      if revertsTurn, stopCheck?.isStopped == true, session.hasStoppedTurn {
        turns.revert(range)
      }
    }
    try throwIfStopped(range)
    try turns.throwKeptError()
    try turns.throwReadFailure(range)
    try turns.throwCutShort(range)
  }

  /// Throws an error if a loop was stopped, because then neither its result nor its error has a
  /// meaning.
  private func throwIfStopped(_ range: Range<Int>) throws(ScriptError) {
    guard let stopCheck, stopCheck.isStopped else { return }
    _ = session.coordinator.takeReadFailure()
    parts.turns.forgetKeptError()
    throw parts.frames.failure(.interrupted, range)
  }

  private func tellExplanations() {
    guard let onExplanations, parts.turnLog.takeEndedTurn(), stopCheck?.isStopped != true
    else { return }
    onExplanations(TurnExplainer(parts.turnLog, session).explanations)
  }
}

extension Interpreter {
  /// What the session's controllers show, in order of their definition.
  ///
  /// - Complexity: O(*n*) in the rows, up to ``SeenController/mostRows``.
  package var seenControllers: [SeenController] {
    let bindings = session.controllerNames.compactMap { session.controllers[$0] }
    let count = bindings.reduce(0) { $0 + ($1.fetchedObjects?.count ?? 0) }
    let withRows = count <= SeenController.mostRows
    return bindings.map { SeenController($0, withRows: withRows) }
  }

  /// Returns a controller's sections with the marks of the last turn; nil if it has not fetched, or
  /// if there is no such controller.
  package func markedSections(of name: String) -> MarkedSections? {
    guard let binding = session.controllers[name] else { return nil }
    let tables = session.tableNames.compactMap { session.tables[$0] }
      .filter { $0.controller === binding }
    return MarkedSections(binding, parts.turnLog, tables: tables)
  }

  /// The statement of the last turn, with the explanations of its callbacks; nil if nothing has
  /// changed yet.
  package var lastTurn: (statement: String, explanations: [Explanation])? {
    let log = parts.turnLog
    guard !log.entries.isEmpty else { return nil }
    return (log.title ?? "", TurnExplainer(log, session).explanations)
  }
}
