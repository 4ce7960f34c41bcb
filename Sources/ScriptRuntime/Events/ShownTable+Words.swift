import FetchedResults
import TableViews

extension ShownTable {
  /// The table in words, one header or row per line, for screen readers.
  package var words: [String] {
    [head] + (lines.isEmpty ? ["no rows"] : lines.map(Self.words)) + indexWords
  }

  private static func words(of line: Line) -> String {
    let text =
      switch line.kind {
      case .header(let title): "section \(title.quoted)"
      case .row(let path, let object): "\(path) \(object)"
      }
    let notes =
      [line.mark?.rawValue].compactMap(\.self) + (line.staleness.map { ["stale, but \($0)"] } ?? [])
    return ([text] + notes).joined(separator: ", ")
  }

  private var indexWords: [String] {
    guard let indexTitles, !indexTitles.isEmpty else { return [] }
    return ["section index: " + indexTitles.joined(separator: " ")]
  }
}

extension MarkedLine {
  /// The line, with a word for what the last turn did in place of a sign.
  package var words: String {
    let signs = TableRowMark.allCases.map(\.symbol) + ["!"]
    let hasSign = (mark != nil || isStale) && signs.contains(String(text.prefix(1)))
    var words = hasSign ? String(text.dropFirst()) : text
    words = String(words.drop { $0 == " " })
    if let mark { words += ", " + mark.rawValue }
    return isStale ? words + ", stale" : words
  }
}
