import LineEditor
import Platform
import PromptTools
import ScriptRuntime
import Synchronization

/// Tells whoever waits how far a statement is that takes longer than a second, or the session
/// that is put together again.
final class WaitingLine: Sendable {
  private struct Line: ~Copyable {
    let status = StatusLine(patience: .seconds(1))
    var asked = 0
    /// When the work began, and when it was last told of in words.
    var start: ContinuousClock.Instant?
    var lastSaid: ContinuousClock.Instant?
  }

  /// How often progress is told in words.
  private static let pause = Duration.seconds(10)

  // Statements may ask from other threads whether they are to go on.
  private let line = Mutex(Line())
  /// Whether progress is told in words on lines of their own.
  private let isSpoken: Bool

  init(isSpoken: Bool = false) { self.isSpoken = isSpoken }

  /// Shows how far the session is that is put together again; nil if it is done.
  func show(_ progress: SessionTimeline.Progress?) {
    guard let progress else { return end() }
    tell {
      "putting the session back: statement \(progress.done + 1) of \(progress.all)"
        + (progress.statement.map(Self.count) ?? "")
    }
  }

  /// Shows how far a statement is; nil if it is done.
  func show(_ running: SessionTimeline.Running?) {
    guard let running else { return end() }
    tell {
      let action = InterruptFlag.isRaised ? "stopping" : running.word
      return action + Self.count(running.progress) + "; Ctrl-C stops it"
    }
  }

  /// Erases the line, for something else is shown now.
  func erase() { line.withLock { $0.status.erase() } }

  private func end() {
    line.withLock { line in
      line.status.end()
      line.start = nil
      line.lastSaid = nil
    }
  }

  private func tell(_ words: @Sendable () -> String) {
    line.withLock { line in
      // Asked for every row, so the clock is not looked at each time.
      line.asked += 1
      guard line.asked % 64 == 1 else { return }
      guard isSpoken else { return line.status.show(words) }
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

  /// `, 23,000 of 1,000,000`.
  private static func count(_ progress: StatementProgress) -> String {
    let done = progress.done
    guard let total = progress.total else { return done > 1 ? ", \(done.grouped)" : "" }
    return ", \(min(done, total).grouped) of \(total.grouped)"
  }
}
