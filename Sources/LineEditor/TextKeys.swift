/// The keys that move over and delete characters as a person sees them;
/// libedit's own functions would part a letter from its accents.
final class TextKeys {
  private let buffer: LineBuffer
  private let input: TerminalInput
  private let assistance: LineAssistance
  private let hints: LineHints
  /// How many of the blanks before the cursor a person who types an indentation
  /// of their own has not yet typed over.
  private var blanksToTypeOver = 0
  /// Whether the next character is inserted, whatever it would do as a key.
  private var quotesNext = false
  /// What the line begins with.
  var draft = ""

  init(_ buffer: LineBuffer, input: TerminalInput, assistance: LineAssistance, hints: LineHints) {
    self.buffer = buffer
    self.input = input
    self.assistance = assistance
    self.hints = hints
  }

  /// Begins another line.
  func begin() {
    blanksToTypeOver = 0
    quotesNext = false
  }

  /// Inserts what the line begins with.
  func insertDraft() -> KeyResult {
    buffer.insert(draft)
    draft = ""
    return .done
  }

  func insertTab() -> KeyResult {
    buffer.insert("\t")
    return .done
  }

  /// Has the next character inserted as it is.
  func quoteNext() -> KeyResult {
    quotesNext = true
    return .done
  }

  func breakLine() -> KeyResult {
    // What comes in one go is a paste without marks, and has its blanks.
    let indentation = input.isReady ? "" : assistance.indentation(buffer.line.before)
    buffer.insert("\n" + indentation)
    blanksToTypeOver = indentation.count
    return .done
  }

  /// Inserts a bracket that closes a block; at the start of a line it goes back
  /// to where the block began.
  func closeBlock(_ bracket: Unicode.Scalar) -> KeyResult {
    let before = buffer.line.before
    if let end = before.lastIndex(where: \.isNewline) {
      let blanks = before[before.index(after: end)...]
      let indentation = assistance.indentation(String(before[..<end]))
      if blanks.count >= 2, blanks.allSatisfy({ $0 == " " }), blanks == indentation {
        buffer.deleteBackward("  ")
      }
    }
    buffer.insert(String(Character(bracket)))
    return .done
  }

  func moveLeft() -> KeyResult {
    guard let character = buffer.line.before.last else { return .refused }
    buffer.moveCursor(by: -character.unicodeScalars.count)
    return .done
  }

  func moveRight() -> KeyResult {
    guard let character = buffer.line.after.first else { return hints.take() ? .done : .refused }
    buffer.moveCursor(by: character.unicodeScalars.count)
    return .done
  }

  func deleteLeft() -> KeyResult {
    guard let character = buffer.line.before.last else { return .refused }
    buffer.deleteBackward(String(character))
    return .done
  }

  func deleteRight() -> KeyResult {
    guard let character = buffer.line.after.first else { return .refused }
    buffer.moveCursor(by: character.unicodeScalars.count)
    buffer.deleteBackward(String(character))
    return .done
  }

  /// Whether a key goes no further than here.
  func takes(_ key: TerminalKey) -> Bool {
    if key == .report { return true }
    if quotesNext {
      quotesNext = false
      // The editor cannot hold a NUL.
      if case .character(let typed) = key, typed.value != 0 {
        buffer.insert(String(Character(typed)))
        return true
      }
    }
    return typesOver(key)
  }

  /// Takes a blank at a line's start for one of those that the line began with
  /// by itself, so that an indentation that is typed is not added to it.
  private func typesOver(_ key: TerminalKey) -> Bool {
    guard key == .character(" "), blanksToTypeOver > 0 else {
      blanksToTypeOver = 0
      return false
    }
    blanksToTypeOver -= 1
    return true
  }
}
