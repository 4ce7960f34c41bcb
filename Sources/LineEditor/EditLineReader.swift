import CLibEdit
import Glibc

/// A reader for a person at a terminal, with editing, history and completion.
///
/// Lines are read one by one, each with a prompt of its own, until the
/// statement is complete; the whole block is one entry of the history.
///
/// - Ctrl-C drops the line and the block it stands in.
/// - Ctrl-D on an empty line ends the input, in a block too: the block is
///   dropped, as in psql.
/// - Up and Down move in a text of several lines, and beyond it through the
///   entries that begin with what stands before the cursor. Alt-P and Alt-N
///   always take the entries; Ctrl-R searches in them.
/// - Tab completes. Alt-Enter breaks the line. A paste is one insertion.
///
/// `~/.editrc` is read, so `bind -v` there gives vi's keys. There must be one
/// reader at a time, for a process has one standard input. Not Sendable: it
/// belongs to the thread that reads.
package final class EditLineReader: LineReader {
  /// What was typed before.
  package let history: LineHistory

  /// What Tab asks.
  let completions: Completion.Provider?

  let editLine: OpaquePointer
  private let editHistory: OpaquePointer

  /// Whether keys are edited by us; where the output is no terminal, the
  /// system's own line editing is left in place.
  let isEditing: Bool

  /// Whether the terminal understands more than plain text.
  let understandsSequences: Bool

  /// Whether `~/.editrc` has chosen vi's keys.
  var hasViKeys = false

  var input = TerminalInput(fileDescriptor: 0)
  var signals: ReadingSignals?

  /// The lines of the block before the one being edited, each with its end.
  var openBlock = ""

  /// The entry that Up and Down show now.
  var recall: HistoryRecall?

  /// The search of Ctrl-R while it goes on.
  var search: SearchState?

  /// What was looked for in the search before.
  var lastPattern: String?

  /// How far the dropping of a line is.
  var drop = DropStage.none

  /// What is to be done when the terminal shows what the last key changed; see
  /// `whenShown(_:)`.
  var deferred: (() -> KeyResult)?

  /// The prompt, kept for libedit, which asks for a C string that lives on.
  var promptText = "" {
    didSet { showPrompt(promptText) }
  }
  private(set) var promptBytes: UnsafeMutablePointer<CChar>?

  /// The prompt as it is seen.
  private(set) var shownPrompt = ""

  /// The terminal's width when the line was last drawn.
  var columns = 80

  /// The stages between Ctrl-C and the end of reading.
  enum DropStage {
    case none
    /// The key is on its way through libedit, which may have to leave a search
    /// or a key sequence first.
    case announced
  }

  /// Creates the editor of the standard input and output.
  ///
  /// From now on SIGINT raises `InterruptFlag`. Where the locale's characters
  /// are not UTF-8, those of `C.UTF-8` are taken, or libedit would lose them.
  /// Nil where libedit can do nothing with the terminal.
  ///
  /// - Parameters:
  ///   - program: The name by which `~/.editrc` knows the program.
  ///   - history: What was typed before.
  ///   - completions: What Tab asks; nil for a Tab that inserts itself.
  package init?(
    program: String,
    history: LineHistory,
    completions: Completion.Provider? = nil
  ) {
    setlocale(LC_CTYPE, "")
    if String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8" {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
    guard let editLine = frc_el_init(program) else { return nil }
    guard let editHistory = history_winit() else {
      el_end(editLine)
      return nil
    }
    self.history = history
    self.completions = completions
    self.editLine = editLine
    self.editHistory = editHistory
    isEditing = isTerminal(1) && frc_el_get_int(editLine, EL_EDITMODE) != 0
    understandsSequences = isEditing && frc_el_capability(editLine, "up") != nil
    // Where a wide character wraps, libedit loses count of the cells that it
    // has moved aside; without these it writes the row again.
    for name in ["ic", "IC", "dc", "DC", "im", "ei"] {
      frc_el_set_capability(editLine, name, "")
    }

    frc_el_set_client_data(editLine, Unmanaged.passUnretained(self).toOpaque())
    frc_el_set_prompt(editLine, { EditLineReader.of($0)?.promptBytes }, 1)
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
    free(promptBytes)
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
    signals = ReadingSignals()
    markPastes(true)
    defer {
      markPastes(false)
      signals?.finish()
      signals = nil
      openBlock = ""
    }
    openBlock = ""
    while true {
      switch readLine(prompt: openBlock.isEmpty ? prompt : continuationPrompt) {
      case .text(let line):
        let text = openBlock + line
        if isComplete(text) {
          remember(text)
          return .text(text)
        }
        openBlock = text + "\n"
      case .interrupted:
        write(isEditing ? "^C\n" : "\n")
        return .interrupted
      case .endOfInput:
        write("\n")
        return .endOfInput
      }
    }
  }

  private func readLine(prompt: String) -> ReadResult {
    promptText = prompt
    recall = nil
    search = nil
    deferred = nil
    drop = .none
    columns = TerminalSize(of: 1)?.columns ?? 80
    // libedit would set raw mode after the prompt only; a key typed in between
    // would be taken by the system's line editing.
    if isEditing { frc_el_set_int(editLine, EL_PREP_TERM, 1) }
    var count: Int32 = 0
    let line = el_wgets(editLine, &count)
    if drop != .none { return .interrupted }
    guard let line, count > 0 else { return .endOfInput }
    // The line need not end with a NUL, and may hold some.
    var scalars = UnsafeBufferPointer(start: line, count: Int(count))[...]
    if scalars.last == wchar_t(UInt8(ascii: "\n")) { scalars.removeLast() }
    return .text(String(wide: scalars))
  }

  private func remember(_ text: String) {
    if history.add(text), let entry = history.entries.last { enter(entry) }
  }

  /// Tells libedit of an entry, for vi's keys.
  private func enter(_ entry: String) {
    entry.withWide { _ = frc_history_enter(editHistory, $0) }
  }

  func showPrompt(_ text: String) {
    free(promptBytes)
    promptBytes = strdup(text)
    // Every other part is an escape sequence.
    let parts = text.split(separator: "\u{1}", omittingEmptySubsequences: false)
    shownPrompt = stride(from: 0, to: parts.count, by: 2).map { parts[$0] }.joined()
  }

  /// Switches on or off that the terminal marks what is pasted.
  func markPastes(_ on: Bool) {
    if understandsSequences { write(on ? "\u{1B}[?2004h" : "\u{1B}[?2004l") }
  }

  /// Writes to the terminal, if there is one to see it.
  func write(_ text: String) {
    if isTerminal(1) { frc_write_text(text) }
  }

  static func of(_ editLine: OpaquePointer?) -> EditLineReader? {
    guard let data = frc_el_client_data(editLine) else { return nil }
    return Unmanaged<EditLineReader>.fromOpaque(data).takeUnretainedValue()
  }
}
