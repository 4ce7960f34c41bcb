/// Moving and deleting by lines and words. libedit's own functions know only
/// the whole text; what they delete cannot be had, so these have a buffer of
/// their own.
extension EditLineReader {
  func moveToLineStart() -> KeyResult {
    moveCursor(by: -lineStart.unicodeScalars.count)
    return .done
  }

  func moveToLineEnd() -> KeyResult {
    moveCursor(by: lineEnd.unicodeScalars.count)
    return .done
  }

  /// Deletes up to the end of the line; at its end the line end.
  func killToLineEnd() -> KeyResult {
    let text = lineEnd
    return kill(after: text.isEmpty ? String(line.after.prefix(1)) : text)
  }

  /// Deletes back to the start of the line; at its start the line end.
  func killToLineStart() -> KeyResult {
    let text = lineStart
    return kill(before: text.isEmpty ? String(line.before.suffix(1)) : text)
  }

  /// Deletes back to a blank.
  func killBlankWord() -> KeyResult {
    kill(before: line.before.suffixWord { !$0.isWhitespace })
  }

  /// Deletes back to the start of a word.
  func killWordLeft() -> KeyResult {
    kill(before: line.before.suffixWord(of: Self.isInWord))
  }

  /// Deletes up to the end of a word.
  func killWordRight() -> KeyResult {
    let after = line.after
    let start = after.firstIndex(where: Self.isInWord) ?? after.endIndex
    let end = after[start...].firstIndex { !Self.isInWord($0) } ?? after.endIndex
    return kill(after: String(after[..<end]))
  }

  /// Inserts what was deleted last.
  func yank() -> KeyResult {
    guard !killed.isEmpty else { return .refused }
    insert(killed)
    return .done
  }

  /// What is before the cursor in its line.
  private var lineStart: String {
    let before = line.before
    return String(before[before.startOfLastLine...])
  }

  /// What is behind the cursor in its line.
  private var lineEnd: String {
    String(line.after.prefix { !$0.isNewline })
  }

  private static func isInWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private func kill(before text: String) -> KeyResult {
    guard !text.isEmpty else { return .refused }
    killed = text
    deleteBackward(text)
    return .done
  }

  private func kill(after text: String) -> KeyResult {
    moveCursor(by: text.unicodeScalars.count)
    return kill(before: text)
  }
}

extension String {
  fileprivate var startOfLastLine: Index {
    lastIndex(where: \.isNewline).map(index(after:)) ?? startIndex
  }

  /// The last characters that make a word, and what is behind them.
  fileprivate func suffixWord(of isInWord: (Character) -> Bool) -> String {
    guard let last = lastIndex(where: isInWord) else { return self }
    let start = self[..<last].lastIndex { !isInWord($0) }.map(index(after:)) ?? startIndex
    return String(self[start...])
  }
}
