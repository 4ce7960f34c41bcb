import FetchedResults
import ScriptSyntax
import Synchronization

/// Runs the statements inside others, such as those of a loop or a callback.
protocol StatementRunner: AnyObject {
  func execute(_ statements: [Statement]) throws(ScriptError)

  /// Runs the statements of another file in the frame of the running one.
  func run(_ script: ParsedScript) throws(ScriptError)

  /// Runs the statements of another file in a session of their own.
  ///
  /// - Parameter includers: The names of the files that include it.
  func runAlone(_ script: ParsedScript, includedBy includers: [String]) throws(ScriptError)
}

/// Counts statements and repetitions, and stops at a limit or if the user asks.
package final class StepCounter {
  /// The number of statements and repetitions that may still run; nil for no limit.
  @exclusivity(unchecked) package var remaining: Int?
  /// The check that stops the running top-level statement; nil if only the enclosing one can be
  /// stopped.
  @exclusivity(unchecked) var stopCheck: StopCheck?
  private let limit: Int
  let progress = StatementProgress()
  private let environment: any ScriptEnvironment
  private let frames: FrameStack

  init(limit: Int?, _ environment: any ScriptEnvironment, _ frames: FrameStack) {
    self.limit = limit ?? 0
    remaining = limit
    self.environment = environment
    self.frames = frames
  }

  /// Counts one step.
  func count(at range: Range<Int>) throws(ScriptError) {
    progress.count()
    let isStopped = stopCheck?.isWanted(after: 16) ?? StopCheck.isWanted(after: 16)
    if isStopped || environment.isInterrupted {
      stopCheck?.stop()
      throw frames.failure(.interrupted, range)
    }
    guard let remaining else { return }
    guard remaining > 0 else { throw frames.failure(.stepLimit(limit), range) }
    self.remaining = remaining - 1
  }
}

/// The progress of the running top-level statement: the number of finished objects or repetitions,
/// and of all.
///
/// Any thread may read it.
package final class StatementProgress: Sendable {
  private let doneCount = Atomic(0)
  private let totalCount = Atomic(0)

  init() {}

  /// The number that is finished.
  package var done: Int { doneCount.load(ordering: .relaxed) }

  /// The number of all; nil if unknown.
  package var total: Int? {
    let total = totalCount.load(ordering: .relaxed)
    return total > 0 ? total : nil
  }

  /// Starts a statement.
  func begin() {
    doneCount.store(0, ordering: .relaxed)
    totalCount.store(0, ordering: .relaxed)
  }

  /// Sets the number of all.
  ///
  /// The first call decides, because loops may be nested.
  func expect(_ count: Int) {
    guard total == nil else { return }
    // The steps before this call do not count.
    doneCount.store(0, ordering: .relaxed)
    totalCount.store(count, ordering: .relaxed)
  }

  /// Counts some as finished.
  func count(_ number: Int = 1) { doneCount.wrappingAdd(number, ordering: .relaxed) }
}
