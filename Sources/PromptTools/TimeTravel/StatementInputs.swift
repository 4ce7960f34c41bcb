package import Foundation
import ScriptRuntime
import ScriptSyntax
import Synchronization

/// Everything that one statement took from its surroundings, so that it does
/// the same when it runs again.
package struct StatementInputs: Sendable {
  /// What the clock said, where the statement asked it.
  package var instant: Date?
  var randomNumbers: [Double] = []
  var answers: [Answer] = []

  /// What an environment answered, in order.
  enum Answer: Sendable {
    case source(Result<SourceText, UnreadableSource>)
    case contents(Result<[UInt8], UnreadableSource>)
    case pieces(Result<RecordedPieces, UnreadableSource>)
    case names([String]?)
  }
}

/// The pieces that were read of a file.
final class RecordedPieces: Sendable {
  let results = Mutex<[Result<[UInt8]?, UnreadableSource>]>([])
}

/// A clock that does not advance while a statement runs, and random numbers that can be had again.
///
/// One instant a statement: what it shows can then be told about a script, too.
final class StatementClock: Sendable {
  private struct State {
    var recorded = StatementInputs()
    var isReplaying = false
    var nextNumber = 0
  }

  /// Called while a statement runs, very often.
  ///
  /// A mutex around a function itself would wrap the
  /// function at each access.
  private struct Listener {
    var hear: (@Sendable () -> Void)?
  }

  private let listener = Mutex(Listener())

  /// Has a function called again and again while statements run; nil for none.
  func hear(_ function: (@Sendable () -> Void)?) { listener.withLock { $0.hear = function } }

  /// Is called when a statement asks whether it is to continue.
  func tick() { listener.withLock(\.hear)?() }

  private let state = Mutex(State())
  /// Whether Ctrl-C is not heard.
  private let deafness = Atomic(false)

  var isDeaf: Bool {
    get { deafness.load(ordering: .relaxed) }
    set { deafness.store(newValue, ordering: .relaxed) }
  }

  /// Whether the session is to stop for good.
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
      // Milliseconds, which a script can write.
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
