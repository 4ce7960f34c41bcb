/// Notes for a text that is being typed.
extension TokenCursor {
  /// Whether a token stands for the word at the cursor.
  func isCursor(_ token: Token) -> Bool {
    guard let notes else { return false }
    return token.range.lowerBound == notes.offset
      && (token.kind == .word || token.kind == .variable)
  }

  /// Notes what could stand here, where the cursor is here.
  func note(_ want: CursorPlace.Want) {
    guard let notes, isCursor(token) else { return }
    notes.add(want, by: self)
  }

  /// Notes a fixed word that could stand here.
  func note(word: String) {
    guard notes != nil else { return }
    note(.word(word))
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
