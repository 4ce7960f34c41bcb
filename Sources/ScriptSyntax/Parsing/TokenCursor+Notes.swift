/// Notes for a text that is being typed.
extension TokenCursor {
  /// Whether a token represents the word at the cursor.
  func isCursor(_ token: Token) -> Bool {
    guard let notes else { return false }
    return token.range.lowerBound == notes.offset
      && (token.kind == .word || token.kind == .variable)
  }

  /// Notes what could be here, where the cursor is here.
  func note(_ want: CursorPlace.Want) {
    guard let notes, isCursor(token) else { return }
    notes.add(want, by: self)
  }

  /// Notes a fixed word that could be here.
  func note(word: String) {
    guard notes != nil else { return }
    note(.word(word))
  }

  /// Notes a key of a key path, where the cursor is directly after the dot of one.
  func noteKey(of source: String) {
    guard let notes, notes.wants.isEmpty else { return }
    let bytes = self.source.bytes
    var end = notes.offset
    let isOperator = end > 0 && bytes[end - 1] == Byte.at
    if isOperator { end -= 1 }
    var keys: [String] = []
    while end > 0, bytes[end - 1] == Byte.dot {
      let start = CursorNotes.startOfWord(endingAt: end - 1, in: Array(bytes[..<(end - 1)]))
      guard start < end - 1 else { return }
      keys.insert(String(decoding: bytes[start..<(end - 1)], as: UTF8.self), at: 0)
      end = start
    }
    guard !keys.isEmpty else { return }
    notes.add(.key(of: source, behind: keys, isOperator: isOperator), by: self)
  }

  /// Notes a statement that could begin here.
  ///
  /// A value is returned only where a callback gives one.
  func noteStatement() {
    guard notes != nil else { return }
    let words = StatementWord.all
    note(
      .statement(words: givesValue ? words : words.filter { $0 != StatementWord.return.rawValue }))
  }
}
