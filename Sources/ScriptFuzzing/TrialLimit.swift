import ScriptRuntime
import Synchronization

/// How long each statement of a trial may run, and how much memory all of them may take: a script
/// that is fuzzed or reduced may be one that never ends.
final class TrialLimit: Sendable {
  /// Counts what the trial's session takes.
  let memory = MemoryMeter()
  private let start = Mutex(ContinuousClock.now)

  private static let mostTime = Duration.seconds(60)
  private static let mostMemory = 1 << 30

  /// Begins a statement.
  func beginStatement() { start.withLock { $0 = ContinuousClock.now } }

  /// What the running statement takes too much of, in words; nil if nothing.
  var excess: String? {
    if memory.bytes > Self.mostMemory { return "takes more than 1 GB of memory" }
    if ContinuousClock.now - start.withLock(\.self) > Self.mostTime {
      return "takes more than 60 s"
    }
    return nil
  }
}
