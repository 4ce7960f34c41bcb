/// The hint after the text: how a line may go on.
struct LineHints {
  let buffer: LineBuffer
  let history: LineHistory
  let assistance: LineAssistance
  let search: SearchMode
  let completion: CompletionMode

  /// How a line may go on: as the newest entry that begins so, else as the
  /// language does.
  ///
  /// Nothing where a hint looks like typed text.
  func hint(for line: EditedLine) -> String {
    guard line.after.isEmpty, !assistance.styles.hint.isPlain, !completion.isOpen, !search.isActive,
      line.before.contains(where: { !$0.isWhitespace })
    else { return "" }
    let text = line.before
    if let entry = history.newest(beginningWith: text) {
      return String(entry.dropFirst(text.count))
    }
    return assistance.hint(text) ?? ""
  }

  /// Inserts the hint, or a first part of it.
  ///
  /// - Returns: Whether there was one.
  func take(_ part: (String) -> String = { $0 }) -> Bool {
    let line = buffer.line
    guard line.after.isEmpty else { return false }
    let hint = part(hint(for: line))
    buffer.insert(hint)
    return !hint.isEmpty
  }
}
