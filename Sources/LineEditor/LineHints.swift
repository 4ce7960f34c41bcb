/// The hint after the text, which shows how a line may continue.
struct LineHints {
  let buffer: LineBuffer
  let history: LineHistory
  let assistance: LineAssistance
  let search: SearchMode
  let completion: CompletionMode

  /// Returns how a line may continue: as in the newest entry that begins with it, or else as the
  /// language allows.
  ///
  /// Returns an empty text if the hint would look like typed text.
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

  /// Inserts the hint, or its first part.
  ///
  /// - Returns: Whether there was a hint.
  func take(_ part: (String) -> String = { $0 }) -> Bool {
    let line = buffer.line
    guard line.after.isEmpty else { return false }
    let hint = part(hint(for: line))
    buffer.insert(hint)
    return !hint.isEmpty
  }
}
