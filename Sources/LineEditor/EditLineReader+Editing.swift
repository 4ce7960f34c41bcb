/// What the keys do to the text. Characters are moved over and deleted as a
/// person sees them; libedit's own functions would part a letter from its
/// accents.
extension EditLineReader {
  func enter() -> KeyResult {
    let text = line.text
    guard isComplete(text) else { return breakLine() }
    finishLine()
    result = .text(text)
    return .finished
  }

  func breakLine() -> KeyResult {
    insert("\n")
    return .done
  }

  func moveLeft() -> KeyResult {
    guard let character = line.before.last else { return .refused }
    moveCursor(by: -character.unicodeScalars.count)
    return .done
  }

  func moveRight() -> KeyResult {
    guard let character = line.after.first else { return .refused }
    moveCursor(by: character.unicodeScalars.count)
    return .done
  }

  func deleteLeft() -> KeyResult {
    guard let character = line.before.last else { return .refused }
    deleteBackward(String(character))
    return .done
  }

  func deleteRight() -> KeyResult {
    guard let character = line.after.first else { return .refused }
    moveCursor(by: character.unicodeScalars.count)
    deleteBackward(String(character))
    return .done
  }

  func deleteRightOrLeave() -> KeyResult {
    let line = line
    guard line.after.isEmpty, line.before.last?.isNewline ?? true else { return deleteRight() }
    finishLine(mark: "^D")
    result = .endOfInput
    return .finished
  }

  func clearScreen() -> KeyResult {
    write("\u{1B}[H\u{1B}[2J")
    display.forget()
    return .done
  }

  func runDeferred() -> KeyResult {
    guard let action = deferred else { return .refused }
    deferred = nil
    return action(self)
  }
}
