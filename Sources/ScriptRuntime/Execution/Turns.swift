import FetchedResults
import ScriptSyntax
import TableViews

/// Ends turns: contexts process what a statement changed, and then what
/// callbacks changed, as the turns that follow in an app would.
final class Turns {
  private let session: Session
  private let frames: FrameStack
  private let events: EventEmitter
  private let keptError: KeptError
  private let log: TurnLog

  /// How many turns callbacks may make that change objects again and again.
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

  /// Ends the turn of a statement, unless it is part of another one.
  func end(_ range: Range<Int>) {
    guard !frames.isInTurn else { return }
    processAll(range)
    session.endTurn()
    if log.isKept { log.endTurn(of: range, in: frames.source) }
    session.waitingTables.endTurn { session.tables[$0.name] === $0 }
  }

  /// Processes what was changed so far, unless a turn is running.
  func processIfOver(_ range: Range<Int>) {
    if !frames.isInTurn { processAll(range) }
  }

  private func processAll(_ range: Range<Int>) {
    // Most statements of a loop change nothing.
    if session.hearOperation == nil, session.isAtRest { return }
    process(session.contexts.map(\.context), range)
  }

  /// Processes what was changed in some contexts.
  func process(_ contexts: [ManagedObjectContext], _ range: Range<Int>) {
    session.note(.process(contexts))
    for _ in 0..<Self.mostTurns {
      for context in contexts { context.processPendingChanges() }
      if !keptError.isEmpty || !contexts.contains(where: \.awaitsTurn) { return }
    }
    keptError.keep(frames.failure(.endlessCallbacks(Self.mostTurns), range))
  }

  // MARK: Errors

  /// Forgets what callbacks failed with, after their statement failed itself.
  func forgetKeptError() {
    if !frames.isInCallback { keptError.forget() }
  }

  /// Throws what a callback failed with.
  func throwKeptError() throws(ScriptError) {
    if !frames.isInCallback { try keptError.rethrow() }
  }

  /// Throws where the turn was not told to its end; it was processed, though.
  func throwCutShort(_ range: Range<Int>) throws(ScriptError) {
    if events.isCutShort, !frames.isInCallback { throw frames.failure(.interrupted, range) }
  }

  /// Throws what a look at an object met, which could not be told at once.
  func throwReadFailure(_ range: Range<Int>) throws(ScriptError) {
    guard let error = session.coordinator.takeReadFailure() else { return }
    throw frames.failure(.engine("\(error)"), range)
  }

  /// The error itself, or what could not be read: that is the reason, whatever
  /// seems to have followed.
  func reason(for error: ScriptError) -> ScriptError {
    guard error.kind != .interrupted, let unread = session.coordinator.takeReadFailure() else {
      return error
    }
    return ScriptError(.engine("\(unread)"), range: error.range, source: error.source)
  }
}
