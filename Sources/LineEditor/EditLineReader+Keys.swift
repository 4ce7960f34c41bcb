import CLibEdit
import Platform

// MARK: - Keys that end the line or concern all of it

extension EditLineReader {
  func enter() -> KeyResult {
    // Enter first accepts the chosen candidate; the next Enter ends the statement.
    if completion.hasChosen {
      completion.close()
      return .done
    }
    let typed = buffer.line.text
    guard isComplete(typed) else { return text.breakLine() }
    finishLine()
    result = .text(typed)
    return .finished
  }

  func deleteRightOrLeave() -> KeyResult {
    let line = buffer.line
    guard line.after.isEmpty, line.before.last?.isNewline ?? true else { return text.deleteRight() }
    finishLine(mark: "^D")
    result = .endOfInput
    return .finished
  }

  func clearScreen() -> KeyResult {
    screen.clear()
    return .done
  }

  /// Opens the statement in the user's editor.
  func editDraft() -> KeyResult {
    guard let edit = assistance.edit else { return .refused }
    let line = buffer.line
    completion.close()
    search.end()
    // The statement is shown again at the same place afterwards, or after a message, which begins
    // there.
    screen.showSilently(LineView(before: "", after: ""))
    leaveTerminal()
    // If the editor is suspended, so is this program.
    signals?.finish()
    signals = nil
    let edited = edit(line.text)
    signals = ReadingSignals()
    _ = PendingSignals.take(.interrupt)
    enterTerminal()
    if let edited {
      buffer.replace(with: EditedLine(before: edited.filter { $0 != "\0" }, after: ""))
    }
    return .done
  }

  /// Runs the function of a key that libedit does not know.
  ///
  /// If no function is pending, the key asked which mode of vi is on.
  func runDeferred(inCommandMode: Bool) -> UInt8 {
    let wasAsked = vi.answer(isCommand: inCommandMode)
    guard let action = deferred else {
      return (wasAsked ? KeyResult.nothing : KeyResult.refused).code
    }
    deferred = nil
    return action(editLine, 0)
  }
}

// MARK: - The screen

extension EditLineReader {
  /// The sign before the prompt in vi's command mode.
  private static var commandSign: String { "[N] " }

  /// Draws the present line.
  func draw() {
    completion.refresh()
    screen.show(view(of: buffer.line))
  }

  /// Draws the line for the last time and moves below it.
  ///
  /// - Parameters:
  ///   - text: The text; nil for the text that is being edited.
  ///   - mark: A text to write after it.
  func finishLine(showing text: String? = nil, mark: String = "") {
    screen.finish(lastView(of: text ?? buffer.line.text), mark: mark)
  }

  func view(of line: EditedLine) -> LineView {
    var view = plainView(of: line)
    view.hint = hints.hint(for: line)
    view.menu = search.preview ?? completion.rows
    if let panes = assistance.panes, !search.isActive {
      view.surroundings = panes.surroundings(of: line.text, in: screen.size)
    }
    return view
  }

  func lastView(of text: String) -> LineView {
    // The sign of vi's mode is not left on the screen.
    var view = plainView(of: EditedLine(before: text, after: ""), showsMode: false)
    view.spans = assistance.spans(text, -1)
    return view
  }

  private func plainView(of line: EditedLine, showsMode: Bool = true) -> LineView {
    var view = LineView(before: line.before, after: line.after)
    view.prompt = search.prompt.map { Prompt($0) } ?? prompt
    view.continuationPrompt = continuationPrompt
    if showsMode, vi.isCommand, !search.isActive {
      view.prompt = prompt.following(Self.commandSign)
      view.continuationPrompt = continuationPrompt.following(
        String(repeating: " ", count: Self.commandSign.count))
    }
    view.spans = assistance.spans(line.text, line.before.utf8.count)
    view.styles = assistance.styles
    return view
  }
}

extension EditLineReader {
  /// The pause in typing after which `rest` of the panes is called, in milliseconds.
  private static let pause: Int32 = 80

  var patience: Int32? {
    assistance.panes == nil || hasRested ? nil : Self.pause
  }

  var panesHaveKeys: Bool { assistance.panes?.takesKeys ?? false }

  /// Tells the panes that the user paused.
  func rest() {
    hasRested = true
    // No key was pressed, so nothing else needs drawing.
    if assistance.panes?.rest(at: buffer.line.text) == true { draw() }
  }

  /// Handles one of the panes' keys.
  func press(_ key: PaneKey) -> KeyResult {
    guard let panes = assistance.panes else { return .refused }
    completion.close()
    guard perform(panes.press(key, at: buffer.line.text)) else { return .refused }
    return result == nil ? .done : .finished
  }

  /// Offers a key to the panes.
  ///
  /// - Returns: Whether the panes handled it.
  func takesForPanes(_ key: TerminalKey) -> Bool {
    guard let panes = assistance.panes else { return false }
    let answer = panes.take(PaneMove(key))
    if answer == .passed { return false }
    // The bell does not ring, because an open list answers each of its keys itself.
    _ = perform(answer)
    return true
  }

  /// - Returns: Whether the key had an effect.
  private func perform(_ answer: PaneKeyEffect) -> Bool {
    switch answer {
    case .refused, .passed: return false
    case .done: return true
    case .replaces(let text):
      buffer.replace(with: EditedLine(before: text, after: ""))
      return true
    case .runs(let text):
      let typed = buffer.line.text
      if !typed.isEmpty { draft = typed }
      finishLine(showing: text)
      result = .text(text)
      return true
    }
  }
}

extension PaneMove {
  init(_ key: TerminalKey) {
    self =
      switch key {
      case .escape, .character("\u{7}"): .escape
      case .character("\n"), .character("\r"): .enter
      case .character("\u{F}"): .key(.timeline)
      case .alt("e"), .alt("E"): .key(.explanation)
      case .alt("c"), .alt("C"): .key(.correction)
      case .sequence("[D"), .sequence("OD"), .character("\u{2}"): .left
      case .sequence("[C"), .sequence("OC"), .character("\u{6}"): .right
      case .sequence("[A"), .sequence("OA"), .character("\u{10}"): .up
      case .sequence("[B"), .sequence("OB"), .character("\u{E}"): .down
      case .sequence("[5~"): .pageUp
      case .sequence("[6~"): .pageDown
      case .sequence("[H"), .sequence("OH"), .sequence("[1~"), .character("\u{1}"): .first
      case .sequence("[F"), .sequence("OF"), .sequence("[4~"), .character("\u{5}"): .last
      case .character, .alt, .sequence, .report, .paste: .other
      }
  }
}

/// The result of a key's function, for libedit.
enum KeyResult {
  /// The text or the cursor may have changed.
  case done
  /// The key has no effect here; the bell rings.
  case refused
  /// Reading is over, and the reader knows the result.
  case finished
  /// Nothing happened; a count that is being typed is kept.
  case nothing

  var code: UInt8 {
    switch self {
    // libedit's drawing is not visible, but libedit has to keep track of it from key to key.
    case .done: UInt8(CC_REFRESH)
    case .refused: UInt8(CC_ERROR)
    case .finished: UInt8(CC_EOF)
    case .nothing: UInt8(CC_ARGHACK)
    }
  }
}
