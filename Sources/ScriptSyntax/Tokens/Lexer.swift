/// Divides a script's text into tokens, depending on their place.
///
/// The lexer has no state. Whether line ends count and what a `#` means depends on the parser's
/// place, and predicates are read by another parser from the same bytes.
struct Lexer {
  let bytes: [UInt8]

  init(_ source: SourceText) { bytes = source.bytes }

  func byte(at offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  /// Returns the first token after `offset`, past blanks and comments.
  ///
  /// - Parameter clauses: The clauses with which a line may continue the one before.
  func token(
    after offset: Int, lineEndsCount: Bool, clauses: ClauseWords = .all
  ) -> Token {
    let blanks = skipBlanks(from: offset)
    if lineEndsCount, let lineEnd = blanks.lineEnd, blanks.end < bytes.count,
      !beginsContinuation(at: blanks.end, clauses)
    {
      return Token(kind: .lineEnd, range: lineEnd..<blanks.end, startsLine: false)
    }
    let (kind, end) = kind(at: blanks.end)
    return Token(kind: kind, range: blanks.end..<end, startsLine: blanks.startsLine)
  }

  private func kind(at start: Int) -> (Token.Kind, end: Int) {
    guard let byte = byte(at: start) else { return (.end, start) }
    if let end = endOfName(at: start) { return (.word, end) }
    if Byte.isDigit(byte) { return number(at: start) }
    switch byte {
    case Byte.doubleQuote, Byte.singleQuote: return (.quote, start + 1)
    case Byte.dollar:
      guard let end = endOfName(at: start + 1) else { return (.unknown, start + 1) }
      return (.variable, end)
    case Byte.at where self.byte(at: start + 1).map(Byte.isDigit) == true:
      return (.date, endOfDate(at: start))
    default:
      if let (punctuator, length) = punctuator(at: start) {
        return (.punctuator(punctuator), start + length)
      }
      return (.unknown, start + (scalar(at: start)?.length ?? 1))
    }
  }

  // MARK: Signs

  private func punctuator(at start: Int) -> (Punctuator, length: Int)? {
    Punctuator.longest(at: start, in: bytes)
  }

  // MARK: Numbers and dates

  private func number(at start: Int) -> (Token.Kind, end: Int) {
    var end = endOfDigits(at: start)
    if byte(at: end) == Byte.dot, byte(at: end + 1).map(Byte.isDigit) == true {
      end = endOfDigits(at: end + 1)
    }
    if let letter = byte(at: end), letter | 0x20 == UInt8(ascii: "e") {
      var exponent = end + 1
      if let sign = byte(at: exponent), sign == Byte.plus || sign == Byte.minus { exponent += 1 }
      if byte(at: exponent).map(Byte.isDigit) == true { end = endOfDigits(at: exponent) }
    }
    guard let wordEnd = endOfName(at: end) else { return (.number, end) }
    return (.malformedNumber, wordEnd)
  }

  /// Returns the end of digits, which may have underscores between them.
  func endOfDigits(at start: Int) -> Int {
    var end = start
    while let byte = byte(at: end), Byte.isDigit(byte) || byte == Byte.underscore { end += 1 }
    return end
  }

  /// Returns the end of the text that looks like a part of the date at `start`.
  ///
  /// The parser decides whether it is a valid date.
  private func endOfDate(at start: Int) -> Int {
    var end = start + 1
    func skip(_ isPart: (UInt8, UInt8?) -> Bool) {
      while let byte = byte(at: end), isPart(byte, self.byte(at: end + 1)) { end += 1 }
    }
    skip { byte, next in
      Byte.isDigit(byte) || (byte == Byte.minus && next.map(Byte.isDigit) == true)
    }
    if byte(at: end) == UInt8(ascii: "T") {
      end += 1
      skip { byte, next in
        Byte.isDigit(byte) || byte == Byte.colon
          || (byte == Byte.dot && next.map(Byte.isDigit) == true)
      }
      if let sign = byte(at: end), sign == Byte.plus || sign == Byte.minus,
        byte(at: end + 1).map(Byte.isDigit) == true
      {
        end += 1
        skip { byte, _ in Byte.isDigit(byte) || byte == Byte.colon }
      }
    }
    return endOfName(at: end) ?? end
  }
}

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

  /// Returns the end of control characters, of which a file that is no text may have millions.
  func endOfControls(from start: Int) -> Int {
    var end = start
    while let byte = byte(at: end), byte < 0x20, !(0x09...0x0D).contains(byte) { end += 1 }
    return end
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

extension Lexer {
  /// Returns where the identifier that begins at `start` ends; nil if none begins there.
  func endOfName(at start: Int) -> Int? {
    guard var end = endOfLetter(at: start, isFirst: true) else { return nil }
    while let next = endOfLetter(at: end, isFirst: false) { end = next }
    return end
  }

  private func endOfLetter(at offset: Int, isFirst: Bool) -> Int? {
    guard let byte = byte(at: offset) else { return nil }
    if byte < 0x80 {
      let isPart = Byte.isLetter(byte) || (!isFirst && Byte.isDigit(byte))
      return isPart ? offset + 1 : nil
    }
    guard let (scalar, length) = scalar(at: offset) else {
      // A byte that is not UTF-8 is reported, and counts as part of the name.
      return offset + 1
    }
    let properties = scalar.properties
    let isPart = isFirst ? properties.isXIDStart : properties.isXIDContinue
    return isPart ? offset + length : nil
  }

  /// Whether the name at `offset` begins with a capital letter.
  func isCapital(at offset: Int) -> Bool {
    guard let byte = byte(at: offset) else { return false }
    if byte < 0x80 { return 0x41...0x5A ~= byte }
    guard let properties = scalar(at: offset)?.scalar.properties else { return false }
    return properties.isUppercase || properties.generalCategory == .titlecaseLetter
  }

  /// Decodes the character at `offset`; nil if it is not UTF-8.
  func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    guard let first = byte(at: offset) else { return nil }
    let length: Int
    switch first {
    case 0..<0x80: return (Unicode.Scalar(first), 1)
    case 0xC2..<0xE0: length = 2
    case 0xE0..<0xF0: length = 3
    case 0xF0..<0xF5: length = 4
    default: return nil
    }
    guard offset + length <= bytes.count else { return nil }
    var value = UInt32(first) & (0xFF >> (UInt32(length) + 1))
    for next in bytes[offset + 1..<offset + length] {
      guard next & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(next & 0x3F)
    }
    let shortest: [UInt32] = [0, 0, 0x80, 0x800, 0x10000]
    guard value >= shortest[length], let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, length)
  }
}

// MARK: - Objects

extension Lexer {
  /// Returns where the object that begins at `start` ends; nil if none begins there.
  ///
  /// An object is a name with a capital letter, `/` and digits, without blanks.
  func endOfObject(at start: Int) -> Int? {
    guard isCapital(at: start), let nameEnd = endOfName(at: start),
      byte(at: nameEnd) == Byte.slash, byte(at: nameEnd + 1).map(Byte.isDigit) == true
    else { return nil }
    return endOfDigits(at: nameEnd + 1)
  }

  /// Returns the end of the letters and digits that begin at `start`.
  func endOfNameOrDigits(at start: Int) -> Int? {
    var end = endOfDigits(at: start)
    end = endOfName(at: end) ?? end
    return end > start ? end : nil
  }
}

extension String {
  /// Whether a script can write the text as a name, without quotes.
  package var isPlainScriptName: Bool {
    let source = SourceText(name: "", text: self)
    return !isEmpty && Lexer(source).endOfName(at: 0) == utf8.count
  }
}

extension Lexer {
  /// Returns where the string that continues at `start` ends: after its closing quote, or at the
  /// end of the line if it has none.
  ///
  /// If `isText` is false, `start` is inside an interpolation of the string. The interpolations of
  /// the result are those that begin and end after `start`, and not those inside of them. Its
  /// `isText` is false if the line ends inside an interpolation.
  func endOfString(
    from start: Int, quote: UInt8, isText: Bool = true
  ) -> (offset: Int, isClosed: Bool, isText: Bool, interpolations: [Range<Int>]) {
    /// The quotes of the open strings, each with the number of open parentheses in its
    /// interpolation.
    var quotes = [(quote: quote, parentheses: isText ? 0 : 1)]
    var isText = isText
    var offset = start
    var interpolations: [Range<Int>] = []
    var interpolation: Int?
    while let byte = byte(at: offset), byte != Byte.lineFeed {
      offset += 1
      if isText {
        if byte == Byte.backslash {
          if self.byte(at: offset) == Byte.leftParenthesis,
            quotes.last?.quote == Byte.doubleQuote
          {
            isText = false
            quotes[quotes.count - 1].parentheses = 1
            if quotes.count == 1 { interpolation = offset + 1 }
          }
          if self.byte(at: offset) != Byte.lineFeed { offset += 1 }
        } else if byte == quotes.last?.quote {
          quotes.removeLast()
          if quotes.isEmpty { return (offset, true, true, interpolations) }
          isText = false
        }
      } else if byte == Byte.doubleQuote || byte == Byte.singleQuote {
        quotes.append((byte, 0))
        isText = true
      } else if byte == Byte.leftParenthesis {
        quotes[quotes.count - 1].parentheses += 1
      } else if byte == Byte.rightParenthesis {
        quotes[quotes.count - 1].parentheses -= 1
        isText = quotes[quotes.count - 1].parentheses == 0
        if isText, quotes.count == 1, let start = interpolation {
          interpolations.append(start..<(offset - 1))
        }
      }
    }
    return (min(offset, bytes.count), false, isText, interpolations)
  }

  /// Whether the string that continues at `start` contains an interpolation.
  func hasInterpolation(from start: Int) -> Bool {
    var offset = start
    while let byte = byte(at: offset), byte != Byte.doubleQuote {
      if byte == Byte.backslash {
        if self.byte(at: offset + 1) == Byte.leftParenthesis { return true }
        offset += 1
      }
      offset += 1
    }
    return false
  }
}
