import CLibEdit

extension EditLineReader {
  /// Completes the text before the cursor as far as it is certain, or lists
  /// what can stand there.
  func complete() -> KeyResult {
    guard let completions else { return .refused }
    let line = line
    let before = openBlock + line.before
    let completion = completions(before + line.after, before.utf8.count)
    // Only what is in the line being edited can be replaced.
    guard completion.replacementStart >= openBlock.utf8.count,
      completion.replacementStart <= before.utf8.count
    else { return .refused }
    let typed = String(
      decoding: before.utf8.dropFirst(completion.replacementStart), as: UTF8.self)

    switch completion.step(from: typed) {
    case .nothing:
      return .refused
    case .replace(let text):
      deleteBackward(typed)
      insert(text)
      return .refresh
    case .list:
      list(completion.candidates, below: line)
      return .refresh
    }
  }

  /// Prints `candidates` below the text, which is then drawn again below them.
  private func list(_ candidates: [String], below line: Line) {
    moveCursorToEnd()
    whenShown { [self] in
      let size = TerminalSize(of: 1) ?? TerminalSize(columns: 80, rows: 24)
      let rows = CandidateList(candidates, fitting: size).rows
      let isAtEdge = (shownPrompt + line.text).endPosition(columns: size.columns).column == 0
      write((isAtEdge ? "" : "\n") + rows.map { $0 + "\n" }.joined())
      moveCursor(by: -line.after.unicodeScalars.count)
      // Forgets what was drawn; to return would erase upwards from here.
      frc_el_refresh(editLine)
      return .done
    }
  }
}
