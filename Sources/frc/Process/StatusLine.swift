import Basics
import Foundation
import LineEditor
import Platform
import PredicateSyntax
import ScriptRuntime

/// One line on standard error that is redrawn, and erased at the end.
///
/// It is only shown on a terminal.
final class StatusLine {
  private let isSeen: Bool
  private let patience: Duration
  private var start: ContinuousClock.Instant?
  private var lastShown: ContinuousClock.Instant?

  /// Creates a line.
  ///
  /// - Parameter patience: How long nothing is shown, because most work is done by then.
  init(patience: Duration) {
    self.patience = patience
    // Some continuous integration systems give a job a terminal, but keep everything that was
    // drawn.
    isSeen =
      FileDescriptor.standardError.isTerminal && TerminalSettings.obeysSequences
      && !ProcessEnvironment.isContinuousIntegration
  }

  /// Draws the line, at most ten times a second.
  func show(_ text: () -> String) {
    guard isSeen else { return }
    let now = ContinuousClock.now
    guard let start else {
      start = now
      return
    }
    guard now - start >= patience else { return }
    if let lastShown, now - lastShown < .milliseconds(100) { return }
    lastShown = now
    // Only one row can be erased, and a `^C` may follow the text.
    let width = max(0, (TerminalSize(of: .standardError)?.columns ?? 80) - 3)
    write("\r\u{1B}[K" + ShownText.line(text()).prefix(width))
  }

  /// Erases the line, which may be drawn again.
  func erase() {
    guard lastShown != nil else { return }
    write("\r\u{1B}[K")
    lastShown = nil
  }

  /// Erases the line.
  ///
  /// The next one is shown only after some time.
  func end() {
    erase()
    start = nil
  }

  private func write(_ text: String) { try? FileDescriptor.standardError.write(text.utf8) }
}

/// Shows the progress of work that takes longer than a second.
final class ProgressBar {
  private let line = StatusLine(patience: .seconds(1))

  func show(_ progress: ImportProgress) { line.show { Self.line(progress) } }

  func end() { line.end() }

  /// Returns a line such as `[########## ] 33 % of books.csv, 12000 objects`.
  static func line(_ progress: ImportProgress) -> String {
    let objects = "\(progress.objects) object\(progress.objects == 1 ? "" : "s")"
    let name = progress.file.suffix(24)
    guard let count = progress.byteCount, count > 0 else { return "\(name): \(objects)" }
    let part = min(1, Double(progress.bytesRead) / Double(count))
    let filled = Int(part * 30)
    let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: 30 - filled)
    let percent = String(Int(part * 100))
    let padding = String(repeating: " ", count: 3 - percent.count)
    return "[\(bar)] \(padding)\(percent) % of \(name), \(objects)"
  }
}
