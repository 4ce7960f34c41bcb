extension PredicateScanner {
  /// Skips separators at a place where an operator may follow.
  ///
  /// - Returns: False at a line end that ends the predicate. The position is then just before it.
  mutating func skipBlanks() -> Bool {
    guard isEmbedded, openBrackets == 0 else {
      skipBlanksAndLines()
      return true
    }
    skipBlanksOfLine()
    guard byte(at: position) == UInt8(ascii: "\n") else { return true }
    guard let next = logicalOperatorOnNextLine() else { return false }
    position = next
    return true
  }

  /// Skips blanks, line ends and comments.
  mutating func skipBlanksAndLines() {
    skipBlanksOfLine()
    while byte(at: position) == UInt8(ascii: "\n") {
      position += 1
      skipBlanksOfLine()
    }
  }

  /// Skips blanks, a comment, and a line end after a `\`.
  private mutating func skipBlanksOfLine() {
    while let byte = byte(at: position) {
      if Self.isBlank(byte) || (!isEmbedded && byte == UInt8(ascii: "\n")) {
        position += 1
      } else if isComment(at: position) {
        position = endOfLine(from: position)
        return
      } else if let next = joinedLine(at: position) {
        position = next
      } else {
        return
      }
    }
  }

  /// Returns the start of the next line, if the `\` here is the last character of its line.
  private func joinedLine(at start: Int) -> Int? {
    guard isEmbedded, byte(at: start) == UInt8(ascii: "\\") else { return nil }
    var offset = start + 1
    while let byte = byte(at: offset), Self.isBlank(byte) { offset += 1 }
    if isComment(at: offset) { offset = endOfLine(from: offset) }
    guard let byte = byte(at: offset) else { return offset }
    return byte == UInt8(ascii: "\n") ? offset + 1 : nil
  }

  /// Returns the position of AND or OR, if the next line that is neither blank nor a comment begins
  /// with it.
  private func logicalOperatorOnNextLine() -> Int? {
    var offset = position
    while let byte = byte(at: offset) {
      if Self.isBlank(byte) || byte == UInt8(ascii: "\n") {
        offset += 1
      } else if byte == UInt8(ascii: "#") {
        offset = endOfLine(from: offset)
      } else {
        return isLogicalOperator(at: offset) ? offset : nil
      }
    }
    return nil
  }

  private func isLogicalOperator(at offset: Int) -> Bool {
    if let byte = byte(at: offset), byte == self.byte(at: offset + 1) {
      return byte == UInt8(ascii: "&") || byte == UInt8(ascii: "|")
    }
    guard let end = endOfWord(at: offset), end - offset <= 3 else { return false }
    switch Keyword(text(offset..<end)) {
    case .and, .or: return !isAssigned(after: end)
    default: return false
    }
  }

  /// Whether a name that ends here begins a separate statement: `or = 1`, `and.title = "x"`.
  private func isAssigned(after end: Int) -> Bool {
    var offset = end
    while let byte = byte(at: offset), Self.isBlank(byte) { offset += 1 }
    switch byte(at: offset) {
    case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "."): return true
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      return byte(at: offset + 1) == UInt8(ascii: "=")
    default: return false
    }
  }

  // MARK: Comments

  /// Whether a comment begins here.
  ///
  /// A comment is a `#` after a blank or at the start of a line, followed by a blank or the end of
  /// the line. At the start of a line, `#>`, `#?`, `#@` and `#|` are comments too. A `#` directly
  /// before a letter is the escape of a key.
  private func isComment(at offset: Int) -> Bool {
    guard isEmbedded, byte(at: offset) == UInt8(ascii: "#") else { return false }
    let before = offset == 0 ? UInt8(ascii: "\n") : bytes[offset - 1]
    guard Self.isBlank(before) || before == UInt8(ascii: "\n") else { return false }
    guard let next = byte(at: offset + 1) else { return true }
    return Self.isBlank(next) || next == UInt8(ascii: "\n")
      || (">?@|".utf8.contains(next) && beginsLine(offset))
  }

  private func beginsLine(_ offset: Int) -> Bool {
    var offset = offset
    while offset > 0, Self.isBlank(bytes[offset - 1]) { offset -= 1 }
    return offset == 0 || bytes[offset - 1] == UInt8(ascii: "\n")
  }

  private func endOfLine(from offset: Int) -> Int {
    var offset = offset
    while let byte = byte(at: offset), byte != UInt8(ascii: "\n") { offset += 1 }
    return offset
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0B, 0x0C, 0x0D: true
    default: false
    }
  }
}
