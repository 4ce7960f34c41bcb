import FetchedResults

/// Emits events in order, each after the SQL statements that the store ran for it.
///
/// After Ctrl-C, emits nothing more of the statement.
final class EventEmitter {
  // Weak, because the session's delegates and contexts hold the emitter.
  private weak var session: Session?
  private let environment: any ScriptEnvironment
  private let tell: (Event) -> Void
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
