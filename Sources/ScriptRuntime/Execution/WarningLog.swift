import ScriptSyntax

/// Tells of what is odd but no error, once for each place that a statement
/// comes by; no part of what a script prints.
final class WarningLog {
  var hear: (Diagnostic, SourceText) -> Void = { _, _ in }
  /// The warnings of the running top-level statement.
  private var warnings: Set<Diagnostic> = []
  private let frames: FrameStack

  init(_ frames: FrameStack) { self.frames = frames }

  /// Begins a top-level statement.
  func beginStatement() { warnings = [] }

  func warn(_ message: String, _ range: Range<Int>) {
    warn(Diagnostic(severity: .warning, message: message, range: range))
  }

  func warn(_ warning: Diagnostic) {
    if warnings.insert(warning).inserted { hear(warning, frames.source) }
  }
}
