import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// What the prompt shows: events, errors, acknowledgements and help.
final class PromptConsole {
  private let output: Output
  /// How statements' output is shown.
  var mode: PromptMode
  /// Whether a person sees standard output, and may be spoken to there.
  let isSeen: Bool
  /// Whether lines are edited by keys of our own, at a terminal that understands
  /// more than text.
  var isEditing = true
  /// Whether something was not shown, since Ctrl-C was pressed.
  private(set) var isCutOff = false
  private let painter: EventPainter
  private let usesColorInErrors: Bool

  init(
    output: Output, mode: PromptMode, isSeen: Bool, usesColor: Bool, usesColorInErrors: Bool,
    isLight: Bool = false
  ) {
    self.output = output
    self.mode = mode
    self.isSeen = isSeen
    painter = EventPainter(
      usesColor: usesColor && isSeen, isSeen: isSeen, isLight: isLight)
    self.usesColorInErrors = usesColorInErrors
  }

  /// How wide the window is, but no wider than is read with ease.
  var columns: Int { min(100, TerminalSize(of: .standardOutput)?.columns ?? 100) }

  func flush() { output.flush() }

  /// Shows an event.
  ///
  /// It is seen at once, for the statement may go on for long. After Ctrl-C no
  /// more of the statement's events are shown, in the midst of a list too.
  func show(_ event: Event) {
    if mode == .json, case .console(let text) = event {
      return output.writeError("console: \(text)")
    }
    for piece in mode == .text ? event.pieces : [event] {
      guard showWhole(piece) else { break }
    }
    if isSeen { output.flush() }
  }

  /// - Returns: Whether Ctrl-C has not been pressed meanwhile.
  private func showWhole(_ event: Event) -> Bool {
    let lines =
      mode == .json ? mode.lines(for: event) : painter.lines(for: event, in: mode, marks: isSeen)
    // Of a table that was not finished no line came.
    if lines.isEmpty, InterruptFlag.isRaised { isCutOff = true }
    for (index, line) in lines.enumerated() {
      if index % 64 == 0, InterruptFlag.isRaised {
        isCutOff = true
        return false
      }
      output.write(painted: line, isColored: isSeen)
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
    let renderer = DiagnosticRenderer(
      usesColor: usesColorInErrors, columns: TerminalSize(of: .standardError)?.columns)
    output.writeError(painted: renderer.render(diagnostic, in: source, showsPlace: !isEntry))
  }

  /// Tells the person something that is no output of a statement.
  func acknowledge(_ comment: String) {
    if isSeen { output.write(painted: painter.paint(comment: comment)) }
  }

  /// Waits for a key between two callbacks of a turn.
  ///
  /// - Returns: Whether to wait again at the next.
  func askForStep(_ step: Int) -> Bool { ask(PromptWords.step(step)) }

  /// Asks for a key; the question goes again.
  ///
  /// - Returns: Whether to ask again; not if nobody is there.
  func ask(_ question: String) -> Bool {
    guard isSeen else { return false }
    let ask = { [output, painter] in
      output.write(bytes: Array(painter.paint(comment: question).utf8))
      output.flush()
    }
    ask()
    let key = SingleKey.read(from: .standardInput, didReturn: ask)
    guard isEditing else {
      output.write("")
      return key.asksForNext
    }
    // The question goes, so that only callbacks and tables stay; in a narrow
    // window it has several rows.
    let rows = TerminalSize(of: .standardOutput).map { (question.count - 1) / $0.columns } ?? 0
    let up = rows > 0 ? "\u{1B}[\(rows)A" : ""
    output.write(bytes: Array((up + "\r\u{1B}[J").utf8))
    return key.asksForNext
  }

  /// Tells that Ctrl-C was heard.
  func showInterruption(_ words: String) {
    isCutOff = false
    // The terminal has shown ^C at the row's start.
    if FileDescriptor.standardError.isTerminal { output.writeErrorStart() }
    output.writeError(painted: painter.paint(comment: words))
  }

  /// Answers what was asked of the prompt itself.
  func answer(_ lines: [String]) {
    for line in lines {
      if mode == .json { output.writeError(line) } else { output.write(line) }
    }
  }

  /// Answers with words of help, which are not broken in their midst.
  func explain(_ lines: [String]) {
    let size = isSeen ? TerminalSize(of: .standardOutput) : nil
    answer(size.map { FlowedText(lines, width: $0.columns).lines } ?? lines)
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
    if isSeen, isEditing { output.write(bytes: Array("\u{1B}[H\u{1B}[2J".utf8)) }
    output.flush()
  }

  func greet(isFirstStart: Bool) {
    (isFirstStart ? PromptWords.welcome : PromptWords.banner).forEach(acknowledge)
  }
}

extension SingleKey {
  /// Whether the next step is to be waited behind, too.
  fileprivate var asksForNext: Bool {
    switch self {
    case .character("q"), .character("Q"), .interrupted, .end: false
    case .character: true
    }
  }
}

extension Event {
  /// A long list in pieces that print the same, so that words need not be found
  /// for work whose result is not awaited.
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
    case .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent, .snapshot,
      .difference, .counts, .hook, .notification, .show, .table, .dataSource, .exception,
      .showTable,
      .request, .value,
      .rows, .objects, .objectIDs, .dictionaries, .batch, .evaluation, .explainedTurn, .explanation,
      .swift, .cache, .statistics, .history, .remoteChange,
      .statement, .model, .note, .console, .error:
      [self]
    }
  }
}
