package import FetchedResults
package import ScriptSyntax

/// Runs statements against a session and emits what they bring about.
///
/// A statement outside `perform` is a turn: its pending changes are processed
/// at its end. An interpreter belongs to one thread.
package final class Interpreter {
  package let session: Session
  /// Counts statements and repetitions.
  package var steps: StepCounter { commands.steps }
  /// How far the running top-level statement is.
  package var progress: StatementProgress { commands.steps.progress }
  /// Whether a statement that is interrupted stays as it is, its changes not
  /// processed: for whoever throws the session away then.
  package var leavesInterrupted = false

  /// Is told about each statement that runs, also of those in blocks and in files that are
  /// included.
  @exclusivity(unchecked) package var hearStatement: ((Statement) -> Void)?
  /// Is told about each turn why its callbacks were sent or were not, if reasons are kept.
  @exclusivity(unchecked) package var hearExplanations: (([Explanation]) -> Void)?

  /// Whether a callback of a delegate, a hook or an observer runs.
  package var isInCallback: Bool { commands.frames.isInCallback }

  let commands: CommandSet
  private let environment: any ScriptEnvironment
  /// Whether the running statement is to stop, asked in the midst of its work.
  private let isCancelled: (@Sendable () -> Bool)?
  /// What the loops of the running top-level statement ask; nil if it cannot be stopped.
  @exclusivity(unchecked) private var stopCheck: StopCheck?
  /// How many statements enclose the running one.
  @exclusivity(unchecked) private var nesting = 0

  /// The most statements that may enclose one another, those of the files that
  /// include one another together.
  private static var deepestNesting: Int { 250 }

  /// Creates an interpreter with a session of its own.
  ///
  /// - Parameters:
  ///   - environment: Where files come from, and Ctrl-C.
  ///   - evaluation: The clock and the locale at the beginning.
  ///   - stepLimit: How many statements and repetitions may run; nil for no
  ///     limit.
  ///   - emit: Called with each event, in order.
  package init(
    environment: any ScriptEnvironment,
    evaluation: EvaluationEnvironment = EvaluationEnvironment(), stepLimit: Int? = nil,
    emit: @escaping (Event) -> Void
  ) {
    self.environment = environment
    isCancelled = evaluation.isCancelled
    session = Session(environment: evaluation)
    commands = CommandSet(session, environment, stepLimit: stepLimit, emit: emit)
    commands.callbacks.runner = self
    let events = commands.events
    session.context.console = { events.emit(.console($0)) }
    session.context.didRenumber = { [weak frames = commands.frames] renumbered in
      frames?.renumber(
        Dictionary(renumbered.map { ($0.old, $0.new) }) { first, _ in first })
      for (old, new) in renumbered {
        events.emit(.note("\(old) is \(new) now, since another process took its number first"))
      }
    }
  }

  /// Receives what is odd but no error, once for each place that a statement
  /// comes by; no part of what a script prints.
  package var hearWarning: (Diagnostic, SourceText) -> Void {
    get { commands.warnings.hear }
    set { commands.warnings.hear = newValue }
  }

  /// Is told, with the controller's name, how callbacks break the replay law.
  ///
  /// Where it is set before the first statement, every controller is watched.
  package var hearBreach: ((_ controller: String, ReplayWitness.Breach) -> Void)? {
    get { commands.watch.hear }
    set { commands.watch.hear = newValue }
  }

  /// Names the session's store, as `--store` does; the path is relative to the
  /// current folder.
  package func useStore(at path: String) { commands.stores.use(path: path) }

  /// Names the session's only store, which is read and never written; a statement that names
  /// another one is an error.
  package func useOnlyStore(at path: String) { commands.stores.useOnly(path: path) }

  /// Begins to keep by what changes are decided, so that `explain` can tell about the turns from
  /// now on.
  ///
  /// It costs about as much as deciding them; so a script that never asks does
  /// not do it.
  package func keepReasons() { commands.turnLog.keep(for: session) }

  /// Looks ahead in a script that is about to run: at the names of its entities,
  /// which relationships may lead to before they are defined, and whether it asks
  /// for reasons, which then are kept.
  package func prepare(for script: ParsedScript) {
    session.declareEntities(of: script)
    if script.statements.contains(where: \.mayExplain) { keepReasons() }
  }

  /// Runs one top-level statement.
  ///
  /// - Throws: ``ScriptError``; what ran before the error is processed.
  package func run(_ statement: Statement, in source: SourceText) throws(ScriptError) {
    try runTopLevel(in: source) { () throws(ScriptError) in
      try execute(PreparedStatement(statement, commands.frames.variables))
    }
  }

  /// Lets every context on the store merge what others have saved, as a turn of its own.
  ///
  /// - Parameter source: What errors are said of; its text is empty.
  /// - Throws: ``ScriptError``, as of a callback. What was merged is processed.
  package func mergeSaves(in source: SourceText) throws(ScriptError) {
    try runTopLevel(in: source) { () throws(ScriptError) in
      defer { tellExplanations() }
      defer { commands.events.emitStatements() }
      let range = 0..<0
      try ending(range, endsTurn: true) { () throws(ScriptError) in
        try commands.history.mergeSaves(range)
      }
    }
  }

  private func runTopLevel(
    in source: SourceText, _ body: () throws(ScriptError) -> Void
  ) throws(ScriptError) {
    if stopCheck == nil { progress.begin() }
    let outer = commands.frames.exchangeSource(source)
    commands.warnings.beginStatement()
    commands.events.beginStatement()
    defer {
      // Not where a callback includes a file, for there controllers are being told.
      if !commands.frames.isInCallback { commands.watch.check(session) }
      _ = commands.frames.exchangeSource(outer)
    }
    // A callback may include a file, whose statements are stopped with the callback's.
    guard let isCancelled, stopCheck == nil else { return try body() }
    let check = StopCheck(isCancelled)
    stopCheck = check
    defer { stopCheck = nil }
    commands.steps.stopCheck = check
    defer { commands.steps.stopCheck = nil }
    try check.watching { () throws(ScriptError) in try body() }
  }

  /// Ends the session: section caches are brought to where the next one finds
  /// them.
  ///
  /// - Returns: What went wrong, in words.
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

extension Interpreter: PreparedStatementRunner {
  /// Runs a parsed script's statements until one fails.
  package func run(_ script: ParsedScript) throws(ScriptError) {
    prepare(for: script)
    for statement in script.statements { try run(statement, in: script.source) }
  }

  /// Runs a script in a session of its own, which ends with it.
  func runAlone(_ script: ParsedScript, includedBy includers: [String]) throws(ScriptError) {
    let events = commands.events
    let other = Interpreter(
      environment: environment, evaluation: session.environment, stepLimit: steps.remaining
    ) { events.emit($0) }
    other.hearBreach = hearBreach
    other.commands.frames.enterIncludes(includers)
    defer { steps.remaining = other.steps.remaining }
    try other.run(script)
    for problem in other.close() { events.emit(.note(problem)) }
  }

  func execute(_ statements: [Statement]) throws(ScriptError) {
    for statement in statements {
      try execute(PreparedStatement(statement, commands.frames.variables))
    }
  }

  func execute(_ block: PreparedBlock) throws(ScriptError) {
    for index in 0..<block.count { try execute(block.statement(at: index)) }
  }

  /// Runs a statement, and ends its turn where it is one.
  func execute(_ statement: PreparedStatement) throws(ScriptError) {
    try commands.steps.count(at: statement.range)
    guard nesting < Self.deepestNesting else {
      throw commands.frames.failure(
        .nestedTooDeep(limit: Self.deepestNesting), statement.range)
    }
    nesting += 1
    hearStatement?(statement.statement)
    defer { nesting -= 1 }
    defer { tellExplanations() }
    defer { if session.showsStatements { commands.events.emitStatements() } }
    try ending(statement.range, endsTurn: statement.endsTurn) { () throws(ScriptError) in
      try commands.perform(statement, self)
    }
  }

  /// Runs something, and ends its turn where it is one.
  private func ending(
    _ range: Range<Int>, endsTurn: Bool, _ body: () throws(ScriptError) -> Void
  ) throws(ScriptError) {
    let turns = commands.turns
    do {
      try body()
    } catch {
      if endsTurn, !(leavesInterrupted && error.kind == .interrupted) { turns.end(range) }
      turns.forgetKeptError()
      try throwIfStopped(range)
      throw turns.reason(for: error)
    }
    if endsTurn { turns.end(range) }
    try throwIfStopped(range)
    try turns.throwKeptError()
    try turns.throwReadFailure(range)
    try turns.throwCutShort(range)
  }

  /// Throws where a loop was stopped in the midst: then no result means anything, and no error.
  private func throwIfStopped(_ range: Range<Int>) throws(ScriptError) {
    guard let stopCheck, stopCheck.isStopped else { return }
    _ = session.coordinator.takeReadFailure()
    commands.turns.forgetKeptError()
    throw commands.frames.failure(.interrupted, range)
  }

  private func tellExplanations() {
    guard let hearExplanations, commands.turnLog.takeEndedTurn() else { return }
    hearExplanations(TurnExplainer(commands.turnLog, session).explanations)
  }
}
