import Foundation
import ScriptRuntime
import Synchronization

/// A session at an earlier point, which a thread of its own builds so that going back needs no
/// waiting.
///
/// The session belongs to that thread until it is built, and then to the caller of
/// ``take(while:)``. The lock passes it on. Therefore the class is safe to share, although the
/// session is not.
final class SpareSession: @unchecked Sendable {
  /// The number of statements that will have run in it.
  let target: Int
  private let clock: StatementClock
  private let lock = NSCondition()
  /// Guarded by the lock.
  private var session: WiredSession?
  /// Guarded by the lock.
  private var isDone = false
  private let done = Atomic(0)

  /// The size of the thread's stack: statements may be nested as deeply as on the main thread.
  private static let stackSize = 16 << 20

  /// Starts to bring a session to a point.
  ///
  /// - Parameters:
  ///   - session: A session that no other code uses.
  ///   - position: The number of points that have run in it.
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
        (try? session.repeatPoints(points, isInterruptible: false, onProgress: count)) != nil
        && !session.clock.isStopped
    }
    lock.lock()
    if !isWhole { self.session = nil }
    isDone = true
    lock.broadcast()
    lock.unlock()
  }

  /// Waits until the session is ready or was given up.
  private func waitForEnd() {
    lock.lock()
    defer { lock.unlock() }
    while !isDone { lock.wait() }
  }

  /// Whether the session is ready or was given up.
  var isReady: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isDone
  }

  /// The number of statements that have run.
  var count: Int { done.load(ordering: .relaxed) }

  /// Waits for the session, which then belongs to the caller.
  ///
  /// - Parameter goesOn: Called from time to time; false ends the waiting, but not the building.
  /// - Returns: The session; nil if it could not be built, or if the waiting was ended.
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

  /// Stops the building, and waits until it has stopped.
  func cancel() {
    clock.isStopped = true
    lock.lock()
    while !isDone { lock.wait() }
    session = nil
    lock.unlock()
  }

  /// Asks the building to stop soon.
  func abandon() { clock.isStopped = true }
}
