import LineEditor
import ScriptRuntime
import ScriptSyntax

/// What the prompt shows: events, errors, acknowledgements and help.
final class PromptConsole {
  private let output: Output
  private let format: OutputFormat
  /// Whether a person sees standard output, and may be spoken to there.
  let isSeen: Bool
  /// Whether something was not shown, since Ctrl-C was pressed.
  private(set) var isCutOff = false
  private let painter: EventPainter
  private let renderer: DiagnosticRenderer

  init(
    output: Output, format: OutputFormat, isSeen: Bool, usesColor: Bool, usesColorInErrors: Bool
  ) {
    self.output = output
    self.format = format
    self.isSeen = isSeen
    painter = EventPainter(usesColor: usesColor && format == .text)
    renderer = DiagnosticRenderer(usesColor: usesColorInErrors)
  }

  func flush() { output.flush() }

  /// Shows an event.
  ///
  /// It is seen at once, for the statement may go on for long. After Ctrl-C no
  /// more of the statement's events are shown, in the midst of a list too.
  func show(_ event: Event) {
    if format == .json, case .console(let text) = event {
      return output.writeError("console: \(text)")
    }
    let formatter: EventFormatter = format == .json ? .json : .text
    for (index, line) in painter.lines(for: event, by: formatter, marks: isSeen).enumerated() {
      if index % 64 == 0, InterruptFlag.isRaised {
        isCutOff = true
        break
      }
      output.write(line)
    }
    if isSeen { output.flush() }
  }

  /// Shows an error or a warning; its place is told where that is not the
  /// entry just typed.
  func show(_ diagnostic: Diagnostic, in source: SourceText) {
    let isEntry = source.name == PromptSession.sourceName
    if format == .json, diagnostic.severity == .error {
      for line in EventFormatter.json.lines(for: .error(diagnostic, in: source)) {
        output.write(line)
      }
    }
    output.writeError(renderer.render(diagnostic, in: source, showsPlace: !isEntry))
  }

  /// Tells the person something that is no output of a statement.
  func acknowledge(_ comment: String) {
    if isSeen { output.write(painter.paint(comment: comment)) }
  }

  /// Waits for a key between two callbacks of a turn.
  ///
  /// - Returns: Whether to wait again at the next.
  func askForStep(_ step: Int) -> Bool {
    guard isSeen else { return false }
    output.write(bytes: Array(painter.paint(comment: PromptWords.step(step)).utf8))
    output.flush()
    let key = SingleKey.read(from: 0)
    // The question goes, so that only callbacks and tables stay.
    output.write(bytes: Array("\r\u{1B}[K".utf8))
    switch key {
    case .character("q"), .character("Q"), .interrupted, .end: return false
    case .character: return true
    }
  }

  /// Tells that Ctrl-C was heard: whether it stopped the statement, or only
  /// what is shown of it.
  func showInterruption(ofWork: Bool) {
    let words = ofWork ? PromptWords.interrupted : PromptWords.cutOff
    isCutOff = false
    // The terminal has shown ^C at the row's start.
    output.writeError((isTerminal(2) ? "\r" : "") + painter.paint(comment: words))
  }

  /// Answers what was asked of the prompt itself.
  func answer(_ lines: [String]) {
    for line in lines {
      if format == .json { output.writeError(line) } else { output.write(line) }
    }
  }

  func greet(isFirstStart: Bool) {
    (isFirstStart ? PromptWords.welcome : PromptWords.banner).forEach(acknowledge)
  }
}
