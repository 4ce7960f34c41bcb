import FetchedResults

/// The difference of two lines, word by word, with invisible characters made visible.
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
  /// The common part of the longer line, from 0 to 1, without blanks.
  private let likeness: Double

  package init(from expected: String, to actual: String) {
    let (expected, actual) = Self.excerpts(expected, actual)
    var shown = (VisibleText.of(expected), VisibleText.of(actual))
    if shown.0 == shown.1 {
      shown = (VisibleText.inASCII(expected), VisibleText.inASCII(actual))
    }
    let words = (Self.words(of: shown.0), Self.words(of: shown.1))
    let (removals, insertions) = Self.changes(from: words.0, to: words.1)
    old = Self.pieces(of: words.0, removals)
    new = Self.pieces(of: words.1, insertions)
    let kept = words.0.indices.filter { !removals.contains($0) && words.0[$0].string != " " }
    let longer = max(words.0.count { $0.string != " " }, words.1.count { $0.string != " " })
    likeness = longer == 0 ? 1 : Double(kept.count) / Double(longer)
  }

  /// The largest number of bytes that are compared.
  ///
  /// Of longer lines, only the text around the first difference is compared, because people do not
  /// read more.
  private static let longestLine = 10_000

  /// Returns the lines.
  ///
  /// If one is long, returns the text around the first difference.
  private static func excerpts(_ left: String, _ right: String) -> (String, String) {
    guard max(left.utf8.count, right.utf8.count) > longestLine else { return (left, right) }
    var (left, right) = (left, right)
    let first = left.withUTF8 { left in
      right.withUTF8 { right in
        let end = min(left.count, right.count)
        return (0..<end).first { left[$0] != right[$0] } ?? end
      }
    }
    return (left.excerpt(around: first), right.excerpt(around: first))
  }

  /// The largest number of words that are compared with one another.
  ///
  /// The time of a comparison grows with the square of the number of different words.
  private static let mostWords = 2000

  /// Returns which words are only in the first list, and which only in the second.
  ///
  /// For long lines, these are all words between the common start and the common end.
  private static func changes(
    from old: [ScalarString], to new: [ScalarString]
  ) -> (removals: Set<Int>, insertions: Set<Int>) {
    let first = zip(old, new).prefix { $0 == $1 }.count
    let last = zip(old.dropFirst(first).reversed(), new.dropFirst(first).reversed())
      .prefix { $0 == $1 }.count
    let removed = old.indices.dropFirst(first).dropLast(last)
    let inserted = new.indices.dropFirst(first).dropLast(last)
    guard removed.count + inserted.count <= mostWords else {
      return (Set(removed), Set(inserted))
    }
    var removals: Set<Int> = []
    var insertions: Set<Int> = []
    for change in new[inserted].difference(from: old[removed]) {
      switch change {
      case .remove(let offset, _, _): removals.insert(first + offset)
      case .insert(let offset, _, _): insertions.insert(first + offset)
      }
    }
    return (removals, insertions)
  }

  /// Whether the two lines have so much in common that they look like one changed line.
  var isLikely: Bool { likeness >= 0.5 }

  /// Whether both are the same callback with other index paths.
  package var changesOnlyIndexPaths: Bool {
    let lines = [old, new].map { $0.map(\.text).joined() }
    return lines.allSatisfy { $0.contains(" didChange object ") }
      && lines.map(Self.withoutIndexPaths).allSatisfy { $0 == Self.withoutIndexPaths(lines[0]) }
  }

  private static func withoutIndexPaths(_ line: String) -> String {
    line.replacing(#/( ->)? \[\d+, \d+\]/#, with: "")
  }

  /// Divides a line into words, numbers, and single other characters.
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

extension String {
  /// Returns the text around a byte, with `…` for the parts left out.
  fileprivate func excerpt(around place: Int) -> String {
    let start = max(0, place - 200)
    let end = min(utf8.count, place + 1_000)
    let bytes = Array(utf8.dropFirst(start).prefix(end - start))
    // A character that is cut becomes U+FFFD.
    let text = String(decoding: bytes, as: UTF8.self)
    return (start > 0 ? "…" : "") + text + (end < utf8.count ? "…" : "")
  }
}
