import FetchedResults
import Synchronization

/// The statements that a connection ran: always counted, and recorded in full if requested.
final class StatementLog: Sendable {
  private struct State {
    var activity = StoreActivity()
    var isKept = false
    var kept: [StoreStatement] = []
    var failure: StoreError?
  }

  private let state = Mutex(State())

  var activity: StoreActivity { state.withLock { $0.activity } }

  var isKept: Bool {
    get { state.withLock { $0.isKept } }
    set { state.withLock { $0.isKept = newValue } }
  }

  /// Counts a statement.
  ///
  /// - Parameter statement: The statement itself, if it is to be recorded.
  func count(rows: Int, _ statement: StoreStatement?) {
    state.withLock { state in
      state.activity.statements += 1
      state.activity.rows += rows
      if let statement { state.kept.append(statement) }
    }
  }

  func countFault() { state.withLock { $0.activity.faults += 1 } }

  /// Keeps the first error that could not be reported when it occurred.
  func keep(_ failure: StoreError) {
    state.withLock { if $0.failure == nil { $0.failure = failure } }
  }

  func takeStatements() -> [StoreStatement] {
    state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
  }

  func takeFailure() -> StoreError? {
    state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
  }
}
