import FetchedResults

/// Two lines, what differs between them word by word, and their invisible
/// characters made visible.
package struct WordDiff: Hashable, Sendable {
  /// A part of a line.
  package struct Piece: Hashable, Sendable {
    package let text: String
    package let differs: Bool
  }

  /// The expected line.
  package private(set) var old: [Piece] = []
  /// The actual line.
  package private(set) var new: [Piece] = []
  /// How much of the longer line is common, from 0 to 1; blanks do not count.
  private let likeness: Double

  package init(from expected: String, to actual: String) {
    var shown = (VisibleText.of(expected), VisibleText.of(actual))
    if shown.0 == shown.1 {
      shown = (VisibleText.inASCII(expected), VisibleText.inASCII(actual))
    }
    let words = (Self.words(of: shown.0), Self.words(of: shown.1))
    let difference = words.1.difference(from: words.0)
    var removals: Set<Int> = []
    var insertions: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removals.insert(offset)
      case .insert(let offset, _, _): insertions.insert(offset)
      }
    }
    old = Self.pieces(of: words.0, removals)
    new = Self.pieces(of: words.1, insertions)
    let kept = words.0.indices.filter { !removals.contains($0) && words.0[$0].string != " " }
    let longer = max(words.0.count { $0.string != " " }, words.1.count { $0.string != " " })
    likeness = longer == 0 ? 1 : Double(kept.count) / Double(longer)
  }

  /// Whether the two lines have so much in common that one reads them as one
  /// line that changed.
  var isLikely: Bool { likeness >= 0.5 }

  /// Whether both are the same callback, and only its index paths differ.
  package var changesOnlyIndexPaths: Bool {
    let lines = [old, new].map { $0.map(\.text).joined() }
    return lines.allSatisfy { $0.contains(" didChange object ") }
      && lines.map(Self.withoutIndexPaths).allSatisfy { $0 == Self.withoutIndexPaths(lines[0]) }
  }

  private static func withoutIndexPaths(_ line: String) -> String {
    line.replacing(#/( ->)? \[\d+, \d+\]/#, with: "")
  }

  /// Words, numbers, and every other character by itself.
  private static func words(of line: String) -> [ScalarString] {
    var words: [String] = []
    var isInWord = false
    for character in line {
      let isOfWord = character.isLetter || character.isNumber || character == "_"
      if isOfWord, isInWord, !words.isEmpty {
        words[words.count - 1].append(character)
      } else {
        words.append(String(character))
      }
      isInWord = isOfWord
    }
    return words.map(ScalarString.init)
  }

  private static func pieces(of words: [ScalarString], _ changed: Set<Int>) -> [Piece] {
    var pieces: [Piece] = []
    for (index, word) in words.enumerated() {
      let differs = changed.contains(index)
      if let last = pieces.last, last.differs == differs {
        pieces[pieces.count - 1] = Piece(text: last.text + word.string, differs: differs)
      } else {
        pieces.append(Piece(text: word.string, differs: differs))
      }
    }
    return pieces
  }
}
