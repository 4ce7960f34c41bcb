import Basics
import FetchedResults
import ScriptSyntax

/// Draws a difference.
///
/// Lines that were only expected follow `-`, and lines that were only printed follow `+`. Under a
/// changed line, each changed word has a mark.
///
/// ```
///     books willChangeContent
///   - books didChange object update Book/1 "Dune" [0, 0]
///                                                     ^
///   + books didChange object update Book/1 "Dune" [0, 1]
///                                                     ^
///       only its index paths differ
/// ```
package struct DiffRenderer: Sendable {
  /// Whether words are marked with colours.
  package var usesColor: Bool
  /// The number of unchanged lines that are shown around a difference.
  private static let context = 3
  /// The largest number of lines that are shown.
  private let mostLines: Int
  /// The largest number of parts of a line that are shown.
  private static let mostPieces = 200

  package init(usesColor: Bool = false, mostLines: Int = 100) {
    self.usesColor = usesColor
    self.mostLines = mostLines
  }

  package func lines(of diff: OutputDiff) -> [String] {
    var result: [String] = []
    var index = 0
    while index < diff.lines.count {
      let run = diff.lines[index...].prefix(while: \.isSame).count
      if run > 0 {
        result += same(diff.lines, index..<index + run)
        index += run
      } else {
        result += drawn(diff.lines[index])
        index += 1
      }
    }
    guard result.count > mostLines else { return result }
    let rest = result.count - mostLines
    return result.prefix(mostLines) + ["    (\(rest) more lines)"]
  }

  /// Returns unchanged lines, without those that are far from any difference.
  private func same(_ lines: [OutputDiff.Line], _ range: Range<Int>) -> [String] {
    let head = range.lowerBound == 0 ? 0 : Self.context
    let tail = range.upperBound == lines.count ? 0 : Self.context
    let left = range.count - head - tail
    let shown = range.map { drawn(lines[$0])[0] }
    guard left > 1 else { return shown }
    return shown.prefix(head) + ["    (\(left) lines as expected)"] + shown.suffix(tail)
  }

  private func drawn(_ line: OutputDiff.Line) -> [String] {
    switch line {
    case .same(let text): ["    " + text.shortened().escapingControls(except: ["\t"])]
    case .anyLines(let texts):
      ["    \(ExpectedOutput.anyLines) (\(texts.count) \(texts.count == 1 ? "line" : "lines"))"]
    case .removed(let text): [paint("  - " + VisibleText.of(text.shortened()), .red)]
    case .added(let text): [paint("  + " + VisibleText.of(text.shortened()), .green)]
    case .changed(let words): drawn(words)
    case .moved(let text, let from, let to):
      [
        paint("  ~ " + VisibleText.of(text.shortened()), .yellow),
        "      only its place changed: expected as line \(from) of the output, printed as line \(to)",
      ]
    }
  }

  private func drawn(_ words: WordDiff) -> [String] {
    var lines: [String] = []
    for (sign, whole, style) in [("  - ", words.old, Style.red), ("  + ", words.new, .green)] {
      // Of a long line, the differing parts are shown with a little text around them.
      var pieces = whole.prefix(Self.mostPieces).map { piece in
        WordDiff.Piece(text: piece.text.shortened(), differs: piece.differs)
      }
      if pieces.count < whole.count { pieces.append(WordDiff.Piece(text: "…", differs: false)) }
      lines.append(
        paint(sign, style)
          + pieces.map { paint($0.text, $0.differs ? style.strong : style) }.joined())
      let marks = pieces.map {
        String(repeating: $0.differs ? "^" : " ", count: DisplayWidth.width(of: $0.text))
      }.joined()
      if !usesColor, marks.contains("^") {
        lines.append("    " + String(marks.reversed().drop { $0 == " " }.reversed()))
      }
    }
    if words.changesOnlyIndexPaths { lines.append("      only its index paths differ") }
    return lines
  }

  // MARK: Color

  private enum Style: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case strongRed = "1;7;31"
    case strongGreen = "1;7;32"

    var strong: Style {
      switch self {
      case .red: .strongRed
      case .green: .strongGreen
      case .yellow, .strongRed, .strongGreen: self
      }
    }
  }

  private func paint(_ text: String, _ style: Style) -> String {
    usesColor && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension OutputDiff.Line {
  fileprivate var isSame: Bool {
    if case .same = self { true } else { false }
  }
}

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

/// Replaces invisible characters of a line by visible signs.
///
/// Blanks at the end, tabs and carriage returns become Unicode control pictures; others become
/// their number: `␠`, `␉`, `␍`, `<U+200B>`.
package enum VisibleText {
  package static func of(_ line: String) -> String {
    let trailing = line.unicodeScalars.reversed().prefix { $0 == " " }.count
    let body = line.unicodeScalars.dropLast(trailing)
    return body.map(sign).joined() + String(repeating: "␠", count: trailing)
  }

  /// Returns the line with a number for every character outside ASCII, to distinguish two lines
  /// that look the same.
  static func inASCII(_ line: String) -> String {
    of(line).unicodeScalars.map { $0.isASCII ? String($0) : number(of: $0) }.joined()
  }

  private static func sign(for scalar: Unicode.Scalar) -> String {
    switch scalar {
    case " ": return " "
    case "\t": return "␉"
    case "\r": return "␍"
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .privateUse,
      .unassigned:
      return number(of: scalar)
    default: return String(scalar)
    }
  }

  private static func number(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
  }
}
