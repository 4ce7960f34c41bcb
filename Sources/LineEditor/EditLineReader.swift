import CLibEdit
import Platform

/// A reader for a person at a terminal, with editing, history and completion.
///
/// The whole statement is one text, whose lines can all be edited. The lines after the first show
/// the continuation prompt.
///
/// - Enter ends a complete statement, wherever the cursor is. In an incomplete statement it inserts
///   a line end. Alt-Enter always inserts a line end.
/// - Ctrl-C drops all lines of the statement.
/// - Ctrl-D in an empty statement ends the input. On an empty last line it does so too, and drops
///   the lines above, as in psql.
/// - Up and Down move between lines. Beyond the first and last line they show the history entries
///   that begin with the text before the cursor. Alt-P and Alt-N always show entries; Ctrl-R
///   searches them.
/// - Tab completes. A paste is one insertion.
///
/// `~/.editrc` is read, so `bind -v` there selects vi's keys. Only one reader may exist at a time,
/// because a process has one standard input. Not Sendable: it belongs to the thread that reads.
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

  // The handlers of the keys.
  let text: TextKeys
  let words: WordKeys
  let entries: HistoryKeys
  let completion: CompletionMode
  let search: SearchMode
  let paste: PasteReader
  let undo: UndoKeys

  /// The text that the next line begins with, for the user to continue.
  package var draft: String?

  /// Returns whether a text becomes an entry of the history.
  package var isEntry: (String) -> Bool = { _ in true }

  /// Whether the system knows the terminal type that `TERM` names.
  ///
  /// An unknown type is treated as an xterm.
  package let isTerminalKnown: Bool

  /// The function that the next press of `deferredKey` runs.
  var deferred: EditorKey.Function?

  /// Whether Ctrl-X was typed, and the key after it was not yet.
  private var isAfterPrefix = false

  /// The part of a key that libedit has not received yet.
  private var fed: [Unicode.Scalar] = []

  /// Whether libedit types a text for the key that `fed` is.
  private var isMacro = false

  /// Whether libedit is asked for the rest of such a text.
  private var takesMacro = false

  /// Whether the panes were told about the pause since the last key.
  var hasRested = true

  /// Whether everything that was typed before this line began has been read.
  private var hasWaited = false

  /// Returns whether a text needs no further line.
  var isComplete: (String) -> Bool = { _ in true }

  /// The result of reading, as soon as it is known.
  var result: ReadResult?

  /// Creates the editor of standard input and output.
  ///
  /// From now on, SIGINT raises `InterruptFlag`. If the locale does not use UTF-8, that of
  /// `C.UTF-8` is used. Returns nil if no line can be edited, because input or output is not a
  /// terminal, the terminal understands plain text only, or `~/.editrc` has `edit off`. In that
  /// case, use `PlainReader`.
  ///
  /// - Parameters:
  ///   - program: The program's name in `~/.editrc`.
  ///   - history: The history of earlier entries.
  ///   - assistance: Knows the meaning of the text.
  ///   - painter: Draws the line.
  ///   - typedAhead: Bytes that were typed and read earlier.
  ///   - reports: Receives what tests need to know about libedit.
  package init?(
    program: String,
    history: LineHistory,
    assistance: LineAssistance = LineAssistance(),
    painter: any LinePainter = LineDisplay(reflows: TerminalSettings.reflows),
    typedAhead: [UInt8] = [],
    reports: LineReports = LineReports()
  ) {
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardOutput.isTerminal,
      TerminalSettings.obeysSequences
    else { return nil }

    TerminalSettings.useUTF8()
    guard let drawing = DiscardedOutput(), let noTerminal = fopen("/dev/null", "r"),
      let editLine = frc_el_init(program, drawing.stream), let editHistory = history_winit()
    else { return nil }
    let buffer = LineBuffer(editLine, reports: reports)
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
    guard frc_el_edits(editLine) != 0 else { return nil }
    InterruptFlag.install()
  }

  deinit {
    el_end(editLine)
    history_wend(editHistory)
    fclose(noTerminal)
  }

  /// The number of history entries that libedit gets, for those of its functions that a user binds.
  private static var libeditEntries: Int { 1000 }

  /// Reads a statement; see `LineReader`.
  ///
  /// A prompt may contain escape sequences, each enclosed in `\u{1}`.
  package func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult {
    InterruptFlag.beginReading()
    history.refresh()
    self.prompt = Prompt(prompt)
    self.continuationPrompt = Prompt(continuationPrompt)
    let result = withoutActuallyEscaping(isComplete) { isComplete in
      self.isComplete = isComplete
      defer { self.isComplete = { _ in true } }
      return editStatement()
    }
    if case .text(let text) = result, isEntry(text), history.add(text),
      let entry = history.entries.last
    {
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
    isAfterPrefix = false
    feed([])
    result = nil
    hasWaited = false
    hasRested = false
    assistance.panes?.leave()
    defer { assistance.panes?.leave() }
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
      // The input has ended, or one of libedit's own keys has ended the line.
      let text = line.map { Self.text(of: $0, count: Int(count)) }
      finishLine(showing: text)
      result = text.map(ReadResult.text) ?? .endOfInput
    }
    screen.markPastes(false)
    // Without raw mode, Ctrl-C is a signal.
    if case .text? = result { InterruptFlag.beginWork() }
    setRawMode(false)
    signals?.finish()
    signals = nil
    return result ?? .endOfInput
  }

  /// Gives libedit a virtual screen that is larger than any statement.
  ///
  /// In a text higher than its screen, libedit counts the rows wrongly and writes out of bounds.
  /// Before each line it asks for the size of its input, so its input is not a terminal except
  /// while the mode is set; see `setRawMode(_:)`.
  private func giveLargeScreen() {
    frc_el_set_input(editLine, noTerminal)
    frc_el_set_capability(editLine, "li", "4000")
    frc_el_set_capability(editLine, "co", "100")
  }

  /// Switches the terminal between raw mode, which sends each key at once, and the system's line
  /// editing.
  ///
  /// libedit would set raw mode only when it reads the first key, after the prompt. The system
  /// would take a key that is typed in between.
  private func setRawMode(_ isRaw: Bool) {
    if isRaw { mode = KeyMode(.standardInput) }
    frc_el_set_input(editLine, nil)
    frc_el_set_int(editLine, EL_PREP_TERM, isRaw ? 1 : 0)
    frc_el_set_input(editLine, noTerminal)
    if isRaw { mode?.takeAllKeys(farewell: LineScreen.farewell) } else { mode?.leave() }
  }

  /// Returns the line that libedit gives, without the line end.
  private static func text(of line: UnsafePointer<wchar_t>, count: Int) -> String {
    // The line may contain NULs, and may not end with one.
    let text = String(wide: UnsafeBufferPointer(start: line, count: count))
    return text.last == "\n" ? String(text.dropLast()) : text
  }

  /// Adds an entry to libedit's history, for vi's keys.
  private func enter(_ entry: String) {
    entry.withWide { _ = frc_history_enter(editHistory, $0) }
  }

  /// Returns the editor that libedit calls.
  ///
  /// Each call of libedit comes here first, and libedit reads each of its characters by such a call.
  /// So the cursor is in the text, and there is room, before anything uses the line after a command
  /// of libedit.
  private static func of(_ editLine: OpaquePointer?) -> EditLineReader? {
    guard let data = frc_el_client_data(editLine) else { return nil }
    let reader = Unmanaged<EditLineReader>.fromOpaque(data).takeUnretainedValue()
    reader.buffer.keepCursorInText()
    reader.buffer.keepRoom()
    return reader
  }

  /// Runs the function of a key when libedit calls it.
  static func call(
    _ editLine: OpaquePointer?, _ function: (EditLineReader) -> KeyResult
  ) -> UInt8 {
    guard let reader = of(editLine) else { return KeyResult.refused.code }
    let result = function(reader)
    if result != .nothing, reader.vi.isCommand, reader.result == nil { reader.stayOnCharacter() }
    return result.code
  }

  /// Moves the cursor onto the last character of a row, because in vi's command mode it cannot be
  /// after it.
  private func stayOnCharacter() {
    let line = buffer.line
    guard line.after.first?.isNewline ?? true, let last = line.before.last, !last.isNewline
    else { return }
    buffer.moveCursor(by: -last.unicodeScalars.count)
  }
}

// MARK: - Reading

extension EditLineReader {
  /// Gives libedit the next character.
  ///
  /// Draws the line while it waits for one.
  ///
  /// - Returns: 1 with a character, 0 at the end of the input, -1 if the line is dropped.
  private func readScalar(into scalar: UnsafeMutablePointer<wchar_t>?) -> CInt {
    if takesMacro { return 0 }
    while result == nil {
      if let next = fed.first {
        if fed.count == 1, isMacro { interceptMacro(of: next) }
        fed.removeFirst()
        scalar?.pointee = wchar_t(bitPattern: next.value)
        return 1
      }
      // A command that takes the next key, such as vi's `f`, has used it as its argument.
      deferred = nil
      if let held = vi.takeHeld() {
        feed(held)
        continue
      }
      if let need = signals?.next() {
        answer(need)
        continue
      }
      // Characters that arrive together, such as a paste without marks, are drawn once.
      if !search.isActive, !completion.hasChosen { undo.note(isAwaited: !input.isReady) }
      if !input.isReady {
        if let question = vi.ask() {
          feed(question)
          continue
        }
        draw()
        hasWaited = true
      }
      let endsEscape =
        bindings.isEscapeKey || search.isActive || completion.isChoosing || panesHaveKeys
      switch keys.next(endsEscape: endsEscape, within: patience) {
      case .rest: rest()
      case .key(let key): feed(vi.pass(scalars(for: key)))
      case .end: return 0
      case .signal: continue
      }
    }
    SystemError.interrupted.makeLast()
    return -1
  }

  /// Sets what libedit gets next.
  private func feed(_ scalars: [Unicode.Scalar]) {
    fed = scalars
    isMacro = bindings.isMacro(scalars)
  }

  /// Makes libedit call the editor before it types the text of a key.
  ///
  /// libedit would run all commands of the text without a call in between.
  private func interceptMacro(of last: Unicode.Scalar) {
    if vi.isCommand, bindings.takesNext(last) { return }
    deferred = { editLine, _ in EditLineReader.call(editLine) { $0.takeMacro() } }
    String(Character(ViMode.question)).withWide { el_wpush(editLine, $0) }
  }

  /// Takes the text that libedit is about to type, which then comes as if the user had typed it.
  private func takeMacro() -> KeyResult {
    var text = String.UnicodeScalarView()
    var next: wchar_t = 0
    takesMacro = true
    while el_wgetc(editLine, &next) == 1 {
      text.append(Unicode.Scalar(UInt32(bitPattern: next)) ?? "\u{FFFD}")
    }
    takesMacro = false
    return input.typeAhead(String(text)) ? .nothing : .refused
  }

  /// Offers a key to all that handle keys before libedit.
  ///
  /// - Returns: The input that libedit gets for it: only characters and sequences that it knows.
  private func scalars(for key: TerminalKey) -> [Unicode.Scalar] {
    if text.takes(key) { return [] }
    if panesHaveKeys, takesForPanes(key) { return [] }
    var key = key
    if search.isActive {
      if bindings.isEscapeKey, case .alt(let typed) = key, typed != "\r", typed != "\n" {
        // In vi, Escape has ended the search, and a key follows directly.
        _ = input.typeAhead(String(Character(typed)))
        key = .escape
      }
      guard let rest = search.key(key) else {
        if search.isActive { return [] }
        // In vi's command mode, the cursor must be on a character again.
        return run { editLine, _ in EditLineReader.call(editLine) { _ in .done } }
      }
      key = rest
    }
    hasRested = false
    if isAfterPrefix { return scalars(afterPrefix: key) }
    switch key {
    case .character("\u{18}"):
      isAfterPrefix = true
      return []
    case .character("\t") where !hasWaited && input.isReady:
      // This tab is in a text that was pasted while a statement ran.
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
  private func scalars(afterPrefix key: TerminalKey) -> [Unicode.Scalar] {
    isAfterPrefix = false
    switch key {
    case .character("\u{05}"):
      return run { editLine, _ in EditLineReader.call(editLine) { $0.editDraft() } }
    case .character("\u{15}"):
      return run { editLine, _ in EditLineReader.call(editLine) { $0.undo.undo() } }
    case .character(let typed) where bindings.usesPrefix: return ["\u{18}", typed]
    case .report:
      isAfterPrefix = true
      return []
    case .character, .escape, .alt, .sequence:
      return run { _, _ in KeyResult.refused.code }
    case .paste: return scalars(for: key)
    }
  }

  /// - Parameters:
  ///   - sequence: The characters that a key sends after Escape.
  ///   - isAlt: Whether the sequence is a single character.
  private func scalars(of sequence: String, isAlt: Bool) -> [Unicode.Scalar] {
    switch bindings.meaning(of: sequence, isAlt: isAlt) {
    case .action(let action): return run(action)
    case .libedit: return ["\u{1B}"] + sequence.unicodeScalars
    case .nothing: return run { _, _ in KeyResult.refused.code }
    }
  }

  /// Makes libedit run an action as the function of a key.
  ///
  /// - Returns: The input that libedit gets for it.
  private func run(_ action: @escaping EditorKey.Function) -> [Unicode.Scalar] {
    deferred = action
    return [ViMode.question]
  }

  /// Starts the line with a text.
  private func typeAhead(_ draft: String) {
    // libedit takes a text up to its first NUL.
    text.draft = draft.filter { $0 != "\0" }
    feed(
      run { editLine, _ in EditLineReader.call(editLine) { $0.text.insertDraft() } })
  }

  private func answer(_ need: ReadingSignals.Need) {
    switch need {
    case .drop(let origin):
      keys.drop(at: origin)
      input.dropTypedAhead()
      search.end()
      completion.close()
      finishLine(mark: "^C")
      result = .interrupted
    case .stop(let origin):
      // A stop by another process continues at the same place, even in the middle of a key.
      if origin == .key { keys.drop(at: origin) }
      // The next output is written after the text, not into it.
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

  /// Leaves the terminal to another program.
  func leaveTerminal() {
    screen.markPastes(false)
    setRawMode(false)
  }

  /// Takes the terminal back.
  ///
  /// The line is then drawn at the cursor.
  func enterTerminal() {
    // The program may have been stopped while it did not read keys.
    _ = PendingSignals.take(.resume)
    setRawMode(true)
    screen.markPastes(true)
    screen.forget()
    screen.measure()
  }
}
