import ScriptRuntime

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
