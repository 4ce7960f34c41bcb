import FetchedResults
import Foundation

/// Decides how long a connection waits for other processes that have locked the file.
///
/// SQLite calls it on the thread that runs the statement.
final class BusyWait: Sendable {
  private struct State {
    /// In milliseconds.
    var patience: Int
    var start = ContinuousClock.now
  }

  private let state: Locked<State>

  /// How long SQLite waits before it tries again, in milliseconds.
  private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  init(patience seconds: Double) {
    state = Locked(State(patience: Int(seconds * 1000)))
  }

  /// The longest wait, in milliseconds; 0 to fail at once.
  var patience: Int {
    get { state.withLock { $0.patience } }
    set { state.withLock { $0.patience = newValue } }
  }

  /// Waits a little, if there is time left.
  ///
  /// - Parameter tries: How often the statement was tried before.
  /// - Returns: Whether to try again.
  func wait(after tries: Int) -> Bool {
    let left = state.withLock { state in
      if tries == 0 { state.start = .now }
      return .milliseconds(state.patience) - (ContinuousClock.now - state.start)
    }
    guard left > .zero else { return false }
    let pause = Duration.milliseconds(Self.pauses[min(tries, Self.pauses.count - 1)])
    Thread.sleep(forTimeInterval: min(pause, left) / .seconds(1))
    return true
  }
}
