import TextWidth

extension EditLineReader {
  /// Goes up a row in a text of several, else to an older entry.
  func moveUp() -> KeyResult {
    if isChoosing { return choose(-1) }
    let line = line
    var rows = line.before.lines
    guard rows.count > 1 else { return recallEntry(.older) }
    let column = DisplayWidth.width(of: rows.removeLast())
    let target = (rows.last ?? "").prefix(ofDisplayWidth: column)
    rows[rows.count - 1] = target
    let distance =
      line.before.unicodeScalars.count - rows.joined(separator: "\n").unicodeScalars.count
    moveCursor(by: -distance)
    return .done
  }

  /// Goes down a row in a text of several, else to a newer entry.
  func moveDown() -> KeyResult {
    if isChoosing { return choose(1) }
    let line = line
    let rows = line.after.lines
    guard rows.count > 1 else { return recallEntry(.newer) }
    let column = DisplayWidth.width(of: line.before.lines.last ?? "")
    let target = rows[1].prefix(ofDisplayWidth: column)
    moveCursor(by: rows[0].unicodeScalars.count + 1 + target.unicodeScalars.count)
    return .done
  }

  /// Shows the next entry that begins as the line did before the cursor.
  func recallEntry(_ direction: HistoryRecall.Direction) -> KeyResult {
    let line = line
    let text = line.text
    if recall?.shown != text {
      recall = HistoryRecall(
        prefix: line.before, draft: text, entryCount: history.entries.count)
    }
    guard let entry = recall?.step(direction, in: history.entries) else { return .refused }
    replaceLine(with: Line(before: entry, after: ""))
    return .done
  }
}

extension String {
  /// The text cut at its line ends.
  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// As many characters from the start as fit into `width` cells.
  fileprivate func prefix(ofDisplayWidth width: Int) -> String {
    var rest = width
    return String(
      prefix { character in
        rest -= DisplayWidth.width(of: character)
        return rest >= 0
      })
  }
}
