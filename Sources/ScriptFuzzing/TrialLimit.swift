import ScriptRuntime
import Synchronization

/// A limit on the time of each statement in a trial, and on the memory of all of them.
///
/// A script that is fuzzed or reduced may never end.
final class TrialLimit: Sendable {
  /// Counts the memory of the trial's session.
  let memory = MemoryMeter()
  private let start = Mutex(ContinuousClock.now)

  private static let mostTime = Duration.seconds(60)
  private static let mostMemory = 1 << 30

  /// Records the start of a statement.
  func beginStatement() { start.withLock { $0 = ContinuousClock.now } }

  /// A description of the limit that the running statement exceeds; nil if none.
  var excess: String? {
    if memory.bytes > Self.mostMemory { return "takes more than 1 GB of memory" }
    if ContinuousClock.now - start.withLock(\.self) > Self.mostTime {
      return "takes more than 60 s"
    }
    return nil
  }
}
