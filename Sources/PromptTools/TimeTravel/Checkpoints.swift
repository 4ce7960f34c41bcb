import FetchedResults
import Foundation
import ScriptRuntime
import Synchronization

/// Sessions at other points of a timeline, so that going there needs to run few statements again.
///
/// A copy of a session cannot be made; it can only be put together again by its statements. So
/// others, the spares, follow at a distance, on threads of their own. They are made only where
/// running the statements again takes long, and each costs as much time and memory as the first
/// one. Of a session that is not too large there are two or three, since each way back takes one.
/// One more session is kept after going back: the one that was left, for the way forward.
struct Checkpoints {
  /// A way that takes at most this long needs no checkpoint.
  static let quick = Duration.milliseconds(50)
  /// Above this number of changes, a second spare would take too much memory.
  static let mostForTwo = 300_000
  /// After more changes, a third one would.
  static let mostForThree = 150_000

  private let plan: WiredSession.Plan
  /// At the points before the last changes or a little earlier, or on their way there.
  private var spares: [SpareSession] = []
  /// The session that was left last.
  private var left: (session: WiredSession, position: Int)?
  /// The number of statements that ran again after the checkpoint, for the last move.
  private(set) var repeatedCount = 0
  /// Whether no further session may be made.
  private var isClosed = false

  init(_ plan: WiredSession.Plan) { self.plan = plan }

  /// Prepares spares, so that the next steps back are fast.
  ///
  /// - Parameters:
  ///   - points: The statements in force.
  ///   - changeCount: The number of changes that they have made.
  mutating func prepare(for points: ArraySlice<SessionTimeline.Point>, changeCount: Int) {
    guard !isClosed, points.processorTime > Self.quick else {
      drop()
      return
    }
    let aims = Self.aims(in: points, changeCount: changeCount)
    var rest = spares
    spares = []
    for aim in aims {
      let place = rest.indices.filter { rest[$0].target <= aim }
        .max { rest[$0].target < rest[$1].target }
      let near = place.flatMap { advanced(rest.remove(at: $0), to: aim, of: points) }
      spares.append(
        near ?? SpareSession(WiredSession(plan), at: 0, points: points[..<aim], after: spares.last))
    }
    for spare in rest { spare.abandon() }
  }

  /// Returns where spares are of use: before the last changes, the last one first.
  private static func aims(
    in points: ArraySlice<SessionTimeline.Point>, changeCount: Int
  ) -> [Int] {
    let most = changeCount <= mostForThree ? 3 : changeCount <= mostForTwo ? 2 : 1
    var aims: [Int] = []
    while aims.count < most {
      let later = points[..<(aims.last ?? points.endIndex)]
      guard let change = later.lastIndex(where: \.isStep),
        points[..<change].processorTime > quick
      else { break }
      aims.append(change)
    }
    // Where the way back is short by itself, the way back after the next statement counts.
    return aims.isEmpty ? [points.endIndex] : aims
  }

  /// Moves a spare closer to a point where it is useful.
  ///
  /// - Returns: The spare to keep; nil if it could not be built.
  private func advanced(
    _ spare: SpareSession, to aim: Int, of points: ArraySlice<SessionTimeline.Point>
  ) -> SpareSession? {
    guard points[spare.target..<aim].processorTime > Self.quick, spare.isReady else { return spare }
    return spare.take { true }.map { SpareSession($0, at: spare.target, points: points[..<aim]) }
  }

  /// Forgets what comes after a point, because other statements follow it now.
  mutating func forget(after position: Int) {
    if let left, left.position > position { self.left = nil }
    for spare in spares where spare.target > position { spare.abandon() }
    spares.removeAll { $0.target > position }
  }

  /// Keeps the session that is left, for the way forward.
  mutating func leave(
    _ session: WiredSession, at position: Int, of points: [SessionTimeline.Point]
  ) {
    if let left { Self.release(left.session) }
    left = points[..<position].processorTime > Self.quick ? (session, position) : nil
  }

  /// Returns a session in which this number of statements has run, built from the nearest
  /// checkpoint.
  ///
  /// - Throws: ``SessionTimeline/Obstacle``.
  mutating func session(
    at target: Int, of points: [SessionTimeline.Point], isInterruptible: Bool = true,
    onProgress: @escaping @Sendable (SessionTimeline.Progress?) -> Void
  ) throws(SessionTimeline.Obstacle) -> WiredSession {
    defer { onProgress(nil) }
    var start = (session: WiredSession?.none, position: 0)
    // If two spares are usable, the one that is ready first is taken.
    let place = spares.indices.filter { spares[$0].target <= target }
      .max {
        (spares[$0].isReady ? 1 : 0, spares[$0].target) < (
          spares[$1].isReady ? 1 : 0, spares[$1].target
        )
      }
    let fromSpare = place.map { spares[$0].target } ?? -1
    if let left, left.position <= target, left.position >= fromSpare {
      self.left = nil
      start = (left.session, left.position)
    } else if let place {
      let spare = spares[place]
      let isCancelled = plan.evaluation.isCancelled
      let files = plan.environment
      let found = spare.take {
        onProgress(SessionTimeline.Progress(done: spare.count, all: target, statement: nil))
        return !isInterruptible || !(isCancelled?() == true || files.isInterrupted)
      }
      if found == nil, !spare.isReady { throw .interrupted }
      spares.remove(at: place)
      if let found { start = (found, spare.target) }
    }
    let session = start.session ?? WiredSession(plan)
    repeatedCount = target - start.position
    try session.repeatPoints(
      points[start.position..<target], isInterruptible: isInterruptible,
      onProgress: { onProgress(SessionTimeline.Progress(done: $0, all: target, statement: $1)) })
    session.interpreter.keepReasons()
    return session
  }

  /// Stops the sessions that are being built.
  mutating func drop() {
    for spare in spares { spare.abandon() }
    spares = []
  }

  /// Stops everything, and waits until that is done.
  mutating func close() {
    isClosed = true
    for spare in spares { spare.abandon() }
    for spare in spares { spare.cancel() }
    spares = []
    left = nil
  }

  /// Waits until the spare sessions are ready.
  func wait() {
    for spare in spares { while !spare.isReady { Thread.sleep(forTimeInterval: 0.005) } }
  }

  /// Frees a session on another thread, because freeing many objects takes time.
  ///
  /// - Parameter session: A session that the caller no longer uses, so that the thread owns it.
  static func release(_ session: WiredSession) {
    releaseInBackground(session, count: .max)
  }
}

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
