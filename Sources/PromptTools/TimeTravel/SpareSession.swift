import Foundation
import ScriptRuntime
import Synchronization

/// A session at an earlier point, put together on a thread of its own, so that going back there
/// need not wait.
///
/// The session belongs to that thread until it is done, and then to whoever calls ``take(while:)``:
/// the lock hands it over. So the class is safe to share, though the session is not.
final class SpareSession: @unchecked Sendable {
  /// How many statements will have run in it.
  let target: Int
  private let clock: StatementClock
  private let lock = NSCondition()
  /// Guarded by the lock.
  private var session: WiredSession?
  /// Guarded by the lock.
  private var isDone = false
  private let done = Atomic(0)

  /// The stack of a thread: statements may enclose one another as on the main thread.
  private static let stackSize = 16 << 20

  /// Begins to bring a session to a point.
  ///
  /// - Parameters:
  ///   - session: A session that nobody else uses.
  ///   - position: How many of the points have run in it.
  ///   - points: The statements up to the point.
  ///   - other: A session that is needed first; this one waits for it.
  init(
    _ session: WiredSession, at position: Int, points: ArraySlice<SessionTimeline.Point>,
    after other: SpareSession? = nil
  ) {
    target = points.endIndex
    clock = session.clock
    self.session = session
    done.store(position, ordering: .relaxed)
    let rest = points[position...]
    let thread = Thread { [self] in
      other?.waitForEnd()
      build(rest)
    }
    thread.stackSize = Self.stackSize
    thread.start()
  }

  private func build(_ points: ArraySlice<SessionTimeline.Point>) {
    lock.lock()
    let session = session
    lock.unlock()
    var isWhole = false
    if let session, !clock.isStopped {
      let count = { @Sendable [self] (number: Int, _: StatementProgress) in
        done.store(number, ordering: .relaxed)
      }
      isWhole =
        (try? session.repeatPoints(points, isInterruptible: false, hear: count)) != nil
        && !session.clock.isStopped
    }
    lock.lock()
    if !isWhole { self.session = nil }
    isDone = true
    lock.broadcast()
    lock.unlock()
  }

  /// Waits until nothing has to be waited for.
  private func waitForEnd() {
    lock.lock()
    defer { lock.unlock() }
    while !isDone { lock.wait() }
  }

  /// Whether nothing has to be waited for.
  var isReady: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isDone
  }

  /// How many statements have run.
  var count: Int { done.load(ordering: .relaxed) }

  /// Waits for the session, which then belongs to the caller.
  ///
  /// - Parameter goesOn: Asked now and then; false ends the waiting, not the building.
  /// - Returns: The session; nil if it could not be made, or if the waiting has ended.
  func take(while goesOn: () -> Bool) -> WiredSession? {
    lock.lock()
    defer { lock.unlock() }
    while !isDone {
      guard goesOn() else { return nil }
      _ = lock.wait(until: Date(timeIntervalSinceNow: 0.02))
    }
    defer { session = nil }
    return session
  }

  /// Ends the building, and waits for its end.
  func cancel() {
    clock.isStopped = true
    lock.lock()
    while !isDone { lock.wait() }
    session = nil
    lock.unlock()
  }

  /// Ends the building soon.
  func abandon() { clock.isStopped = true }
}
