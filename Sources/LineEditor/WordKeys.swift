/// Moves and deletes by lines and words.
///
/// libedit's own functions know only the text as a whole, and do not reveal what they delete. So
/// these functions keep the deleted text themselves.
final class WordKeys {
  private let buffer: LineBuffer
  private let hints: LineHints
  /// The text that Ctrl-K or a similar key deleted last.
  private var killed = ""

  init(_ buffer: LineBuffer, hints: LineHints) {
    self.buffer = buffer
    self.hints = hints
  }

  func moveToLineStart() -> KeyResult {
    buffer.moveCursor(by: -lineStart.unicodeScalars.count)
    return .done
  }

  func moveToLineEnd() -> KeyResult {
    if hints.take() { return .done }
    buffer.moveCursor(by: lineEnd.unicodeScalars.count)
    return .done
  }

  func moveWordLeft() -> KeyResult {
    buffer.moveCursor(by: -buffer.line.before.suffixWord(of: Self.isInWord).unicodeScalars.count)
    return .done
  }

  /// Moves after the next word.
  ///
  /// At the end of the text, inserts one word of the hint.
  func moveWordRight() -> KeyResult {
    if hints.take(\.prefixWord) { return .done }
    buffer.moveCursor(by: buffer.line.after.prefixWord.unicodeScalars.count)
    return .done
  }

  /// Deletes to the end of the line; at its end, deletes the line end.
  func killToLineEnd() -> KeyResult {
    let text = lineEnd
    return kill(after: text.isEmpty ? String(buffer.line.after.prefix(1)) : text)
  }

  /// Deletes back to the start of the line; at its start, deletes the line end before it.
  func killToLineStart() -> KeyResult {
    let text = lineStart
    return kill(before: text.isEmpty ? String(buffer.line.before.suffix(1)) : text)
  }

  /// Deletes back to a blank.
  func killBlankWord() -> KeyResult {
    kill(before: buffer.line.before.suffixWord { !$0.isWhitespace })
  }

  /// Deletes back to the start of a word.
  func killWordLeft() -> KeyResult {
    kill(before: buffer.line.before.suffixWord(of: Self.isInWord))
  }

  /// Deletes to the end of a word.
  func killWordRight() -> KeyResult {
    kill(after: buffer.line.after.prefixWord)
  }

  /// Inserts the text that was deleted last.
  func yank() -> KeyResult {
    guard !killed.isEmpty else { return .refused }
    buffer.insert(killed)
    return .done
  }

  /// The part of the line before the cursor.
  private var lineStart: String {
    let before = buffer.line.before
    return String(before[before.startOfLastLine...])
  }

  /// The part of the line after the cursor.
  private var lineEnd: String {
    String(buffer.line.after.prefix { !$0.isNewline })
  }

  fileprivate static func isInWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private func kill(before text: String) -> KeyResult {
    guard !text.isEmpty else { return .refused }
    killed = text
    buffer.deleteBackward(text)
    return .done
  }

  private func kill(after text: String) -> KeyResult {
    buffer.moveCursor(by: text.unicodeScalars.count)
    return kill(before: text)
  }
}

extension String {
  fileprivate var startOfLastLine: Index {
    lastIndex(where: \.isNewline).map(index(after:)) ?? startIndex
  }

  /// The first characters up to the end of a word.
  fileprivate var prefixWord: String {
    let start = firstIndex(where: WordKeys.isInWord) ?? endIndex
    return String(self[..<(self[start...].firstIndex { !WordKeys.isInWord($0) } ?? endIndex)])
  }

  /// The last characters that form a word, and the characters after them.
  fileprivate func suffixWord(of isInWord: (Character) -> Bool) -> String {
    guard let last = lastIndex(where: isInWord) else { return self }
    let start = self[..<last].lastIndex { !isInWord($0) }.map(index(after:)) ?? startIndex
    return String(self[start...])
  }
}
