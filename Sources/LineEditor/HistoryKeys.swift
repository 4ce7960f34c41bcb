import Basics

/// Up, Down and the keys that show older and newer entries.
final class HistoryKeys {
  private let buffer: LineBuffer
  private let history: LineHistory
  private let completion: CompletionMode
  /// The walk whose entry Up and Down show now.
  private var recall: HistoryRecall?

  init(_ buffer: LineBuffer, history: LineHistory, completion: CompletionMode) {
    self.buffer = buffer
    self.history = history
    self.completion = completion
  }

  /// Starts another line.
  func begin() { recall = nil }

  /// Moves up a row in a text of several rows; otherwise shows an older entry.
  func moveUp() -> KeyResult {
    if completion.isChoosing { return completion.choose(-1) }
    let line = buffer.line
    var rows = line.before.lines
    guard rows.count > 1 else { return recallEntry(.older) }
    let column = DisplayWidth.width(of: rows.removeLast())
    let target = (rows.last ?? "").prefix(ofDisplayWidth: column)
    rows[rows.count - 1] = target
    let distance =
      line.before.unicodeScalars.count - rows.joined(separator: "\n").unicodeScalars.count
    buffer.moveCursor(by: -distance)
    return .done
  }

  /// Moves down a row in a text of several rows; otherwise shows a newer entry.
  func moveDown() -> KeyResult {
    if completion.isChoosing { return completion.choose(1) }
    let line = buffer.line
    let rows = line.after.lines
    guard rows.count > 1 else { return recallEntry(.newer) }
    let column = DisplayWidth.width(of: line.before.lines.last ?? "")
    let target = rows[1].prefix(ofDisplayWidth: column)
    buffer.moveCursor(by: rows[0].unicodeScalars.count + 1 + target.unicodeScalars.count)
    return .done
  }

  /// Shows the next entry that begins with the text that was before the cursor.
  func recallEntry(_ direction: HistoryRecall.Direction) -> KeyResult {
    let line = buffer.line
    let text = line.text
    if recall?.shown != text {
      // Other sessions may have added entries in the meantime.
      history.refresh()
      recall = HistoryRecall(
        prefix: line.before, draft: text, entryCount: history.entries.count)
    }
    guard let entry = recall?.step(direction, in: history.entries) else { return .refused }
    buffer.replace(with: EditedLine(before: entry, after: ""))
    return .done
  }
}

extension String {
  /// The text cut at its line ends.
  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the characters from the start that fit into `width` columns.
  fileprivate func prefix(ofDisplayWidth width: Int) -> String {
    var rest = width
    return String(
      prefix { character in
        rest -= DisplayWidth.width(of: character)
        return rest >= 0
      })
  }
}
