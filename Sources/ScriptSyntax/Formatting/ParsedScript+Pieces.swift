extension ParsedScript {
  /// The ranges of numbers, strings and dates, including those in predicates.
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

  /// The ranges of objects, such as `Book/3`.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package var objects: [Range<Int>] {
    ScriptTokens(self).pieces.filter { piece in
      piece.kind == .word && source.bytes[piece.range].contains(Byte.slash)
    }.map(\.range)
  }

  /// The ranges of comments without their line ends, including expected output and directives.
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
