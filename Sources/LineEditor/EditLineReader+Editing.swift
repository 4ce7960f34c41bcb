/// What the keys do to the text. Characters are moved over and deleted as a
/// person sees them; libedit's own functions would part a letter from its
/// accents.
extension EditLineReader {
  func enter() -> KeyResult {
    // Enter takes a candidate that was chosen, and the next one the statement.
    if isChoosing, menu?.chosen != nil {
      menu = nil
      return .done
    }
    let text = line.text
    guard isComplete(text) else { return breakLine() }
    finishLine()
    result = .text(text)
    return .finished
  }

  func breakLine() -> KeyResult {
    // What comes in one go is a paste without marks, and has its blanks.
    let indentation = input.isReady ? "" : assistance.indentation(line.before)
    insert("\n" + indentation)
    blanksToTypeOver = indentation.count
    return .done
  }

  /// Inserts a bracket that closes a block; at the start of a line it goes back
  /// to where the block began.
  func closeBlock(_ bracket: Unicode.Scalar) -> KeyResult {
    let before = line.before
    if let end = before.lastIndex(where: \.isNewline) {
      let blanks = before[before.index(after: end)...]
      let indentation = assistance.indentation(String(before[..<end]))
      if blanks.count >= 2, blanks.allSatisfy({ $0 == " " }), blanks == indentation {
        deleteBackward("  ")
      }
    }
    insert(String(Character(bracket)))
    return .done
  }

  func moveLeft() -> KeyResult {
    guard let character = line.before.last else { return .refused }
    moveCursor(by: -character.unicodeScalars.count)
    return .done
  }

  func moveRight() -> KeyResult {
    guard let character = line.after.first else { return takeHint() ? .done : .refused }
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
    write(painter.clearScreen())
    return .done
  }

  func runDeferred() -> KeyResult {
    guard let action = deferred else { return .refused }
    deferred = nil
    return action(self)
  }
}
