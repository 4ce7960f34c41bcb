import FetchedResults
import Foundation
import ScriptRuntime
import ScriptSyntax

/// Sessions that are at other points of a timeline, so that going there runs few statements again.
///
/// A copy of a session cannot be made; it can only be put together again by its statements. So a
/// second one, the spare, follows at a distance, on a thread of its own. It is made only where
/// running the statements again takes long, and costs as much time and memory as the first one.
/// One more session is kept after going back: the one that was left, for the way forward.
struct Checkpoints {
  /// A way that takes no longer needs no checkpoint.
  static let quick = Duration.milliseconds(50)

  private let plan: WiredSession.Plan
  /// At the point before the last change, or on its way there.
  private var spare: SpareSession?
  /// The session that was left last.
  private var left: (session: WiredSession, position: Int)?
  /// How many statements ran again for the last way, after its checkpoint.
  private(set) var repeatedCount = 0
  /// Whether no further session is to be made.
  private var isClosed = false

  init(_ plan: WiredSession.Plan) { self.plan = plan }

  private static func cost(_ points: ArraySlice<SessionTimeline.Point>) -> Duration {
    points.reduce(.zero) { $0 + $1.duration }
  }

  /// Makes the next way back short.
  ///
  /// - Parameter points: The statements in force.
  mutating func prepare(for points: ArraySlice<SessionTimeline.Point>) {
    guard !isClosed, Self.cost(points) > Self.quick else {
      drop()
      return
    }
    let before = points.lastIndex { !$0.onlyLooks } ?? 0
    // Where the way back is short by itself, the way back after the next statement counts.
    let aim = Self.cost(points[..<before]) > Self.quick ? before : points.endIndex
    var start: (session: WiredSession, position: Int)?
    if let spare {
      if spare.target <= aim {
        guard Self.cost(points[spare.target..<aim]) > Self.quick, spare.isReady else { return }
        start = spare.take { true }.map { ($0, spare.target) }
      } else if spare.target <= points.endIndex {
        // It is of use again after the next statement.
        if aim == before, !(Self.cost(points[..<before]) > Self.quick) { return }
        spare.abandon()
      }
    }
    let session = start ?? (WiredSession(plan), 0)
    spare = SpareSession(session.session, at: session.position, points: points[..<aim])
  }

  /// Forgets what is after a point, since other statements follow it now.
  mutating func forget(after position: Int) {
    if let left, left.position > position { self.left = nil }
    if let spare, spare.target > position {
      spare.abandon()
      self.spare = nil
    }
  }

  /// Keeps the session that is left, for the way forward.
  mutating func leave(
    _ session: WiredSession, at position: Int, of points: [SessionTimeline.Point]
  ) {
    left = Self.cost(points[..<position]) > Self.quick ? (session, position) : nil
  }

  /// Returns a session in which that many statements have run, from the nearest checkpoint.
  ///
  /// - Throws: ``SessionTimeline/Obstacle``.
  mutating func session(
    at target: Int, of points: [SessionTimeline.Point], isInterruptible: Bool = true,
    hear: @escaping @Sendable (SessionTimeline.Progress?) -> Void
  ) throws(SessionTimeline.Obstacle) -> WiredSession {
    defer { hear(nil) }
    var start = (session: WiredSession?.none, position: 0)
    let fromSpare = spare.map { $0.target <= target ? $0.target : -1 } ?? -1
    if let left, left.position <= target, left.position >= fromSpare {
      self.left = nil
      start = (left.session, left.position)
    } else if let spare, fromSpare >= 0 {
      let isCancelled = plan.evaluation.isCancelled
      let files = plan.environment
      let found = spare.take {
        hear(SessionTimeline.Progress(done: spare.count, all: target, statement: nil))
        return !isInterruptible || !(isCancelled?() == true || files.isInterrupted)
      }
      if found == nil, !spare.isReady { throw .interrupted }
      self.spare = nil
      if let found { start = (found, spare.target) }
    }
    let session = start.session ?? WiredSession(plan)
    repeatedCount = target - start.position
    try session.repeatPoints(
      points[start.position..<target], isInterruptible: isInterruptible,
      hear: { hear(SessionTimeline.Progress(done: $0, all: target, statement: $1)) })
    session.interpreter.keepReasons()
    return session
  }

  /// Gives up what is under way.
  mutating func drop() {
    spare?.abandon()
    spare = nil
  }

  /// Gives up everything, and waits for the end of what is under way.
  mutating func close() {
    isClosed = true
    spare?.cancel()
    spare = nil
    left = nil
  }

  /// Waits until the spare session is ready.
  func wait() {
    while let spare, !spare.isReady { Thread.sleep(forTimeInterval: 0.005) }
  }
}
