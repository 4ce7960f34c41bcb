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
    // The statement is shown again at the same place afterwards.
    screen.showSilently(plainView(of: EditedLine(before: "", after: "")))
    leaveTerminal()
    // If the editor is suspended, so is this program.
    signals?.finish()
    signals = nil
    let edited = edit(line.text)
    signals = ReadingSignals()
    _ = SignalInbox.take(.interrupt)
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
    if let companion = assistance.companion, !search.isActive {
      view.surroundings = companion.surroundings(of: line.text, in: screen.size)
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
