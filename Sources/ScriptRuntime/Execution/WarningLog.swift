import ScriptSyntax

/// Reports warnings, once for each place of a statement.
///
/// They are not part of a script's output.
final class WarningLog {
  var hear: (Diagnostic, SourceText) -> Void = { _, _ in }
  /// The warnings of the running top-level statement.
  private var warnings: Set<Diagnostic> = []
  private let frames: FrameStack

  init(_ frames: FrameStack) { self.frames = frames }

  /// Starts a top-level statement.
  func beginStatement() { warnings = [] }

  func warn(_ message: String, _ range: Range<Int>) {
    warn(Diagnostic(severity: .warning, message: message, range: range))
  }

  func warn(_ warning: Diagnostic) {
    if warnings.insert(warning).inserted { hear(warning, frames.source) }
  }
}
