package import FetchedResults
package import ScriptSyntax

/// Runs statements against a session and emits what they bring about.
///
/// A statement outside `perform` is a turn: its pending changes are processed
/// at its end. An interpreter belongs to one thread.
package final class Interpreter {
  package let session: Session
  let environment: any ScriptEnvironment
  let emit: (Event) -> Void
  /// Emits the statements that the store has run since the last event.
  private let emitStatements: () -> Void
  /// Hears of what is odd but no error, once for each place that a statement
  /// comes by; no part of what a script prints.
  package var hearWarning: (Diagnostic, SourceText) -> Void = { _, _ in }
  /// Hears, with the controller's name, how callbacks break the replay law.
  ///
  /// Where it is set before the first statement, every controller is watched.
  package var hearBreach: ((_ controller: String, ReplayWitness.Breach) -> Void)?
  /// The warnings of the running top-level statement.
  private var warnings: Set<Diagnostic> = []
  /// Whether a statement that is interrupted stays as it is, its changes not
  /// processed: for whoever throws the session away then.
  package var leavesInterrupted = false
  /// How many statements and repetitions may still run; nil for no limit.
  package var remainingSteps: Int?
  private let stepLimit: Int

  /// The source whose statements run, for the places of errors.
  var source = SourceText(name: "", text: "")
  /// How many `perform` blocks enclose the running statement.
  private var performDepth = 0
  /// The names of the sources whose `include` statements are running.
  var includers: [String] = []
  /// How many statements enclose the running one.
  private var nesting = 0
  /// How many of the script's own callbacks enclose the running statement.
  var callbackDepth = 0
  /// The `save` statement that is running, as it is written; nil where none is.
  var runningSave: String?
  /// What a callback failed with, until its turn ends.
  var callbackError: ScriptError?
  /// What the running callback returned.
  var returnValue: Value?
  /// Whose attributes bare names mean, inside `update { }` and where a
  /// transient attribute is computed.
  var updated: NamedValues?
  /// How many transient attributes are being computed, one for another.
  var transientDepth = 0
  /// How many expressions are being evaluated, one as a part of another or to
  /// compute a transient attribute of it.
  var evaluationDepth = 0
  /// The store that was named and that no statement has needed yet.
  var awaitedStore: AwaitedStore?
  /// What the last turn changed, and what controllers made of it, where it is
  /// kept.
  let turnLog = TurnLog()
  /// Whether reasons are kept; see ``keepReasons()``.
  var keepsReasons = false
  /// The entities that the running scripts define, now or later.
  var declaredEntities: Set<String> = []
  /// What a model said about its parts, each once.
  var modelNotes: Set<String> = []

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
    let session = Session(environment: evaluation)
    self.session = session
    self.environment = environment
    let measuresTime = environment.measuresTime
    // The session's delegates and contexts hold this closure.
    let emitInOrder: (Event) -> Void = { [weak session] event in
      guard let session, !session.isCutShort else { return }
      session.takeStatements(measuresTime: measuresTime).forEach(emit)
      if event.isCallback {
        session.isCutShort = environment.isInterrupted
        if session.isCutShort { return }
        session.tally.callbacks += 1
        session.stepper?.callbackWillBegin()
      }
      emit(event)
    }
    self.emit = emitInOrder
    emitStatements = { [weak session] in
      session?.takeStatements(measuresTime: measuresTime).forEach(emit)
    }
    self.stepLimit = stepLimit ?? 0
    remainingSteps = stepLimit
    session.context.console = { emitInOrder(.console($0)) }
    session.context.didRenumber = { [weak session] renumbered in
      session?.renumber(renumbered)
      for (old, new) in renumbered {
        emitInOrder(.note("\(old) is \(new) now, since another process took its number first"))
      }
    }
  }

  /// Runs a parsed script's statements until one fails.
  package func run(_ script: ParsedScript) throws(ScriptError) {
    prepare(for: script)
    for statement in script.statements { try run(statement, in: script.source) }
  }

  /// Runs one top-level statement.
  ///
  /// - Throws: ``ScriptError``; what ran before the error is processed.
  package func run(_ statement: Statement, in source: SourceText) throws(ScriptError) {
    let outer = self.source
    self.source = source
    defer { self.source = outer }
    warnings = []
    session.isCutShort = false
    defer { settleWitnesses() }
    try execute(statement)
  }

  func warn(_ warning: Diagnostic) {
    if warnings.insert(warning).inserted { hearWarning(warning, source) }
  }

  /// Looks whether controllers show what their delegates were told; not where a
  /// callback includes a file, for there they are being told.
  private func settleWitnesses() {
    guard hearBreach != nil, callbackDepth == 0 else { return }
    for name in session.controllerNames {
      guard let binding = session.controllers[name] else { continue }
      binding.witness?.settle(binding.controller)
    }
  }
}

// MARK: - Turns

extension Interpreter {
  /// Runs a statement, and ends its turn where it is one.
  func execute(_ statement: Statement) throws(ScriptError) {
    try countStep(at: statement.range)
    guard nesting < Self.deepestNesting else {
      throw failure(.nestedTooDeep(limit: Self.deepestNesting), statement.range)
    }
    nesting += 1
    defer { nesting -= 1 }
    defer { emitStatements() }
    do {
      try perform(statement)
    } catch {
      if !statement.holdsStatements, !(leavesInterrupted && error.kind == .interrupted) {
        endTurn(statement.range)
      }
      callbackError = callbackDepth == 0 ? nil : callbackError
      // What could not be read is the reason, whatever seems to have followed.
      if error.kind != .interrupted, let unread = session.coordinator.takeReadFailure() {
        throw ScriptError(.engine("\(unread)"), range: error.range, source: error.source)
      }
      throw error
    }
    if !statement.holdsStatements { endTurn(statement.range) }
    try throwCallbackError()
    try throwReadFailure(statement.range)
    try throwCutShort(statement.range)
  }

  /// Throws where the turn was not told to its end; it was processed, though.
  private func throwCutShort(_ range: Range<Int>) throws(ScriptError) {
    if session.isCutShort, callbackDepth == 0 { throw failure(.interrupted, range) }
  }

  /// Evaluates the head of a statement that holds others, such as a condition.
  ///
  /// What it changes is a turn of its own.
  func evaluateHead(_ expression: ExpressionSyntax) throws(ScriptError) -> Operand {
    let value: ScriptValue
    do {
      value = try evaluate(expression)
    } catch {
      endTurn(expression.range)
      callbackError = callbackDepth == 0 ? nil : callbackError
      throw error
    }
    endTurn(expression.range)
    try throwCallbackError()
    try throwCutShort(expression.range)
    return Operand(value: value, range: expression.range)
  }

  func execute(_ statements: [Statement]) throws(ScriptError) {
    for statement in statements { try execute(statement) }
  }

  /// The most statements that may enclose one another, those of the files that
  /// include one another together.
  private static var deepestNesting: Int { 250 }

  private func endTurn(_ range: Range<Int>) {
    guard performDepth == 0 else { return }
    processTurn(of: session.contexts.map(\.context), range)
    session.turn += 1
    if callbackDepth == 0 { turnLog.endTurn(of: range, in: source) }
    settleTables()
  }

  /// Processes what a statement changed that is a turn.
  func processIfTurnEnds(_ range: Range<Int>) {
    if performDepth == 0 { processTurn(of: session.contexts.map(\.context), range) }
  }

  /// Runs statements within one turn.
  func executeInTurn(_ body: [Statement]) throws(ScriptError) {
    performDepth += 1
    defer { performDepth -= 1 }
    try execute(body)
  }

  /// Counts one step, and stops where the user or a limit says so.
  func countStep(at range: Range<Int>) throws(ScriptError) {
    if environment.isInterrupted { throw failure(.interrupted, range) }
    guard let remaining = remainingSteps else { return }
    guard remaining > 0 else { throw failure(.stepLimit(stepLimit), range) }
    remainingSteps = remaining - 1
  }
}

extension Statement {
  /// Whether the statement holds others, which end their own turns.
  fileprivate var holdsStatements: Bool {
    switch kind {
    case .for, .if, .repeat, .include, .try: true
    case .entity, .model, .storeMemory, .storeSQLite, .save, .rollback, .reset, .process, .context,
      .merge, .automerge, .refresh, .refreshAll, .undo, .redo, .insert, .let, .assign, .update,
      .importRows, .delete, .deleteMatching, .perform, .set, .expect, .request, .storedRequest,
      .controller, .fetch, .count, .change, .delegate, .ownDelegate, .return, .deleteCache,
      .deleteCaches, .table, .suspend, .resume, .reload, .trace, .show, .showRequest, .showModel,
      .objects, .print, .caches, .stats, .evaluate, .explain, .swift, .quirk:
      false
    }
  }
}
