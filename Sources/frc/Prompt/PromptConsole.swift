import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// Shows events, errors, acknowledgements and help at the prompt.
final class PromptConsole {
  private let output: Output
  /// The format of statements' output.
  var mode: OutputFormat
  /// Whether standard output goes to a person, so that messages may be shown there.
  let isSeen: Bool
  /// Whether lines are edited with the program's own keys, which needs a capable terminal.
  var isEditing = true
  /// Whether some output was not shown because of Ctrl-C.
  private(set) var isCutOff = false
  /// The limited output of the running statement, or of the last one.
  var screenful: Screenful?
  /// Whether the output of the running statement is limited to the window.
  private var isLimited = false
  /// Whether all output is shown, however long it is.
  var showsAll = false
  private(set) var painter: EventPainter
  private let usesColorInErrors: Bool
  /// Whether everything is said in words on lines of its own, and nothing is redrawn.
  let isSpoken: Bool
  /// Whether the prompt's own comments are left out, as while the configuration runs.
  var isQuiet = false
  /// The place of the command that is being answered; nil for a typed one.
  var place: String?
  /// The colours in use.
  var theme: PromptTheme {
    didSet { painter = Self.painter(theme, isSeen: isSeen, isSpoken: isSpoken) }
  }

  init(
    output: Output, mode: OutputFormat, isSeen: Bool, theme: PromptTheme, usesColorInErrors: Bool,
    isSpoken: Bool = false
  ) {
    self.output = output
    self.mode = mode
    self.isSeen = isSeen
    self.theme = theme
    self.isSpoken = isSpoken
    painter = Self.painter(theme, isSeen: isSeen, isSpoken: isSpoken)
    self.usesColorInErrors = usesColorInErrors
  }

  private static func painter(
    _ theme: PromptTheme, isSeen: Bool, isSpoken: Bool
  ) -> EventPainter {
    EventPainter(
      usesColor: theme.usesColor && isSeen, isSeen: isSeen, isLight: theme.isLight,
      palette: theme.palette, isSpoken: isSpoken)
  }

  /// The width of the window, limited to what is easy to read.
  ///
  /// For a screen reader, nothing is cut.
  var columns: Int { isSpoken ? 400 : min(100, TerminalSize(of: .standardOutput)?.columns ?? 100) }

  func flush() { output.flush() }

  // MARK: What statements print

  /// Starts the output of a statement.
  ///
  /// At a terminal, only a screenful of it is shown.
  func beginOutput() {
    screenful = nil
    guard isSeen, !showsAll, mode != .json, let size = TerminalSize(of: .standardOutput) else {
      return
    }
    // For a screen reader, nothing is cut.
    let columns = isSpoken ? Int.max / 4 : size.columns
    screenful = Screenful(
      Screenful.Window(rows: size.rows, columns: columns), mode: mode, painter: painter)
    isLimited = true
  }

  /// Ends the output of a statement.
  ///
  /// Shows its last lines, and how to see the lines in between.
  func endOutput() {
    guard isLimited else { return }
    isLimited = false
    guard !InterruptFlag.isRaised else { return }
    for line in screenful?.finish() ?? [] { write(line) }
    if let notice = screenful?.notice { acknowledge(notice) }
  }

  /// Shows the held output of the running statement, because the user is about to be asked about
  /// it.
  private func showHeld() {
    guard isLimited else { return }
    endOutput()
    beginOutput()
  }

  /// Shows an event.
  ///
  /// It is shown at once, because the statement may run for long. After Ctrl-C, no more of the
  /// statement's events are shown, even in the middle of a list.
  func show(_ event: Event) {
    if isLimited { return showFirst(of: event) }
    switch mode {
    case .text:
      for piece in 0..<event.partCount {
        guard showWhole(event.part(number: piece)) else { break }
      }
    case .csv where !isSeen && !mode.lists(event):
      for line in event.lines { output.writeError(line) }
    case .json:
      if case .console = event {
        for line in event.lines { output.writeError(line) }
      } else {
        _ = showWhole(event)
      }
    case .table, .csv, .markdown: _ = showWhole(event)
    }
    if isSeen { output.flush() }
  }

  private func showFirst(of event: Event) {
    guard !InterruptFlag.isRaised else {
      isCutOff = true
      return
    }
    let lines = screenful?.add(event) ?? []
    for line in lines { write(line) }
    output.flush()
  }

  /// - Returns: False if Ctrl-C was pressed in the meantime.
  private func showWhole(_ event: Event) -> Bool {
    let lines =
      mode == .json ? mode.lines(for: event) : painter.lines(for: event, in: mode, marks: isSeen)
    // A table that was interrupted has no lines.
    if lines.isEmpty, InterruptFlag.isRaised { isCutOff = true }
    return write(lines)
  }

  /// Writes coloured lines.
  ///
  /// - Returns: False if Ctrl-C was pressed in the meantime.
  func write(_ lines: [String]) -> Bool {
    for (index, line) in lines.enumerated() {
      if index % 64 == 0, InterruptFlag.isRaised {
        isCutOff = true
        return false
      }
      write(line)
    }
    return true
  }

  private func write(_ line: String) {
    if mode == .csv, !isSeen { return output.write(fields: line) }
    output.write(painted: line, isColored: isSeen)
  }

  /// Shows an error or a warning.
  ///
  /// Its place is shown unless it is in the entry that was just typed.
  func show(_ diagnostic: Diagnostic, in source: SourceText) {
    let isEntry = source.name == PromptSession.sourceName
    if mode == .json, diagnostic.severity == .error {
      for line in Event.error(diagnostic, in: source).jsonLines {
        output.write(line)
      }
    }
    let renderer = DiagnosticRenderer(
      usesColor: usesColorInErrors, columns: TerminalSize(of: .standardError)?.columns,
      saysPlace: isSpoken, breaksMessage: !isSpoken)
    output.writeError(painted: renderer.render(diagnostic, in: source, showsPlace: !isEntry))
  }

  /// Shows a comment of the prompt, which is not output of a statement.
  func acknowledge(_ comment: String) {
    if isSeen, !isQuiet { output.write(painted: painter.paint(comment: comment)) }
  }

  /// Waits for a key between two callbacks of a turn.
  ///
  /// - Returns: Whether to wait again at the next one.
  func askForStep(_ step: Int) -> Bool { ask(PromptWords.step(step)) }

  /// Asks for a key, and then removes the question.
  ///
  /// - Returns: Whether to ask again; false if there is nobody to ask.
  func ask(_ question: String) -> Bool {
    guard isSeen else { return false }
    showHeld()
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
    // The question is removed, so that only callbacks and tables stay. In a narrow window it has
    // several rows.
    let rows = TerminalSize(of: .standardOutput).map { (question.count - 1) / $0.columns } ?? 0
    let up = rows > 0 ? "\u{1B}[\(rows)A" : ""
    output.write(bytes: Array((up + "\r\u{1B}[J").utf8))
    return key.asksForNext
  }

  /// Begins a new row after the output of another program, unless that has ended its last one.
  ///
  /// Otherwise the prompt would erase a last row without a line end.
  func beginRow() {
    guard isSeen, isEditing, !isSpoken, let size = TerminalSize(of: .standardOutput) else { return }
    // As many blanks as columns fill a row to its end if the cursor is at its start, so the return
    // goes to the same row. Otherwise they reach the next row.
    let blanks = String(repeating: " ", count: size.columns)
    output.write(bytes: Array((blanks + "\r\u{1B}[K").utf8))
  }

  /// Erases the terminal's row, which contains a message that is no longer true.
  func eraseRow() { output.writeErrorStart(erases: true) }

  /// Shows that Ctrl-C was noticed.
  func showInterruption(_ words: String) {
    isCutOff = false
    // The terminal has shown ^C at the start of the row, and "stopping" may be there, which is longer.
    if FileDescriptor.standardError.isTerminal {
      output.writeErrorStart(erases: isEditing && !isSpoken)
    }
    output.writeError(painted: painter.paint(comment: words))
  }

  /// Shows the answer to a command of the prompt.
  func answer(_ lines: [String]) {
    for (index, line) in lines.enumerated() {
      let line = index == 0 ? (place.map { $0 + ": " } ?? "") + line : line
      if mode == .json { output.writeError(line) } else { output.write(line) }
    }
  }

  /// Shows help text, whose lines are broken only between words.
  func explain(_ lines: [String]) {
    let size = isSeen ? TerminalSize(of: .standardOutput) : nil
    answer(size.map { FlowedText(lines, width: $0.columns).lines } ?? lines)
  }

  /// Shows an entry of an example.
  func echo(_ statement: String) {
    let lines = statement.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      acknowledge((index == 0 ? PromptWords.prompt : PromptWords.continuationPrompt) + line)
    }
  }

  /// Clears the screen, if that is possible.
  func clear() {
    if isSeen, isEditing { output.write(bytes: Array("\u{1B}[H\u{1B}[2J".utf8)) }
    output.flush()
  }

  func greet(isFirstStart: Bool) {
    (isFirstStart ? PromptWords.welcome(isEditing: isEditing) : PromptWords.banner).forEach(
      acknowledge)
  }
}

extension SingleKey {
  /// Whether to wait at the next step, too.
  fileprivate var asksForNext: Bool {
    switch self {
    case .character("q"), .character("Q"), .interrupted, .end, .closed: false
    case .character: true
    }
  }
}

/// Opens the user's own editor on a text.
enum ExternalEditor {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Lets the user edit a text in the same terminal, and waits until the editor ends.
  static func edit(_ text: String) throws(Failure) -> String {
    let name = "statement.frc"
    let folder: TemporaryFolder
    do throws(SystemError) {
      folder = try TemporaryFolder()
      let file = try folder.opened().open(name, .creating, permissions: 0o600)
      try file.descriptor.write((text + "\n").utf8)
    } catch {
      throw Failure(
        description: "no file to edit can be made in '\(TemporaryFolder.parent)': \(error.words)")
    }
    defer { folder.remove() }
    let editors = ["VISUAL", "EDITOR"].compactMap { ProcessEnvironment[$0] }
    let editor = editors.first { !$0.isEmpty } ?? "vi"
    // The editor's command may contain arguments, so a shell runs it. The file's name is quoted.
    let status = run(editor + " '" + folder.path(of: name).replacing("'", with: "'\\''") + "'")
    guard status == 0 else {
      throw Failure(
        description: "'\(editor)' exited with an error; set $VISUAL or $EDITOR to another editor")
    }
    // The editor may have replaced the file by another one.
    guard let bytes = try? OpenFile.contents(of: folder.path(of: name)) else {
      throw Failure(description: "'\(editor)' has left no text")
    }
    var edited = String(decoding: bytes, as: UTF8.self)
    while edited.last?.isNewline == true { edited.removeLast() }
    return edited
  }

  /// Runs a shell command, which then receives Ctrl-C.
  private static func run(_ command: String) -> Int32 { ProcessCalls.runShell(command) }
}
