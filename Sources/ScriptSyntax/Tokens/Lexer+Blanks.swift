extension Lexer {
  /// The text between two tokens.
  struct Blanks {
    /// The offset of the next visible text.
    var end: Int
    /// The first line end in between that is not joined by a `\`.
    var lineEnd: Int?
    /// Whether nothing but blanks comes before `end` on its line.
    var startsLine: Bool
    /// Whether a `\` is not followed by another line.
    var isOpen = false
  }

  /// Skips blanks, line ends and comments.
  func skipBlanks(from offset: Int) -> Blanks {
    var blanks = Blanks(end: offset, startsLine: beginsLine(offset))
    while let byte = byte(at: blanks.end) {
      if let length = lengthOfBlank(at: blanks.end) {
        blanks.end += length
      } else if byte == Byte.lineFeed {
        blanks.lineEnd = blanks.lineEnd ?? blanks.end
        blanks.end += 1
        blanks.startsLine = true
      } else if isComment(at: blanks.end, startsLine: blanks.startsLine) {
        blanks.end = endOfLine(from: blanks.end)
      } else if let next = joinedLine(at: blanks.end) {
        blanks.end = next
        blanks.startsLine = true
        blanks.isOpen = next == bytes.count
      } else {
        break
      }
    }
    return blanks
  }

  /// Returns the end of the line that contains `offset`, before its line feed.
  func endOfLine(from offset: Int) -> Int {
    bytes[min(offset, bytes.count)...].firstIndex(of: Byte.lineFeed) ?? bytes.count
  }

  /// Returns the length of the blank at `offset`, or nil if there is none.
  ///
  /// The wide blank of East Asian keyboards counts as a blank.
  func lengthOfBlank(at offset: Int) -> Int? {
    guard let byte = byte(at: offset) else { return nil }
    switch byte {
    case 0x20, 0x09, 0x0B, 0x0C, 0x0D: return 1
    case 0..<0x80: return nil
    case 0xEF where offset == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]): return 3
    default:
      guard let (scalar, length) = scalar(at: offset) else { return nil }
      return scalar == "\u{3000}" || scalar == "\u{A0}" ? length : nil
    }
  }

  private func beginsLine(_ offset: Int) -> Bool {
    offset == 0 || bytes[offset - 1] == Byte.lineFeed
      || (offset == 3 && bytes.starts(with: [0xEF, 0xBB, 0xBF]))
  }

  /// Whether a comment begins at `offset`: `#` as the first visible character
  /// of a line, or between blanks.
  private func isComment(at offset: Int, startsLine: Bool) -> Bool {
    guard byte(at: offset) == Byte.hash else { return false }
    if startsLine { return true }
    guard followsBlank(offset) else { return false }
    guard let next = byte(at: offset + 1) else { return true }
    return next == Byte.lineFeed || lengthOfBlank(at: offset + 1) != nil
  }

  private func followsBlank(_ offset: Int) -> Bool {
    [1, 2, 3].contains { length in
      offset >= length && lengthOfBlank(at: offset - length) == length
    }
  }

  /// Returns the start of the next line, if the `\` at `offset` ends its line.
  private func joinedLine(at offset: Int) -> Int? {
    guard byte(at: offset) == Byte.backslash else { return nil }
    var end = offset + 1
    while let length = lengthOfBlank(at: end) { end += length }
    if isComment(at: end, startsLine: false) { end = endOfLine(from: end) }
    guard let byte = byte(at: end) else { return end }
    return byte == Byte.lineFeed ? end + 1 : nil
  }

  // MARK: Continuation lines

  /// Whether the line that begins with the text at `offset` continues the one before.
  ///
  /// It does if it begins with one of some clause words, AND, OR, `&&` or `||`.
  func beginsContinuation(at offset: Int, _ clauses: ClauseWords) -> Bool {
    guard let byte = byte(at: offset), byte < 0x80 else { return false }
    if !Byte.isLetter(byte) {
      return (byte == UInt8(ascii: "&") || byte == UInt8(ascii: "|"))
        && self.byte(at: offset + 1) == byte
    }
    guard let (word, end) = lowercaseWord(at: offset) else { return false }
    switch word {
    case "AND", "OR", "and", "or": return !isNamed(after: end)
    default:
      guard clauses != .none, let clause = ClauseWord(firstWord: word), clauses.contain(clause),
        !isNamed(after: end)
      else { return false }
      var next = end
      while let length = lengthOfBlank(at: next) { next += length }
      let second = lowercaseWord(at: next)?.word
      if clause == .batch, let second, BatchWord(rawValue: second) != nil { return false }
      return clause.secondWord.map { $0 == second } ?? true
    }
  }

  /// Returns a word of ASCII letters that is no longer than any clause word.
  private func lowercaseWord(at offset: Int) -> (word: String, end: Int)? {
    var end = offset
    while end - offset <= ClauseWord.longest, let byte = byte(at: end), Byte.isLetter(byte) {
      end += 1
    }
    guard end > offset, endOfName(at: offset) == end else { return nil }
    return (String(decoding: bytes[offset..<end], as: UTF8.self), end)
  }

  /// Whether the word that ends at `offset` is a name, because `:`, `=`, `+=`, `-=` or `.` follows
  /// it.
  func isNamed(after offset: Int) -> Bool {
    var next = offset
    while let length = lengthOfBlank(at: next) { next += length }
    switch byte(at: next) {
    case Byte.colon: return true
    case Byte.dot: return byte(at: next + 1) != Byte.dot
    case Byte.equals:
      let second = byte(at: next + 1)
      return second != Byte.equals && second != UInt8(ascii: "<") && second != UInt8(ascii: ">")
    case Byte.plus, Byte.minus: return byte(at: next + 1) == Byte.equals
    default: return false
    }
  }
}
