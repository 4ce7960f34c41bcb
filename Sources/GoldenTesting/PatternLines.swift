extension GoldenUpdate.Proposal {
  /// The new expected lines with patterns for what differs; nil if no pattern can be made.
  package var patterns: [String]? { PatternLines.lines(self) }
}

/// Makes patterns from output where it differs from the expected output.
package enum PatternLines {
  /// The typed patterns, the most specific first.
  private static let types = ["[uuid]", "[date]", "[int]", "[number]"]

  /// Whether output matches some lines.
  package static func fit(_ lines: [String], _ mismatch: OutputMismatch) -> Bool {
    let expected = ExpectedOutput(
      lines, isUnordered: mismatch.isUnordered, captured: mismatch.captured)
    let match = try? expected.match(mismatch.actual)
    return (match ?? nil) != nil
  }

  /// Returns expected lines for a block with patterns for the words that differ.
  ///
  /// Lines that are new get patterns for dates and UUIDs. Returns nil if no pattern can be made.
  package static func lines(_ block: GoldenUpdate.Proposal) -> [String]? {
    let mismatch = block.mismatch
    // A line `…` that matches several lines has no partner.
    guard block.accepted.count == mismatch.actual.count else { return nil }
    var changes: [String: WordDiff] = [:]
    for case .changed(let words) in OutputDiff(mismatch).lines {
      changes[words.new.map(\.text).joined()] = words
    }
    let kept = Set(mismatch.expected)
    let lines = zip(block.accepted, mismatch.actual).map { accepted, actual in
      if kept.contains(accepted) { return accepted }
      guard let words = changes[actual] else {
        return volatile(actual, mismatch.captured) ?? accepted
      }
      return joined(words.new).map { piece in
        piece.differs
          ? pattern(piece.text) : LinePattern.escaped(piece.text, names: mismatch.captured)
      }.joined()
    }
    return lines != block.accepted && fit(lines, mismatch) ? lines : nil
  }

  /// Returns the pieces of a line.
  ///
  /// Differing pieces are joined if only blanks and signs are between them.
  private static func joined(_ pieces: [WordDiff.Piece]) -> [WordDiff.Piece] {
    var result: [WordDiff.Piece] = []
    for piece in pieces {
      let isBetween = result.last.map {
        !$0.differs && !$0.text.contains { $0.isLetter || $0.isNumber }
      }
      if piece.differs, isBetween == true, result.dropLast().last?.differs == true {
        let between = result.removeLast().text
        let before = result.removeLast().text
        result.append(WordDiff.Piece(text: before + between + piece.text, differs: true))
      } else if piece.differs, let last = result.last, last.differs {
        result[result.count - 1] = WordDiff.Piece(text: last.text + piece.text, differs: true)
      } else {
        result.append(piece)
      }
    }
    return result
  }

  /// Returns a pattern for a text.
  private static func pattern(_ text: String) -> String {
    types.first { stands($0, for: text) } ?? "[..]"
  }

  /// Returns a line with patterns for the words that change with every run; nil if there are none.
  private static func volatile(_ line: String, _ names: CapturedTexts) -> String? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map { word in
      types.prefix(2).first { stands($0, for: String(word)) }
        ?? LinePattern.escaped(String(word), names: names)
    }
    let result = words.joined(separator: " ")
    return result == LinePattern.escaped(line, names: names) ? nil : result
  }

  private static func stands(_ pattern: String, for text: String) -> Bool {
    fit([pattern], OutputMismatch(expected: [], actual: [text]))
  }
}
