import ScriptRuntime
import Synchronization

/// The conditions that end a run early: its limits, or the end of all runs.
final class RunLimits: Sendable {
  /// Counts the memory of the run's sessions.
  let memory = MemoryMeter()
  private let printed = Atomic(0)
  private let limits: [ByteLimit]
  private let time: TimeLimit
  private let deadline: ContinuousClock.Instant
  private let isStopped: @Sendable () -> Bool
  private let takesTooMuch: @Sendable () -> Bool

  /// - Parameters:
  ///   - time: The longest time that the run may take from now on.
  ///   - limits: The limits on other resources.
  ///   - isStopped: Returns whether all runs must stop.
  ///   - takesTooMuch: Returns whether the process uses more memory than the run may.
  init(
    time: TimeLimit, limits: [ByteLimit], isStopped: @escaping @Sendable () -> Bool,
    takesTooMuch: @escaping @Sendable () -> Bool
  ) {
    self.time = time
    self.limits = limits
    self.isStopped = isStopped
    self.takesTooMuch = takesTooMuch
    deadline = ContinuousClock.now + time.duration
  }

  /// Counts lines of output.
  func notePrinted(_ lines: [String]) {
    let count = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    printed.wrappingAdd(count, ordering: .relaxed)
  }

  /// Whether the run must end; asked again and again.
  var isOver: Bool { exceeded != nil || ContinuousClock.now >= deadline || isStopped() }

  /// The end of a run that was interrupted.
  var end: GoldenRun.End {
    if let exceeded { return .exceeded(exceeded) }
    return ContinuousClock.now >= deadline ? .timedOut(time) : .stopped
  }

  /// The limit of memory or output that the run has exceeded; nil if none.
  var exceeded: ByteLimit? {
    limits.first { limit in
      switch limit.resource {
      case .memory: memory.bytes > limit.bytes || takesTooMuch()
      case .output: printed.load(ordering: .relaxed) > limit.bytes
      }
    }
  }
}
