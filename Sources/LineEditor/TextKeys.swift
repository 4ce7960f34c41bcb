/// The keys that move over characters and delete them as a person sees them.
///
/// libedit's own functions would separate a letter from its accents.
final class TextKeys {
  private let buffer: LineBuffer
  private let input: TerminalInput
  private let assistance: LineAssistance
  private let hints: LineHints
  /// The number of automatic blanks before the cursor that typed blanks still replace.
  private var blanksToTypeOver = 0
  /// Whether the next character is inserted, even if it is a key with a function.
  private var quotesNext = false
  /// The text that the line begins with.
  var draft = ""

  init(_ buffer: LineBuffer, input: TerminalInput, assistance: LineAssistance, hints: LineHints) {
    self.buffer = buffer
    self.input = input
    self.assistance = assistance
    self.hints = hints
  }

  /// Starts another line.
  func begin() {
    blanksToTypeOver = 0
    quotesNext = false
  }

  /// Inserts the text that the line begins with.
  func insertDraft() -> KeyResult {
    buffer.insert(draft)
    draft = ""
    return .done
  }

  func insertTab() -> KeyResult {
    buffer.insert("\t")
    return .done
  }

  /// Makes the next character be inserted unchanged.
  func quoteNext() -> KeyResult {
    quotesNext = true
    return .done
  }

  func breakLine() -> KeyResult {
    // Characters that arrive together are a paste without marks, which has its own blanks.
    let indentation = input.isReady ? "" : assistance.indentation(buffer.line.before)
    buffer.insert("\n" + indentation)
    blanksToTypeOver = indentation.count
    return .done
  }

  /// Inserts a closing bracket.
  ///
  /// At the start of a line, first removes one level of automatic indentation.
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

  /// Whether a key is handled here and goes no further.
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

  /// Replaces an automatic character by a typed one: a blank at the start of a line, so that a
  /// typed indentation is not added to the automatic one, or a completed bracket.
  private func typesOver(_ key: TerminalKey) -> Bool {
    if hints.completion.typesOver(key) { return true }
    guard key == .character(" "), blanksToTypeOver > 0 else {
      blanksToTypeOver = 0
      return false
    }
    blanksToTypeOver -= 1
    return true
  }
}
