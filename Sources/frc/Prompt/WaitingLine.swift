import PromptTools
import Synchronization

/// Tells whoever waits how far the session is that is put together again.
final class WaitingLine: Sendable {
  private struct Line: ~Copyable {
    let status = StatusLine(patience: .seconds(1))
    var asked = 0
  }

  // Statements may ask from other threads whether they are to go on.
  private let line = Mutex(Line())

  /// Shows how far it is; nil where it is done.
  func show(_ progress: SessionTimeline.Progress?) {
    line.withLock { line in
      guard let progress else {
        line.status.end()
        return
      }
      // Asked for every row, so the clock is not looked at each time.
      line.asked += 1
      guard line.asked % 64 == 1 else { return }
      line.status.show {
        "putting the session back, statement \(progress.done + 1) of \(progress.all)"
      }
    }
  }
}
