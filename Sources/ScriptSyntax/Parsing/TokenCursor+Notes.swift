/// Recording of what a text that is being typed could contain at the cursor.
extension TokenCursor {
  /// Whether a token is the placeholder for the word at the cursor.
  func isCursor(_ token: Token) -> Bool {
    guard let notes else { return false }
    return token.range.lowerBound == notes.offset
      && (token.kind == .word || token.kind == .variable)
  }

  /// Records what could be here, if the cursor is here.
  func note(_ want: CursorPlace.Want) {
    guard let notes, isCursor(token) else { return }
    notes.add(want, by: self)
  }

  /// Records a fixed word that could be here.
  func note(word: String) {
    guard notes != nil else { return }
    note(.word(word))
  }

  /// Records a key of a key path, if the cursor is directly after its dot.
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
    notes.add(.key(of: source, after: keys, isOperator: isOperator), by: self)
  }

  /// Records a statement that could begin here.
  ///
  /// `return` is recorded only in a callback that returns a value.
  func noteStatement() {
    guard notes != nil else { return }
    let words = StatementWord.all
    note(
      .statement(words: givesValue ? words : words.filter { $0 != StatementWord.return.rawValue }))
  }
}
