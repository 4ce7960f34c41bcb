import CLibEdit
import Platform

/// A reader for a person at a terminal, with editing, history and completion.
///
/// The whole statement is one text that can be edited, however many lines it
/// has; the lines after the first show the continuation prompt.
///
/// - Enter ends a complete statement wherever the cursor is, and breaks the
///   line of one that is not complete. Alt-Enter always breaks the line.
/// - Ctrl-C drops the statement, all lines of it.
/// - Ctrl-D with nothing before it ends the input; on an empty last line it
///   does so too, and the lines above are dropped, as in psql.
/// - Up and Down move between lines, and beyond them through the entries that
///   begin with what stands before the cursor. Alt-P and Alt-N always take the
///   entries; Ctrl-R searches in them.
/// - Tab completes. A paste is one insertion.
///
/// `~/.editrc` is read, so `bind -v` there gives vi's keys. There must be one
/// reader at a time, for a process has one standard input. Not Sendable: it
/// belongs to the thread that reads.
package final class EditLineReader: LineReader {
  /// What was typed before.
  package let history: LineHistory

  /// What knows the text's meaning.
  package var assistance: LineAssistance

  let editLine: OpaquePointer
  private let editHistory: OpaquePointer
  private let drawing: DiscardedOutput
  private let noTerminal: UnsafeMutablePointer<FILE>

  /// Whether `~/.editrc` has chosen vi's keys.
  var hasViKeys = false

  var input = TerminalInput(.standardInput)
  var signals: ReadingSignals?
  var painter: any LinePainter
  var size = TerminalSize(columns: 80, rows: 24)
  private var prompt = Prompt("")
  private var continuationPrompt = Prompt("")

  /// The entry that Up and Down show now.
  var recall: HistoryRecall?

  /// The search of Ctrl-R while it goes on.
  var search: SearchState?

  /// What Tab has listed, while something of it may be chosen.
  var menu: CompletionMenu?

  /// What the next line begins with; for whoever reads it to go on from.
  package var draft: String?

  /// What was looked for in the search before.
  var lastPattern: String?

  /// What Ctrl-K and its like deleted last.
  var killed = ""

  /// How many of the blanks before the cursor a person who types an indentation
  /// of their own has not yet typed over.
  var blanksToTypeOver = 0

  /// What is to be done by the next press of `deferredKey`.
  var deferred: ((EditLineReader) -> KeyResult)?

  /// Tells whether a text needs no further line.
  var isComplete: (String) -> Bool = { _ in true }

  /// What came of the reading, as soon as that is known.
  var result: ReadResult?

  /// Creates the editor of the standard input and output.
  ///
  /// From now on SIGINT raises `InterruptFlag`. Where the locale's characters
  /// are not UTF-8, those of `C.UTF-8` are taken. Nil where no line can be
  /// edited because input or output is no terminal, or one that understands
  /// nothing but text; there `PlainReader` does what can be done.
  ///
  /// - Parameters:
  ///   - program: The name by which `~/.editrc` knows the program.
  ///   - history: What was typed before.
  ///   - assistance: What knows the text's meaning.
  ///   - painter: What shows the line.
  package init?(
    program: String,
    history: LineHistory,
    assistance: LineAssistance = LineAssistance(),
    painter: any LinePainter = LineDisplay()
  ) {
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardOutput.isTerminal,
      !["", "dumb", "emacs", "unknown"].contains(TerminalSettings.kind)
    else { return nil }

    TerminalSettings.useUTF8()
    guard let drawing = DiscardedOutput(), let noTerminal = fopen("/dev/null", "r"),
      let editLine = frc_el_init(program, drawing.stream), let editHistory = history_winit()
    else { return nil }
    self.history = history
    self.assistance = assistance
    self.painter = painter
    self.editLine = editLine
    self.editHistory = editHistory
    self.drawing = drawing
    self.noTerminal = noTerminal

    // One that is not known cannot even go up a row, for all we know.
    guard frc_el_knows(editLine, "up") != 0 else { return nil }
    frc_el_set_error_stream(editLine)
    giveLargeScreen()
    frc_el_set_client_data(editLine, Unmanaged.passUnretained(self).toOpaque())
    frc_el_set_reader(editLine) { editLine, scalar in
      EditLineReader.of(editLine)?.readScalar(into: scalar) ?? 0
    }
    frc_history_set_size(editHistory, Int32(clamping: history.capacity))
    frc_el_set_history(editLine, editHistory)
    for entry in history.entries { enter(entry) }
    bindKeys()
    InterruptFlag.install()
  }

  deinit {
    el_end(editLine)
    history_wend(editHistory)
    fclose(noTerminal)
  }

  /// Reads a statement; see `LineReader`.
  ///
  /// A prompt may hold escape sequences, each between two `\u{1}`.
  package func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult {
    InterruptFlag.lower()
    self.prompt = Prompt(prompt)
    self.continuationPrompt = Prompt(continuationPrompt)
    let result = withoutActuallyEscaping(isComplete) { isComplete in
      self.isComplete = isComplete
      defer { self.isComplete = { _ in true } }
      return editStatement()
    }
    if case .text(let text) = result, history.add(text), let entry = history.entries.last {
      enter(entry)
    }
    return result
  }

  private func editStatement() -> ReadResult {
    recall = nil
    search = nil
    menu = nil
    blanksToTypeOver = 0
    deferred = nil
    result = nil
    painter.forget()
    if let draft {
      self.draft = nil
      deferred = { reader in
        reader.insert(draft)
        return .done
      }
      input.unread(Self.deferredKey)
    }
    size = TerminalSize(of: .standardOutput) ?? size
    signals = ReadingSignals()
    setRawMode(true)
    write(Self.markPastes)
    var count: Int32 = 0
    let line = el_wgets(editLine, &count)
    if result == nil {
      // The input has ended, or a key of libedit's own has ended the line.
      let text = line.map { Self.text(of: $0, count: Int(count)) }
      finishLine(showing: text)
      result = text.map(ReadResult.text) ?? .endOfInput
    }
    write(Self.doNotMarkPastes)
    setRawMode(false)
    signals?.finish()
    signals = nil
    return result ?? .endOfInput
  }

  /// Gives libedit a screen of its own that no statement fills.
  ///
  /// In a text higher than its screen it loses count of the rows and writes
  /// beyond them. It asks for the size of its input before each line, so that
  /// is no terminal, but while the mode is set; see `setRawMode(_:)`.
  private func giveLargeScreen() {
    frc_el_set_input(editLine, noTerminal)
    frc_el_set_capability(editLine, "li", "4000")
    frc_el_set_capability(editLine, "co", "100")
  }

  /// Has keys sent as they are pressed, or lines edited by the system.
  ///
  /// libedit would set raw mode when it reads the first key, which is after the
  /// prompt; a key typed in between would be taken by the system.
  func setRawMode(_ isRaw: Bool) {
    frc_el_set_input(editLine, nil)
    frc_el_set_int(editLine, EL_PREP_TERM, isRaw ? 1 : 0)
    frc_el_set_input(editLine, noTerminal)
  }

  /// What libedit gives for a line, without the line end.
  private static func text(of line: UnsafePointer<wchar_t>, count: Int) -> String {
    // There need not be a NUL behind the line, and there may be some in it.
    let text = String(wide: UnsafeBufferPointer(start: line, count: count))
    return text.last == "\n" ? String(text.dropLast()) : text
  }

  /// Tells libedit of an entry, for vi's keys.
  private func enter(_ entry: String) {
    entry.withWide { _ = frc_history_enter(editHistory, $0) }
  }

  static func of(_ editLine: OpaquePointer?) -> EditLineReader? {
    guard let data = frc_el_client_data(editLine) else { return nil }
    return Unmanaged<EditLineReader>.fromOpaque(data).takeUnretainedValue()
  }
}

// MARK: - The screen

extension EditLineReader {
  /// Asks the terminal to mark what is pasted.
  static var markPastes: String { "\u{1B}[?2004h" }

  static var doNotMarkPastes: String { "\u{1B}[?2004l" }

  /// Shows the line as it stands.
  func draw() {
    refreshMenu()
    let bell = drawing.takeBell() ? "\u{7}" : ""
    write(painter.show(view(of: line), in: size) + bell)
  }

  /// Shows the line with the cursor at its end, and nothing but the line.
  func showEnd() {
    write(painter.show(lastView(of: line.text), in: size))
  }

  /// Shows the line for the last time and goes below it.
  ///
  /// - Parameters:
  ///   - text: The text, where that is not what is being edited.
  ///   - mark: What is written behind the text.
  func finishLine(showing text: String? = nil, mark: String = "") {
    _ = drawing.takeBell()
    write(painter.finish(lastView(of: text ?? line.text), in: size, mark: mark))
  }

  /// Shows the line for the window's new size.
  func drawForNewSize() {
    size = TerminalSize(of: .standardOutput) ?? size
    write(painter.showResized(view(of: line), in: size))
  }

  func write(_ text: String) {
    frc_write_text(text)
  }

  private func view(of line: Line) -> LineView {
    var view = plainView(of: line)
    view.hint = hint(for: line)
    view.menu = search?.preview(of: history.entries) ?? menu?.rows ?? []
    return view
  }

  private func lastView(of text: String) -> LineView {
    var view = plainView(of: Line(before: text, after: ""))
    view.spans = assistance.spans(text, -1)
    return view
  }

  private func plainView(of line: Line) -> LineView {
    var view = LineView(before: line.before, after: line.after)
    view.prompt = search.map { Prompt($0.prompt) } ?? prompt
    view.continuationPrompt = continuationPrompt
    view.spans = assistance.spans(line.text, line.before.utf8.count)
    view.styles = assistance.styles
    return view
  }
}
