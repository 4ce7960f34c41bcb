import Basics
import PredicateSyntax
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
