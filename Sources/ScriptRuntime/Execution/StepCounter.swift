import FetchedResults

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
      throw frames.failure(.interrupted, range)
    }
    guard let remaining else { return }
    guard remaining > 0 else { throw frames.failure(.stepLimit(limit), range) }
    self.remaining = remaining - 1
  }
}
