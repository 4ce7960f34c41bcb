extension Lexer {
  /// Returns where the string that continues at `start` ends: after its closing quote, or at the
  /// end of the line if it has none.
  ///
  /// If `isText` is false, `start` is inside an interpolation of the string.
  func endOfString(
    from start: Int, quote: UInt8, isText: Bool = true
  ) -> (offset: Int, isClosed: Bool) {
    /// The quotes of the open strings, each with the number of open parentheses in its
    /// interpolation.
    var quotes = [(quote: quote, parentheses: isText ? 0 : 1)]
    var isText = isText
    var offset = start
    while let byte = byte(at: offset), byte != Byte.lineFeed {
      offset += 1
      if isText {
        if byte == Byte.backslash {
          if self.byte(at: offset) == Byte.leftParenthesis,
            quotes.last?.quote == Byte.doubleQuote
          {
            isText = false
            quotes[quotes.count - 1].parentheses = 1
          }
          if self.byte(at: offset) != Byte.lineFeed { offset += 1 }
        } else if byte == quotes.last?.quote {
          quotes.removeLast()
          if quotes.isEmpty { return (offset, true) }
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
      }
    }
    return (min(offset, bytes.count), false)
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
