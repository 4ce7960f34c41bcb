import LineEditor
import Platform
import PromptTools
import ScriptRuntime
import Synchronization

/// Shows the progress of a statement that takes longer than a second, or of a session that is being
/// built.
final class WaitingLine: Sendable {
  private struct Line: ~Copyable {
    let status = StatusLine(patience: .seconds(1))
    /// Whoever has asked to go back, or has stopped a statement, waits from the start.
    let wayBack = StatusLine(patience: .milliseconds(200))
    var asked = 0
    /// The start of the work, and the time of the last report in words.
    var start: ContinuousClock.Instant?
    var lastSaid: ContinuousClock.Instant?
  }

  /// The time between two reports in words.
  private static let pause = Duration.seconds(10)

  // Guarded by a lock, because statements may ask from other threads whether to continue.
  private let line = Mutex(Line())
  /// Whether progress is reported in words on lines of its own.
  private let isSpoken: Bool

  init(isSpoken: Bool = false) { self.isSpoken = isSpoken }

  /// Shows the progress of a session that is being built; nil when it is done.
  func show(_ progress: SessionTimeline.Progress?) {
    guard let progress else { return end() }
    // A thread that is waited for is asked about seldom.
    tell(isBack: true, isFrequent: progress.statement != nil) {
      "putting the session back: statement \(progress.done + 1) of \(progress.all)"
        + (progress.statement.map(Self.count) ?? "")
    }
  }

  /// Shows the progress of a statement; nil when it is done.
  func show(_ running: SessionTimeline.Running?) {
    guard let running else { return end() }
    tell(isBack: false, isFrequent: true) {
      guard !InterruptFlag.isRaised else { return "stopping" + Self.count(running.progress) }
      return running.word + Self.count(running.progress) + "; Ctrl-C stops it"
    }
  }

  /// Erases the line, because something else is shown now.
  func erase() {
    line.withLock { line in
      line.status.erase()
      line.wayBack.erase()
    }
  }

  private func end() {
    line.withLock { line in
      line.status.end()
      line.wayBack.end()
      line.start = nil
      line.lastSaid = nil
    }
  }

  /// - Parameter isFrequent: Whether this is called for every row, so that the clock is not
  ///   looked at each time.
  private func tell(
    isBack: Bool, isFrequent: Bool, _ words: @Sendable () -> String
  ) {
    line.withLock { line in
      line.asked += 1
      guard !isFrequent || line.asked % 64 == 1 else { return }
      guard isSpoken else { return (isBack ? line.wayBack : line.status).show(words) }
      let now = ContinuousClock.now
      guard let start = line.start else {
        line.start = now
        return
      }
      guard now - (line.lastSaid ?? start) >= Self.pause else { return }
      line.lastSaid = now
      try? FileDescriptor.standardError.write(("# still running: " + words() + "\n").utf8)
    }
  }

  /// Returns a text such as `, 23,000 of 1,000,000`.
  private static func count(_ progress: StatementProgress) -> String {
    let done = progress.done
    guard let total = progress.total else { return done > 1 ? ", \(done.grouped)" : "" }
    return ", \(min(done, total).grouped) of \(total.grouped)"
  }
}
