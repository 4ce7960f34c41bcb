extension Parser {
  /// A bracket on the way to a statement's end.
  private struct Open {
    var closer: Punctuator
    /// The quote of the string that goes on behind it.
    var quote: UInt8?
    var offset: Int
  }

  /// Goes on behind a statement or a part of one that is wrong.
  ///
  /// `outer` is how many brackets were open before it, `outerDepth` how deep it
  /// stands. Where it has blocks, what stands in those is still read, so that
  /// its errors are found too.
  mutating func recover(
    from error: SyntaxError, brackets outer: Int, depth outerDepth: Int, hasBlock: Bool = false
  ) {
    var open = brackets[outer...].map {
      Open(closer: $0.closer, quote: $0.quote, offset: $0.offset)
    }
    brackets.removeSubrange(outer...)
    depth = outerDepth
    lineEndsCount = true
    switch error.kind {
    case .unclosed: _ = open.popLast()
    // What would close the brackets was probably meant to stand behind the
    // string.
    case .unterminatedString: open = []
    default: break
    }
    if open.isEmpty, token.startsLine {
      // Brackets made the parser look past the line's end.
      resume(at: previousEnd)
    } else {
      token = lexer.token(
        after: token.kind == .lineEnd ? previousEnd : token.range.lowerBound, lineEndsCount: true)
    }
    _ = skip(within: open, readsBlocks: hasBlock, stopsAtStatements: true)
  }

  /// Takes a statement without reading it, with whatever its brackets hold.
  mutating func skipStatement() throws(SyntaxError) {
    guard let opener = skip(within: [], readsBlocks: false, stopsAtStatements: false) else {
      return
    }
    let text = source.text(in: opener..<opener + 1)
    let closer = Punctuator(rawValue: text)?.closer?.rawValue ?? text
    throw SyntaxError(.unclosed(closer, opener: text, isAtEnd: true), range: opener..<opener + 1)
  }

  /// Skips to where the statement ends, or to the end of the line where its
  /// brackets never close.
  ///
  /// - Returns: The offset of the outermost bracket that never closes.
  private mutating func skip(
    within brackets: [Open], readsBlocks: Bool, stopsAtStatements: Bool
  ) -> Int? {
    var open = brackets
    let start = token.range.lowerBound
    var continues = false
    while token.kind != .end {
      if token.kind == .lineEnd, let string = open.firstIndex(where: { $0.quote != nil }) {
        // No string reaches over a line's end.
        open.removeSubrange(string...)
      }
      if continues, token.kind == .lineEnd {
        advance()
        if stopsAtStatements, beginsStatement(token) { return nil }
      }
      continues = joinsLines(token)
      if open.isEmpty {
        if token.endsStatement || isAt(.rightBrace) { return nil }
        if readsBlocks, isAt(.leftBrace), depth < ScriptParser.maximumDepth {
          readBlock()
          continue
        }
      } else if stopsAtStatements && beginsStatement(token)
        || hasSearchedInVain && token.kind == .lineEnd
      {
        return nil
      }
      guard skipToken(&open) else { return nil }
    }
    guard let first = open.first else { return nil }
    hasSearchedInVain = true
    resume(at: lexer.endOfLine(from: start))
    return first.offset
  }

  /// Whether a line that ends with a token goes on on the next.
  private func joinsLines(_ token: Token) -> Bool {
    switch token.kind {
    case .punctuator(let sign): sign == .comma || sign.isOperator
    case .word: ["AND", "OR", "and", "or"].contains { isText($0, of: token) }
    default: false
    }
  }

  /// Skips one token and notes what it opens and closes.
  ///
  /// - Returns: False where the token closes what is open outside.
  private mutating func skipToken(_ open: inout [Open]) -> Bool {
    switch token.kind {
    case .quote:
      let quote = source.bytes[token.range.lowerBound]
      resume(at: lexer.endOfString(from: token.range.upperBound, quote: quote).offset)
      return true
    case .punctuator(let sign):
      if let closer = sign.closer {
        open.append(Open(closer: closer, offset: token.range.lowerBound))
      } else if let index = open.lastIndex(where: { $0.closer == sign }) {
        let quote = open[index].quote
        open.removeSubrange(index...)
        if let quote {
          resume(at: lexer.endOfString(from: token.range.upperBound, quote: quote).offset)
          return true
        }
      } else if sign == .rightBrace {
        return false
      }
    default: break
    }
    advance()
    return true
  }

  /// Reads a block of a statement that is wrong, for its errors.
  private mutating func readBlock() {
    do throws(SyntaxError) {
      _ = try parseBlock()
    } catch {
      record(error)
      resume(at: source.bytes.count)
    }
  }
}
