import LineEditor
import ScriptRuntime
import ScriptSyntax

/// What the prompt shows: events, errors, acknowledgements and help.
final class PromptConsole {
  private let output: Output
  /// How statements' output is shown.
  var mode: PromptMode
  /// Whether a person sees standard output, and may be spoken to there.
  let isSeen: Bool
  /// Whether something was not shown, since Ctrl-C was pressed.
  private(set) var isCutOff = false
  private let painter: EventPainter
  private let renderer: DiagnosticRenderer

  init(
    output: Output, mode: PromptMode, isSeen: Bool, usesColor: Bool, usesColorInErrors: Bool,
    isLight: Bool = false
  ) {
    self.output = output
    self.mode = mode
    self.isSeen = isSeen
    painter = EventPainter(usesColor: usesColor && isSeen, isLight: isLight)
    renderer = DiagnosticRenderer(usesColor: usesColorInErrors)
  }

  func flush() { output.flush() }

  /// Shows an event.
  ///
  /// It is seen at once, for the statement may go on for long. After Ctrl-C no
  /// more of the statement's events are shown, in the midst of a list too.
  ///
  /// - Returns: The lines as a script prints them; nil where they were not
  ///   all worked out.
  @discardableResult
  func show(_ event: Event) -> [String]? {
    if mode == .json, case .console(let text) = event {
      output.writeError("console: \(text)")
      return nil
    }
    var shown: [String] = []
    for piece in mode == .text ? event.pieces : [event] {
      let lines = mode.lines(for: piece)
      shown += lines
      guard show(lines, of: piece) else { return nil }
    }
    if isSeen { output.flush() }
    return mode == .text ? shown : nil
  }

  /// - Returns: Whether Ctrl-C has not been pressed meanwhile.
  private func show(_ lines: [String], of event: Event) -> Bool {
    for (index, line) in lines.enumerated() {
      if index % 64 == 0, InterruptFlag.isRaised {
        isCutOff = true
        return false
      }
      output.write(mode == .json ? line : painter.paint(line, of: event))
    }
    return true
  }

  /// Shows an error or a warning; its place is told where that is not the
  /// entry just typed.
  func show(_ diagnostic: Diagnostic, in source: SourceText) {
    let isEntry = source.name == PromptSession.sourceName
    if mode == .json, diagnostic.severity == .error {
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

  /// Tells that Ctrl-C was heard.
  func showInterruption(_ words: String) {
    isCutOff = false
    // The terminal has shown ^C at the row's start.
    output.writeError((isTerminal(2) ? "\r" : "") + painter.paint(comment: words))
  }

  /// Answers what was asked of the prompt itself.
  func answer(_ lines: [String]) {
    for line in lines {
      if mode == .json { output.writeError(line) } else { output.write(line) }
    }
  }

  /// Shows what an example types.
  func echo(_ statement: String) {
    let lines = statement.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      acknowledge((index == 0 ? PromptWords.prompt : PromptWords.continuationPrompt) + line)
    }
  }

  /// Clears what is seen, where that can be done.
  func clear() {
    let terminal = ProcessEnvironment["TERM", default: "dumb"]
    if isSeen, terminal != "dumb" { output.write(bytes: Array("\u{1B}[H\u{1B}[2J".utf8)) }
    output.flush()
  }

  func greet(isFirstStart: Bool) {
    (isFirstStart ? PromptWords.welcome : PromptWords.banner).forEach(acknowledge)
  }
}

extension Event {
  /// A long list in pieces that print the same, so that words need not be found
  /// for what nobody waits for.
  fileprivate var pieces: [Event] {
    switch self {
    case .rows(let entity, let objects) where objects.count > 256:
      stride(from: 0, to: objects.count, by: 256).map {
        .rows(entity: entity, objects: Array(objects[$0..<min($0 + 256, objects.count)]))
      }
    case .objects(let entity, let objects) where objects.count > 256:
      stride(from: 0, to: objects.count, by: 256).map {
        .objects(entity: entity, objects: Array(objects[$0..<min($0 + 256, objects.count)]))
      }
    default: [self]
    }
  }
}
