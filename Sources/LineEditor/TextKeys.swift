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

  /// Swaps the two characters before the cursor.
  func swapCharacters() -> KeyResult {
    let pair = buffer.line.before.suffix(2)
    guard pair.count == 2 else { return .refused }
    buffer.deleteBackward(String(pair))
    buffer.insert(String(pair.reversed()))
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

/// Finds out which of vi's modes is on.
///
/// libedit does not tell. But a key can have a different function in each mode. So that key is sent
/// to libedit as if it were typed, and the function that runs gives the answer.
final class ViMode {
  private let bindings: KeyBindings
  /// Whether command mode is on, as far as is known.
  private(set) var isCommand = false
  /// Whether the mode may have changed since the last question.
  private var isStale = false
  /// Whether the next character is the argument of a command, as after `f`.
  private var isArgument = false
  /// The input that libedit gets once the mode is known.
  private var held: [Unicode.Scalar] = []

  /// The key with a different function in each mode.
  static let question: Unicode.Scalar = "\u{1E}"

  init(_ bindings: KeyBindings) { self.bindings = bindings }

  /// Starts another line, which always begins in insert mode.
  func begin() {
    isCommand = false
    isStale = false
    isArgument = false
    held = []
  }

  /// Handles libedit's answer.
  ///
  /// - Returns: Whether it was asked for; if not, the user typed the key.
  func answer(isCommand: Bool) -> Bool {
    self.isCommand = isCommand
    return !isStale
  }

  /// Returns the key that asks libedit for the mode; nil if the mode is known, or if libedit would
  /// take the key for a part of a command.
  func ask() -> [Unicode.Scalar]? {
    guard isStale, !isArgument else { return nil }
    isStale = false
    return [Self.question]
  }

  /// Returns the input that was held back until the mode was known.
  func takeHeld() -> [Unicode.Scalar]? {
    guard !held.isEmpty else { return nil }
    defer { held = [] }
    isArgument = isCommand
    isStale = true
    return held
  }

  /// Tracks a key.
  ///
  /// - Returns: The input that libedit gets now: the key, or the question if the key's meaning
  ///   depends on an unknown mode.
  func pass(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    guard bindings.areVi, let first = scalars.first else { return scalars }
    let takesNext = !isArgument && bindings.takesNext(first)
    if takesNext, let question = ask() {
      held = scalars
      return question
    }
    isArgument = takesNext && isCommand
    isStale = true
    return scalars
  }
}
