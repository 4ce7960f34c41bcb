package import ScriptSyntax

/// The colours of the prompt as the protocol's semantic tokens.
///
/// Both are made of the same parts of a text, except that a string ends with its line here. Parts
/// that the prompt does not colour have no token.
package enum TokenColours {
  /// The types of tokens; a token names one by its index.
  package static let types = [
    "keyword", "class", "variable", "number", "string", "comment", "operator",
  ]

  /// Returns the type of a part's token; nil if the prompt shows the part without a colour.
  package static func type(of role: TextPart.Role) -> Int? {
    switch role {
    case .word: 0
    case .entity, .object: 1
    case .variable: 2
    case .number, .date: 3
    case .string: 4
    case .comment: 5
    case .openBracket, .strayBracket, .unknown: 6
    case .name, .sign, .bracket: nil
    }
  }

  /// Returns the numbers of the protocol: for each token the distance of its line and of its start
  /// from the token before, its length and its type.
  ///
  /// A part of several lines is a token on each line.
  ///
  /// - Parameters:
  ///   - scripts: The scripts of the text, each with its offset.
  ///   - text: The text of the document, for the places.
  ///   - lines: The lines to look at; nil for all.
  static func data(
    of scripts: [(start: Int, text: String)], at text: DocumentText, in lines: Range<Int>? = nil
  ) -> [Int] {
    var data: [Int] = []
    var last = Position(line: 0, character: 0)
    for script in scripts {
      for part in TextParts(script.text, as: .file).parts {
        guard let type = type(of: part.role) else { continue }
        let whole = (part.range.lowerBound + script.start)..<(part.range.upperBound + script.start)
        let first = text.line(of: whole.lowerBound)
        let end = text.line(of: max(whole.lowerBound, whole.upperBound - 1))
        for line in first...max(first, end) where lines?.contains(line) ?? true {
          let range = whole.clamped(to: text.contents(ofLine: line))
          guard !range.isEmpty else { continue }
          let place = text.range(of: range)
          let isSameLine = place.start.line == last.line
          data += [
            place.start.line - last.line,
            isSameLine ? place.start.character - last.character : place.start.character,
            place.end.character - place.start.character, type, 0,
          ]
          last = place.start
        }
      }
    }
    return data
  }
}
