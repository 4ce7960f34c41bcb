import Basics
import FetchedResults
import ScriptSyntax
import TableViews

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
    for binding in session.historyObservers.values.ordered(by: { $0.name < $1.name }) {
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
