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
  /// What a callback failed with, until its turn ends.
  var callbackError: ScriptError?
  /// What the running callback returned.
  var returnValue: Value?
  /// Whose attributes bare names mean, inside `update { }` and where a
  /// transient attribute is computed.
  var updated: NamedValues?
  /// How many transient attributes are being computed, one for another.
  var transientDepth = 0
  /// The store that was named and that no statement has needed yet.
  var awaitedStore: AwaitedStore?
  /// What the last turn changed, and what controllers made of it, where it is
  /// kept.
  let turnLog = TurnLog()
  /// Whether reasons are kept; see ``keepReasons()``.
  var keepsReasons = false
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
    // The session's delegates hold this closure.
    let emitInOrder: (Event) -> Void = { [unowned session] event in
      if session.isCutShort { return }
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
    emitStatements = { [unowned session] in
      session.takeStatements(measuresTime: measuresTime).forEach(emit)
    }
    self.stepLimit = stepLimit ?? 0
    remainingSteps = stepLimit
    session.context.console = { emitInOrder(.console($0)) }
    session.context.didRenumber = { [unowned session] renumbered in
      session.renumber(renumbered)
      for (old, new) in renumbered {
        emitInOrder(.note("\(old) is \(new) now, since another process took its number first"))
      }
    }
  }

  /// Runs a parsed script's statements until one fails.
  package func run(_ script: ParsedScript) throws(ScriptError) {
    keepReasons(for: script)
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
    if callbackDepth == 0 { turnLog.endTurn(source.text(in: range)) }
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
    default: false
    }
  }
}

// MARK: - Statements

extension Interpreter {
  /// Does what a statement says: the one list of statements and what runs each.
  ///
  /// The work is in `Commands`.
  private func perform(_ statement: Statement) throws(ScriptError) {
    if statement.kind.needsStore { try openAwaitedStore(for: statement.range) }
    if try performBlocks(of: statement) { return }
    try performAlone(statement)
  }

  /// Runs a statement that others may stand in; says whether it is one.
  ///
  /// By itself, since statements nest deep, and a frame of the list below is
  /// large.
  private func performBlocks(of statement: Statement) throws(ScriptError) -> Bool {
    let range = statement.range
    switch statement.kind {
    case .perform(let context, false, let body): try perform(body, on: context, range)
    case .perform(let context, true, let body): try performStepping(body, on: context, range)
    case .for(let name, in: let sequence, let body): try loop(name, over: sequence, body)
    case .if(let condition, let then, let otherwise):
      try execute(try truth(of: evaluateHead(condition)) ? then : otherwise)
    case .repeat(let count, let body): try repeats(count, body)
    case .include(let path): try include(path, range)
    case .try(let statement): try attempt(statement)
    default: return false
    }
    return true
  }

  private func performAlone(_ statement: Statement) throws(ScriptError) {
    let range = statement.range
    switch statement.kind {
    case .entity(let declaration): try define(declaration)
    case .model(let path, let version): try defineModel(path, version: version)
    case .storeMemory: try useMemory(range)
    case .storeSQLite(let path, let isReadOnly): try name(store: path, isReadOnly: isReadOnly)
    case .save(let context): try save(context, range)
    case .rollback(let context): try rollback(context)
    case .reset(let context): try reset(context)
    case .process: session.context.process()

    case .context(let declaration): try define(declaration)
    case .merge(let source, into: let target): try merge(source, into: target)
    case .automerge(let context, let isOn): try automerge(context, isOn: isOn)
    case .refresh(let target, let isMerging): try refresh(target, isMerging: isMerging)
    case .refreshAll: session.context.refreshAllObjects()
    case .undo: undo()
    case .redo: redo()

    case .insert(let insert): _ = try self.insert(insert, range)
    case .importRows(let path, into: let name): try importRows(path, into: name)
    case .let(let name, let value): try define(name, as: value)
    case .assign(let target, let sign, let value): try assign(target, sign, value)
    case .update(let request, let assignments): try update(request, assignments)
    case .delete(let target): try delete(target)
    case .deleteMatching(let request): try deleteMatching(request)

    case .perform, .for, .if, .repeat, .include, .try: break
    case .set(let setting, let value): try set(setting, value)
    case .expect(let condition): try expect(condition)

    case .request(let name, let request): try define(request: name, as: request)
    case .storedRequest(let name, let stored): try define(request: name, asStored: stored)
    case .controller(let name, let request): try define(controller: name, as: request)
    case .fetch(let request): try fetch(request)
    case .count(let request): emit(.value(.init(.int(Int64(try count(request))))))
    case .change(let name, let clauses): try change(name, clauses)
    case .delegate(let name, let mode): try setDelegate(of: name, to: mode)
    case .ownDelegate(let name, let callbacks): try setDelegate(of: name, to: callbacks)
    case .return(let value): try returnFromCallback(value, range)
    case .deleteCache(let name): try deleteCache(name)
    case .deleteCaches: try deleteCaches(range)

    case .table(let name, of: let controller, let syntax):
      try define(table: name, of: controller, as: syntax)
    case .suspend(let name): try suspend(name)
    case .resume(let name): try resume(name)
    case .reload(let name): try reload(name)
    case .trace(let name, let isOn): try trace(name, isOn: isOn)

    case .show(let name): try show(name)
    case .showRequest(let name): try showRequest(name)
    case .showModel: showModel()
    case .objects(let entity): try showObjects(entity)
    case .print(let value): emit(.value(try printed(value)))
    case .caches: showCaches()
    case .stats: showStatistics()
    case .evaluate(let predicate, on: let object): try evaluate(predicate, on: object)
    case .explain(let object): try explain(object)
    case .swift(let name): try showSwift(name)
    case .quirk(let quirk, let isOn): set(quirk, isOn: isOn)
    }
  }
}

// MARK: - Errors

extension Interpreter {
  func failure(_ kind: ScriptError.Kind, _ range: Range<Int>) -> ScriptError {
    ScriptError(kind, range: range, source: source)
  }

  func warn(_ warning: Diagnostic) {
    if warnings.insert(warning).inserted { hearWarning(warning, source) }
  }

  /// Runs a fetch of a request; an error that a part of the request's own
  /// predicate raised gets the place of that part.
  func locating<Result>(
    _ request: RequestSyntax, _ body: () throws -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try body()
    } catch {
      if Self.isCancellation(error) { throw failure(.interrupted, request.range) }
      let place = request.clauses.predicate.flatMap { Self.place(of: error, within: $0.range) }
      throw failure(.engine("\(error)"), place ?? request.range)
    }
  }

  /// Runs a piece of the engine; an error of it gets its place here.
  func locating<Result>(
    _ range: Range<Int>, _ body: () throws -> Result
  ) throws(ScriptError) -> Result {
    do {
      return try body()
    } catch let error as ScriptError {
      throw error
    } catch {
      if Self.isCancellation(error) { throw failure(.interrupted, range) }
      throw failure(.engine("\(error)"), range)
    }
  }

  /// Whether a piece of the engine stopped because Ctrl-C was pressed.
  private static func isCancellation(_ error: any Error) -> Bool {
    if case .fetch(let inner)? = error as? FetchedResultsError { return inner == .cancelled }
    return error as? FetchError == .cancelled
  }

  /// The part of a predicate that raised an error, or nil where none did.
  private static func place(of error: any Error, within range: Range<Int>) -> Range<Int>? {
    var fetch = error as? FetchError
    if case .fetch(let inner)? = error as? FetchedResultsError { fetch = inner }
    guard case .predicate(let predicate)? = fetch, let place = predicate.range, !place.isEmpty,
      range.contains(place.lowerBound), place.upperBound <= range.upperBound
    else { return nil }
    return place
  }
}
