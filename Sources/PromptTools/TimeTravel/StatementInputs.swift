package import Foundation
import ScriptRuntime
import ScriptSyntax
import Synchronization

/// Everything that one statement read from its environment, so that it does the same when it runs
/// again.
package struct StatementInputs: Sendable {
  /// The time of the clock; nil if the statement did not read it.
  package var instant: Date?
  var randomNumbers: [Double] = []
  var answers: [Answer] = []

  /// The answers of an environment, in order.
  enum Answer: Sendable {
    case source(Result<SourceText, UnreadableSource>)
    case contents(Result<[UInt8], UnreadableSource>)
    case pieces(Result<RecordedPieces, UnreadableSource>)
    case names([String]?)
  }
}

/// The pieces that were read from a file.
final class RecordedPieces: Sendable {
  let results = Mutex<[Result<[UInt8]?, UnreadableSource>]>([])
}

/// A clock that stands still while a statement runs, with random numbers that can be repeated.
///
/// Each statement has one instant, so that a script can set the clock to the time that a statement
/// shows.
final class StatementClock: Sendable {
  private struct State {
    var recorded = StatementInputs()
    var isReplaying = false
    var nextNumber = 0
  }

  /// A function that is called very often while a statement runs.
  ///
  /// The struct avoids a cost: a mutex directly around a function would wrap it at each access.
  private struct Listener {
    var onTick: (@Sendable () -> Void)?
  }

  private let listener = Mutex(Listener())

  /// Sets a function to call again and again while statements run; nil for none.
  func setOnTick(_ function: (@Sendable () -> Void)?) { listener.withLock { $0.onTick = function } }

  /// Calls that function; a running statement does so whenever it asks whether to continue.
  func tick() { listener.withLock(\.onTick)?() }

  private let state = Mutex(State())
  /// Whether Ctrl-C is ignored.
  private let ignoring = Atomic(false)

  var ignoresInterrupts: Bool {
    get { ignoring.load(ordering: .relaxed) }
    set { ignoring.store(newValue, ordering: .relaxed) }
  }

  /// Whether the session must stop for good.
  private let stop = Atomic(false)

  var isStopped: Bool {
    get { stop.load(ordering: .relaxed) }
    set { stop.store(newValue, ordering: .relaxed) }
  }

  private let baseNow: @Sendable () -> Date
  private let baseRandom: @Sendable () -> Double

  init(now: @escaping @Sendable () -> Date, random: @escaping @Sendable () -> Double) {
    baseNow = now
    baseRandom = random
  }

  func record() { state.withLock { $0 = State() } }

  func replay(_ inputs: StatementInputs) {
    state.withLock { $0 = State(recorded: inputs, isReplaying: true) }
  }

  /// What was read since `record()`.
  var inputs: StatementInputs { state.withLock { $0.recorded } }

  func now() -> Date {
    state.withLock { state in
      if let instant = state.recorded.instant { return instant }
      // Whole milliseconds, which a script can write.
      let seconds = (baseNow().timeIntervalSince1970 * 1000).rounded(.down) / 1000
      let instant = Date(timeIntervalSince1970: seconds)
      state.recorded.instant = instant
      return instant
    }
  }

  func random() -> Double {
    state.withLock { state in
      if state.isReplaying, state.nextNumber < state.recorded.randomNumbers.count {
        state.nextNumber += 1
        return state.recorded.randomNumbers[state.nextNumber - 1]
      }
      let number = baseRandom()
      state.recorded.randomNumbers.append(number)
      return number
    }
  }
}
