import Foundation
import Synchronization

/// The messages that wait for the server, and the results of runs.
///
/// One thread adds them, so a cancellation is known before the request's turn comes.
package final class MessageQueue: Sendable {
  package enum Item: Sendable {
    case message(IncomingMessage)
    case result(RunResult)
    case page(PageResult)
    /// The client closed the stream.
    case end
  }

  private struct State {
    /// What waits, after the items that were taken.
    var items: [Item?] = []
    var taken = 0
    /// The requests in the queue.
    var waiting: Set<RequestID> = []
    var cancelled: Set<RequestID> = []
  }

  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)

  package init() {}

  package func add(_ item: Item) {
    let cancelled = Self.cancelledRequest(item)
    state.withLock { state in
      if case .message(let message) = item, case .request(let id, _) = message.kind {
        state.waiting.insert(id)
      }
      // A request that was answered already is not remembered.
      if let cancelled, state.waiting.contains(cancelled) { state.cancelled.insert(cancelled) }
      state.items.append(item)
    }
    arrived.signal()
  }

  private static func cancelledRequest(_ item: Item) -> RequestID? {
    guard case .message(let message) = item,
      case .notification(method: "$/cancelRequest") = message.kind
    else { return nil }
    let params = try? JSONDecoder().decode(
      MessageParams<CancelParams>.self, from: Data(message.body))
    return params?.params.id
  }

  /// Waits for the next item and returns it.
  ///
  /// - Parameter whenEmpty: Called before the wait if nothing is there.
  package func next(whenEmpty: () -> Void) -> Item {
    while true {
      if let item = take() { return item }
      whenEmpty()
      arrived.wait()
    }
  }

  /// Returns the next item; nil if nothing is there.
  func take() -> Item? {
    state.withLock { state in
      guard state.taken < state.items.count, let item = state.items[state.taken] else { return nil }
      // An item can be large, and the queue may never be empty.
      state.items[state.taken] = nil
      state.taken += 1
      if state.taken == state.items.count {
        state.items.removeAll(keepingCapacity: state.items.capacity < 1024)
        state.taken = 0
      } else if state.taken == 1024 {
        state.items.removeFirst(state.taken)
        state.taken = 0
      }
      return item
    }
  }

  /// Whether nothing waits, and nothing is remembered of what waited.
  var isEmpty: Bool {
    state.withLock { $0.items.isEmpty && $0.waiting.isEmpty && $0.cancelled.isEmpty }
  }

  /// Begins to answer a request.
  ///
  /// - Returns: Whether it was cancelled.
  package func begin(_ id: RequestID) -> Bool {
    state.withLock { state in
      state.waiting.remove(id)
      return state.cancelled.remove(id) != nil
    }
  }
}
