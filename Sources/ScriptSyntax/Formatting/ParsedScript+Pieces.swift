extension ParsedScript {
  /// Where the numbers, strings and dates are, those of predicates among them.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package var literals: [Range<Int>] {
    ScriptTokens(self).pieces.filter { piece in
      switch piece.kind {
      case .number, .quote, .date: true
      case .word, .variable, .malformedNumber, .punctuator, .unknown, .lineEnd, .end: false
      }
    }.map(\.range)
  }

  /// Where objects are, as in `Book/3`.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package var objects: [Range<Int>] {
    ScriptTokens(self).pieces.filter { piece in
      piece.kind == .word && source.bytes[piece.range].contains(Byte.slash)
    }.map(\.range)
  }

  /// Where the comments are, expected output and directives among them, without their line ends.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package var comments: [Range<Int>] {
    let lexer = Lexer(source)
    var comments: [Range<Int>] = []
    var offset = source.lineStarts[0]
    for piece in ScriptTokens(self).pieces.map(\.range) + [source.bytes.count..<source.bytes.count]
    {
      while offset < piece.lowerBound {
        if source.bytes[offset] == Byte.hash {
          let end = lexer.endOfLine(from: offset)
          comments.append(offset..<end)
          offset = end
        } else {
          offset += 1
        }
      }
      offset = piece.upperBound
    }
    return comments
  }
}
