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
///   begin with what is before the cursor. Alt-P and Alt-N always take the
///   entries; Ctrl-R searches in them.
/// - Tab completes. A paste is one insertion.
///
/// `~/.editrc` is read, so `bind -v` there gives vi's keys. There must be one
/// reader at a time, for a process has one standard input. Not Sendable: it
/// belongs to the thread that reads.
package final class EditLineReader: LineReader {
  private let history: LineHistory
  let assistance: LineAssistance
  let editLine: OpaquePointer
  private let editHistory: OpaquePointer
  private let noTerminal: UnsafeMutablePointer<FILE>
  let buffer: LineBuffer
  private let input: TerminalInput
  private let keys: KeyReader
  let screen: LineScreen
  let hints: LineHints
  private let bindings: KeyBindings
  let vi: ViMode
  var signals: ReadingSignals?
  /// The terminal's mode while a line is edited.
  private var mode: KeyMode?
  var prompt = Prompt("")
  var continuationPrompt = Prompt("")

  // What the keys do.
  let text: TextKeys
  let words: WordKeys
  let entries: HistoryKeys
  let completion: CompletionMode
  let search: SearchMode
  let paste: PasteReader
  let undo: UndoKeys

  /// What the next line begins with; for whoever reads it to go on from.
  package var draft: String?

  /// Whether the system knows how the terminal that `TERM` names is written to;
  /// one that it does not know is taken for an xterm.
  package let isTerminalKnown: Bool

  /// What is to be done by the next press of `deferredKey`.
  var deferred: EditorKey.Function?

  /// Whether Ctrl-X was typed, and the key after it was not.
  private var isBehindPrefix = false

  /// What libedit has yet to be given of a key.
  private var fed: [Unicode.Scalar] = []

  /// Whether the companion was told that nobody types, since the last key.
  var hasRested = true

  /// Whether all that was typed ahead of this line has been read.
  private var hasWaited = false

  /// Tells whether a text needs no further line.
  var isComplete: (String) -> Bool = { _ in true }

  /// What came of the reading, as soon as that is known.
  var result: ReadResult?

  /// Creates the editor of the standard input and output.
  ///
  /// From now on SIGINT raises `InterruptFlag`. Where the locale's characters
  /// are not UTF-8, those of `C.UTF-8` are taken. Nil where no line can be
  /// edited because input or output is not a terminal, or one that understands
  /// nothing but text; there `PlainReader` does what can be done.
  ///
  /// - Parameters:
  ///   - program: The name by which `~/.editrc` knows the program.
  ///   - history: What was typed before.
  ///   - assistance: What knows the text's meaning.
  ///   - painter: What shows the line.
  ///   - typedAhead: What was typed and read before.
  package init?(
    program: String,
    history: LineHistory,
    assistance: LineAssistance = LineAssistance(),
    painter: any LinePainter = LineDisplay(reflows: TerminalSettings.reflows),
    typedAhead: [UInt8] = []
  ) {
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardOutput.isTerminal,
      TerminalSettings.obeysSequences
    else { return nil }

    TerminalSettings.useUTF8()
    guard let drawing = DiscardedOutput(), let noTerminal = fopen("/dev/null", "r"),
      let editLine = frc_el_init(program, drawing.stream), let editHistory = history_winit()
    else { return nil }
    let buffer = LineBuffer(editLine)
    let input = TerminalInput(.standardInput, typedAhead: typedAhead)
    let completion = CompletionMode(buffer, assistance: assistance)
    let search = SearchMode(buffer, history: history)
    let hints = LineHints(
      buffer: buffer, history: history, assistance: assistance, search: search,
      completion: completion)
    self.history = history
    self.assistance = assistance
    self.editLine = editLine
    self.editHistory = editHistory
    self.noTerminal = noTerminal
    self.buffer = buffer
    self.input = input
    keys = KeyReader(input)
    self.hints = hints
    self.completion = completion
    self.search = search
    screen = LineScreen(painter, drawing: drawing)
    text = TextKeys(buffer, input: input, assistance: assistance, hints: hints)
    words = WordKeys(buffer, hints: hints)
    entries = HistoryKeys(buffer, history: history, completion: completion)
    paste = PasteReader(buffer: buffer, assistance: assistance)
    undo = UndoKeys(buffer)

    isTerminalKnown = frc_el_knows(editLine, "up") != 0
    if !isTerminalKnown { frc_el_set_string(editLine, EL_TERMINAL, "xterm") }
    frc_el_set_error_stream(editLine)
    bindings = KeyBindings(
      editLine, canComplete: assistance.completions != nil, list: drawing.takeText,
      deferred: { editLine, _ in
        EditLineReader.of(editLine)?.runDeferred(inCommandMode: false) ?? KeyResult.refused.code
      },
      command: { editLine, _ in
        EditLineReader.of(editLine)?.runDeferred(inCommandMode: true) ?? KeyResult.refused.code
      })
    vi = ViMode(bindings)
    giveLargeScreen()
    frc_el_set_client_data(editLine, Unmanaged.passUnretained(self).toOpaque())
    frc_el_set_reader(editLine) { editLine, scalar in
      EditLineReader.of(editLine)?.readScalar(into: scalar) ?? 0
    }
    frc_history_set_size(editHistory, Int32(clamping: history.capacity))
    frc_el_set_history(editLine, editHistory)
    for entry in history.entries.suffix(Self.libeditEntries) { enter(entry) }
    InterruptFlag.install()
  }

  deinit {
    el_end(editLine)
    history_wend(editHistory)
    fclose(noTerminal)
  }

  /// How many entries libedit gets, for those of its functions that a user binds.
  private static var libeditEntries: Int { 1000 }

  /// Reads a statement; see `LineReader`.
  ///
  /// A prompt may hold escape sequences, each between two `\u{1}`.
  package func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult {
    InterruptFlag.lower()
    history.refresh()
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
    entries.begin()
    search.forget()
    completion.close()
    text.begin()
    undo.begin()
    vi.begin()
    isBehindPrefix = false
    fed = []
    result = nil
    hasWaited = false
    hasRested = false
    assistance.companion?.leave()
    defer { assistance.companion?.leave() }
    screen.forget()
    if let draft {
      self.draft = nil
      typeAhead(draft)
    }
    screen.measure()
    signals = ReadingSignals()
    setRawMode(true)
    screen.markPastes(true)
    var count: Int32 = 0
    let line = el_wgets(editLine, &count)
    if result == nil {
      // The input has ended, or a key of libedit's own has ended the line.
      let text = line.map { Self.text(of: $0, count: Int(count)) }
      finishLine(showing: text)
      result = text.map(ReadResult.text) ?? .endOfInput
    }
    screen.markPastes(false)
    setRawMode(false)
    signals?.finish()
    signals = nil
    return result ?? .endOfInput
  }

  /// Gives libedit a screen of its own that no statement fills.
  ///
  /// In a text higher than its screen it loses count of the rows and writes
  /// beyond them. It asks for the size of its input before each line, so that
  /// is not a terminal, but while the mode is set; see `setRawMode(_:)`.
  private func giveLargeScreen() {
    frc_el_set_input(editLine, noTerminal)
    frc_el_set_capability(editLine, "li", "4000")
    frc_el_set_capability(editLine, "co", "100")
  }

  /// Has keys sent as they are pressed, or lines edited by the system.
  ///
  /// libedit would set raw mode when it reads the first key, which is after the
  /// prompt; a key typed in between would be taken by the system.
  private func setRawMode(_ isRaw: Bool) {
    if isRaw { mode = KeyMode(.standardInput) }
    frc_el_set_input(editLine, nil)
    frc_el_set_int(editLine, EL_PREP_TERM, isRaw ? 1 : 0)
    frc_el_set_input(editLine, noTerminal)
    if isRaw { mode?.takeAllKeys(farewell: LineScreen.farewell) } else { mode?.leave() }
  }

  /// What libedit gives for a line, without the line end.
  private static func text(of line: UnsafePointer<wchar_t>, count: Int) -> String {
    // There need not be a NUL after the line, and there may be some in it.
    let text = String(wide: UnsafeBufferPointer(start: line, count: count))
    return text.last == "\n" ? String(text.dropLast()) : text
  }

  /// Tells libedit of an entry, for vi's keys.
  private func enter(_ entry: String) {
    entry.withWide { _ = frc_history_enter(editHistory, $0) }
  }

  private static func of(_ editLine: OpaquePointer?) -> EditLineReader? {
    guard let data = frc_el_client_data(editLine) else { return nil }
    return Unmanaged<EditLineReader>.fromOpaque(data).takeUnretainedValue()
  }

  /// Runs what a key does, as libedit calls it.
  static func call(
    _ editLine: OpaquePointer?, _ function: (EditLineReader) -> KeyResult
  ) -> UInt8 {
    guard let reader = of(editLine) else { return KeyResult.refused.code }
    let result = function(reader)
    if reader.vi.isCommand, reader.result == nil { reader.stayOnCharacter() }
    return result.code
  }

  /// Takes the cursor back from the place after a row, where vi's commands have no place
  /// for it.
  private func stayOnCharacter() {
    let line = buffer.line
    guard line.after.first?.isNewline ?? true, let last = line.before.last, !last.isNewline
    else { return }
    buffer.moveCursor(by: -last.unicodeScalars.count)
  }
}

// MARK: - Reading

extension EditLineReader {
  /// Gives libedit the next character, and draws while there is none.
  ///
  /// - Returns: 1 with a character, 0 at the end of the input, -1 where the
  ///   line is dropped.
  private func readScalar(into scalar: UnsafeMutablePointer<wchar_t>?) -> CInt {
    while result == nil {
      if !fed.isEmpty {
        scalar?.pointee = wchar_t(bitPattern: fed.removeFirst().value)
        return 1
      }
      // A command that takes the next key, vi's `f` say, has taken it for its own.
      deferred = nil
      if let held = vi.takeHeld() {
        fed = held
        continue
      }
      if let need = signals?.next() {
        answer(need)
        continue
      }
      // What comes in one go, a paste without marks say, is drawn once.
      if !search.isActive, !completion.hasChosen { undo.note(isAwaited: !input.isReady) }
      if !input.isReady {
        if let question = vi.ask() {
          fed = question
          continue
        }
        draw()
        hasWaited = true
      }
      let endsEscape =
        bindings.isEscapeKey || search.isActive || completion.isChoosing || companionHasKeys
      switch keys.next(endsEscape: endsEscape, within: patience) {
      case .rest: rest()
      case .key(let key): fed = vi.pass(scalars(for: key))
      case .end: return 0
      case .signal: continue
      }
    }
    SystemError.interrupted.makeLast()
    return -1
  }

  /// Passes a key through those that want to see it first.
  ///
  /// - Returns: What libedit is given for it: nothing but characters and
  ///   sequences that it knows.
  private func scalars(for key: TerminalKey) -> [Unicode.Scalar] {
    if text.takes(key) { return [] }
    if companionHasKeys, takesForCompanion(key) { return [] }
    guard let key = search.isActive ? search.key(key) : key else { return [] }
    hasRested = false
    if isBehindPrefix { return scalars(behindPrefix: key) }
    switch key {
    case .character("\u{18}"):
      isBehindPrefix = true
      return []
    case .character("\t") where !hasWaited && input.isReady:
      // Of a text that was pasted while a statement ran.
      return run { editLine, _ in EditLineReader.call(editLine) { $0.text.insertTab() } }
    case .character(let typed): return [typed]
    case .escape:
      if completion.isChoosing {
        _ = completion.cancel()
        return []
      }
      return bindings.isEscapeKey ? ["\u{1B}"] : []
    case .alt(let typed): return scalars(of: String(Character(typed)), isAlt: true)
    case .sequence(let sequence): return scalars(of: sequence, isAlt: false)
    case .report: return []
    case .paste(let pasted):
      paste.take(pasted)
      return run { editLine, _ in EditLineReader.call(editLine) { $0.paste.insert() } }
    }
  }

  /// - Parameter key: The key after Ctrl-X.
  private func scalars(behindPrefix key: TerminalKey) -> [Unicode.Scalar] {
    isBehindPrefix = false
    switch key {
    case .character("\u{05}"):
      return run { editLine, _ in EditLineReader.call(editLine) { $0.editDraft() } }
    case .character("\u{15}"):
      return run { editLine, _ in EditLineReader.call(editLine) { $0.undo.undo() } }
    case .character(let typed) where bindings.usesPrefix: return ["\u{18}", typed]
    case .report:
      isBehindPrefix = true
      return []
    case .character, .escape, .alt, .sequence:
      return run { _, _ in KeyResult.refused.code }
    case .paste: return scalars(for: key)
    }
  }

  /// - Parameters:
  ///   - sequence: What a key sends after Escape.
  ///   - isAlt: Whether it is a character.
  private func scalars(of sequence: String, isAlt: Bool) -> [Unicode.Scalar] {
    switch bindings.meaning(of: sequence, isAlt: isAlt) {
    case .action(let action): return run(action)
    case .libedit: return ["\u{1B}"] + sequence.unicodeScalars
    case .nothing: return run { _, _ in KeyResult.refused.code }
    }
  }

  /// Has an action run as libedit runs the function of a key.
  ///
  /// - Returns: What libedit is given for it.
  private func run(_ action: @escaping EditorKey.Function) -> [Unicode.Scalar] {
    deferred = action
    return [ViMode.question]
  }

  /// Begins the line with a text.
  private func typeAhead(_ draft: String) {
    text.draft = draft
    fed = run { editLine, _ in EditLineReader.call(editLine) { $0.text.insertDraft() } }
  }

  private func answer(_ need: ReadingSignals.Need) {
    switch need {
    case .drop(let origin):
      keys.drop(at: origin)
      search.end()
      completion.close()
      finishLine(mark: "^C")
      result = .interrupted
    case .stop(let origin):
      // What a process stops goes on where it was, also amid a key.
      if origin == .key { keys.drop(at: origin) }
      // What comes next is written after the text, not into it.
      screen.showSilently(lastView(of: buffer.line.text))
      leaveTerminal()
      signals?.perform(.stop)
      enterTerminal()
    case .resume:
      leaveTerminal()
      enterTerminal()
    case .resize:
      screen.measure()
      screen.showResized(view(of: buffer.line))
    case .end(let signal):
      finishLine()
      leaveTerminal()
      signals?.perform(signal)
      enterTerminal()
    }
  }

  /// Gives the terminal to another program.
  func leaveTerminal() {
    screen.markPastes(false)
    setRawMode(false)
  }

  /// Takes the terminal back; the line will be drawn where the cursor is then.
  func enterTerminal() {
    // The signal to go on was part of being stopped.
    _ = SignalInbox.take(.resume)
    setRawMode(true)
    screen.markPastes(true)
    screen.forget()
    screen.measure()
  }
}
