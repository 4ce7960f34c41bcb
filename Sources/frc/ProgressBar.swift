import Foundation
import LineEditor
import Platform
import ScriptRuntime

/// Shows how far something is that takes longer than a second, in one line on
/// standard error that goes when it is over; on a terminal alone.
final class ProgressBar {
  private lazy var isSeen = FileDescriptor.standardError.isTerminal && isTerminalKnown
  private var start: ContinuousClock.Instant?
  private var lastShown: ContinuousClock.Instant?

  func show(_ progress: ImportProgress) {
    guard isSeen else { return }
    let now = ContinuousClock.now
    guard let start else {
      start = now
      return
    }
    guard now - start >= .seconds(1) else { return }
    if let lastShown, now - lastShown < .milliseconds(100) { return }
    lastShown = now
    // More than one row, with the ^C that may follow, would not be taken back.
    let width = max(0, (TerminalSize(of: .standardError)?.columns ?? 80) - 3)
    write("\r\u{1B}[K" + Self.line(progress).prefix(width))
  }

  func end() {
    if lastShown != nil { write("\r\u{1B}[K") }
    start = nil
    lastShown = nil
  }

  /// `[##########                    ]  33 % of books.csv, 12000 objects`.
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

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
