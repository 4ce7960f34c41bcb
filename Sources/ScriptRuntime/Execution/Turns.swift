import FetchedResults
import ScriptSyntax

/// Ends turns.
///
/// Contexts first process what a statement changed, and then what callbacks changed, as in the next
/// turns of an app.
final class Turns {
  private let session: Session
  private let frames: FrameStack
  private let events: EventEmitter
  private let keptError: KeptError
  private let log: TurnLog

  /// The largest number of turns in a row in which callbacks change objects again.
  private static var mostTurns: Int { 100 }

  init(
    _ session: Session, _ frames: FrameStack, _ events: EventEmitter, _ keptError: KeptError,
    _ log: TurnLog
  ) {
    self.session = session
    self.frames = frames
    self.events = events
    self.keptError = keptError
    self.log = log
  }

  /// Ends the turn of a statement, unless the statement is part of another turn.
  func end(_ range: Range<Int>) {
    guard !frames.isInTurn else { return }
    processAll(range)
    countHistory()
    session.endTurn()
    if log.isKept { log.endTurn(of: range, in: frames.source) }
    session.waitingTables.endTurn { session.tables[$0.name] === $0 }
  }

  /// Ends the turn of a statement that was stopped, unless the statement is part of another turn.
  ///
  /// What it has changed is reverted. If a merge, a refresh, an undo or a rollback has replaced
  /// values, the turn ends as any other.
  func revert(_ range: Range<Int>) {
    guard !frames.isInTurn, !frames.isInCallback else { return }
    var isProcessed = false
    for entry in session.contexts where !entry.context.revertTurn() {
      StopCheck.finishing { entry.context.processPendingChanges() }
      isProcessed = true
    }
    guard isProcessed else { return }
    session.endTurn()
    if log.isKept { log.endTurn(of: range, in: frames.source) }
    session.waitingTables.endTurn { session.tables[$0.name] === $0 }
  }

  /// Processes the changes so far, unless a turn is in progress.
  func processIfOver(_ range: Range<Int>) {
    if !frames.isInTurn { processAll(range) }
  }

  /// Lets the observers of the history read what is new in it.
  ///
  /// The turns of another process are not those of the app.
  private func countHistory() {
    guard !session.historyObservers.isEmpty, !session.isInExtension else { return }
    for binding in session.historyObserverNames.compactMap({ session.historyObservers[$0] }) {
      do throws(StoreError) {
        guard let history = binding.history, try history.update() else { continue }
        events.emit(.eventCounter(observer: binding.name, history.eventCounter))
      } catch {
        events.emit(.note("\(binding.name) counts on from here: \(error)"))
      }
    }
  }

  private func processAll(_ range: Range<Int>) {
    if session.onOperation != nil { return process(session.contexts.map(\.context), range) }
    // Most statements of a loop change nothing, and most others one context of many.
    guard !session.agenda.isEmpty else { return }
    processWaiting(range)
  }

  /// Processes what was changed, in the contexts that have noted work.
  private func processWaiting(_ range: Range<Int>) {
    let context = { [session] place in session.contexts[place].context }
    for _ in 0..<Self.mostTurns {
      var place = 0
      while let next = session.agenda.next(from: place) {
        context(next).processPendingChanges()
        if context(next).isTurnStopped { return }
        place = next + 1
      }
      session.agenda.dropResting(context)
      if !keptError.isEmpty || !session.agenda.hasChanges(context) { return }
    }
    keptError.keep(frames.failure(.endlessCallbacks(Self.mostTurns), range))
  }

  /// Processes the changes of some contexts.
  func process(_ contexts: [ManagedObjectContext], _ range: Range<Int>) {
    session.note(.process(contexts))
    for _ in 0..<Self.mostTurns {
      for context in contexts {
        context.processPendingChanges()
        if context.isTurnStopped { return }
      }
      if !keptError.isEmpty || !contexts.contains(where: \.awaitsTurn) { return }
    }
    keptError.keep(frames.failure(.endlessCallbacks(Self.mostTurns), range))
  }

  // MARK: Errors

  /// Forgets the error of a callback, after its statement failed itself.
  func forgetKeptError() {
    if !frames.isInCallback { keptError.forget() }
  }

  /// Throws the error that a callback failed with.
  func throwKeptError() throws(ScriptError) {
    if !frames.isInCallback { try keptError.rethrow() }
  }

  /// Throws an error if not all of the turn was reported.
  ///
  /// The turn was processed, though.
  func throwCutShort(_ range: Range<Int>) throws(ScriptError) {
    if events.isCutShort, !frames.isInCallback { throw frames.failure(.interrupted, range) }
  }

  /// Throws the error of a read that could not be thrown at once.
  func throwReadFailure(_ range: Range<Int>) throws(ScriptError) {
    guard let error = session.coordinator.takeReadFailure() else { return }
    throw frames.failure(.engine("\(error)"), range)
  }

  /// Returns the error itself, or the error of an earlier read.
  ///
  /// If a read failed, that is the reason for all that followed.
  func reason(for error: ScriptError) -> ScriptError {
    guard error.kind != .interrupted, let unread = session.coordinator.takeReadFailure() else {
      return error
    }
    return ScriptError(.engine("\(unread)"), range: error.range, source: error.source)
  }
}

/// Emits events in order, each after the SQL statements that the store ran for it.
///
/// After Ctrl-C, emits nothing more of the statement.
final class EventEmitter {
  // Weak, because the session's delegates and contexts hold the emitter.
  private weak var session: Session?
  private let environment: any ScriptEnvironment
  private let tell: (Event) -> Void
  /// Whether the receiver of an event has read it when it returns, and keeps nothing of it.
  @exclusivity(unchecked) var areReadAtOnce = false
  /// Whether Ctrl-C was pressed while the current turn was reported.
  ///
  /// If so, nothing more of its statement is emitted.
  @exclusivity(unchecked) private(set) var isCutShort = false
  /// Shows the steps of the current turn; nil if it is not stepped.
  private(set) var stepper: Stepper?

  init(
    of session: Session, _ environment: any ScriptEnvironment, tell: @escaping (Event) -> Void
  ) {
    self.session = session
    self.environment = environment
    self.tell = tell
  }

  /// Starts a top-level statement.
  func beginStatement() { isCutShort = false }

  func emit(_ event: Event) {
    guard let session, !isCutShort else { return }
    emitStatements()
    if event.isCallback {
      isCutShort = environment.isInterrupted
      if isCutShort { return }
      session.tally.callbacks += 1
      stepper?.callbackWillBegin()
    } else if StopCheck.isStopped {
      // What was stopped is not complete.
      return
    }
    tell(event)
  }

  /// Emits the SQL statements that the store has run since the last event, if they must be printed.
  func emitStatements() {
    guard let session, session.showsStatements else { return }
    let measuresTime = environment.measuresTime
    for statement in session.coordinator.sqlStore?.takeStatements() ?? [] {
      tell(
        .statement(ShownStatement(statement, seconds: measuresTime ? statement.seconds : 0)))
    }
  }

  /// Shows the steps of a turn, until ``endStepping()``.
  func beginStepping(_ stepper: Stepper) { self.stepper = stepper }

  func endStepping() { stepper = nil }
}

/// Runs the script's callbacks, each in a frame of its own.
///
/// After a callback fails, no further one runs until the statement whose turn it is has failed too.
final class CallbackRunner {
  /// Runs the callbacks' statements.
  weak var runner: (any StatementRunner)?
  private let session: Session
  private let frames: FrameStack
  private let keptError: KeptError

  /// The largest depth of callbacks that fetch and so cause further callbacks.
  private static var deepestCallback: Int { 32 }

  init(_ session: Session, _ frames: FrameStack, _ keptError: KeptError) {
    self.session = session
    self.frames = frames
    self.keptError = keptError
  }

  /// Why no further callback runs; nil if none has failed.
  var failure: String? { keptError.words }

  /// Runs a callback's statements in its controller's context, and returns its value.
  func run(
    _ callback: CallbackSyntax, with values: [String: ScriptValue], in source: SourceText,
    on context: ManagedObjectContext
  ) -> PropertyValue? {
    run(
      callback.body, callback.range, in: frames.top.callback(with: values, in: source), on: context)
  }

  /// Runs a hook's statements in the context of its object, and returns its value.
  func run(_ hook: HookSyntax, of object: ManagedObject, in source: SourceText) -> PropertyValue? {
    guard let context = object.managedObjectContext else { return nil }
    let values = [HookSyntax.object: ScriptValue.value(.object(object.objectID))]
    var frame = frames.top.callback(with: values, in: source)
    if hook.hook == .awakeFromFetch { frame.awakening = object.objectID }
    return run(hook.body, hook.range, in: frame, on: context)
  }

  private func run(
    _ body: [Statement], _ range: Range<Int>, in frame: ScriptFrame,
    on context: ManagedObjectContext
  ) -> PropertyValue? {
    guard let runner, keptError.isEmpty else { return nil }
    return frames.run(in: frame) {
      do throws(ScriptError) {
        guard frames.top.callbackDepth <= Self.deepestCallback else {
          throw frames.failure(.callbacksTooDeep(Self.deepestCallback), range)
        }
        try session.on(context) { () throws(ScriptError) in
          try runner.execute(body)
        }
      } catch {
        if frames.top.returnValue == nil { keptError.keep(namingSave(error)) }
      }
      return frames.top.returnValue
    }
  }

  /// Adds the running save to an error of a callback.
  ///
  /// The place is that of the callback.
  private func namingSave(_ error: ScriptError) -> ScriptError {
    if error.kind == .interrupted { return error }
    if case .stepLimit = error.kind { return error }
    guard let save = frames.top.runningSave else { return error }
    return ScriptError(
      .duringSave(error.kind, save: save), range: error.range, source: error.source)
  }
}

/// Checks whether controllers' callbacks break the replay law.
final class ReplayChecker {
  /// Called with each breach and the controller's name; nil to check nothing.
  ///
  /// If it is set before the first statement, every controller is checked.
  var onBreach: ((_ controller: String, CheckingDelegate.Breach) -> Void)?

  /// Returns a function that receives the breaches of one controller.
  func onBreach(of controller: String) -> ((CheckingDelegate.Breach) -> Void)? {
    onBreach.map { onBreach in { onBreach(controller, $0) } }
  }

  /// Checks that controllers show what their delegates were told.
  func check(_ session: Session) {
    guard onBreach != nil else { return }
    for name in session.controllerNames { session.controllers[name]?.checkReplay() }
  }
}

/// Reports warnings, once for each place of a statement.
///
/// They are not part of a script's output.
final class WarningLog {
  var onWarning: (Diagnostic, SourceText) -> Void = { _, _ in }
  /// The warnings of the running top-level statement.
  private var warnings: Set<Diagnostic> = []
  private let frames: FrameStack

  init(_ frames: FrameStack) { self.frames = frames }

  /// Starts a top-level statement.
  func beginStatement() { warnings = [] }

  func warn(_ message: String, _ range: Range<Int>) {
    warn(Diagnostic(severity: .warning, message: message, range: range))
  }

  func warn(_ warning: Diagnostic) {
    if warnings.insert(warning).inserted { onWarning(warning, frames.source) }
  }
}

/// The error of a callback or of a transient attribute.
///
/// These run during a turn, where no error can be thrown. So the error is kept, and the statement
/// whose turn it is throws it.
final class KeptError {
  @exclusivity(unchecked) private var error: ScriptError?

  var isEmpty: Bool { error == nil }

  /// The error in words.
  var words: String? { error?.kind.description }

  func keep(_ error: ScriptError) { self.error = error }

  func keepIfFirst(_ error: ScriptError) { self.error = self.error ?? error }

  func forget() { error = nil }

  /// Throws and forgets the kept error.
  func rethrow() throws(ScriptError) {
    guard let error else { return }
    self.error = nil
    throw error
  }
}
