import Basics
package import FetchedResults
package import TableViews

/// A table, as `show` draws it.
package struct ShownTable {
  package let name: String
  package let controller: String
  /// The lines from top to bottom, including those that the last turn removed.
  package let lines: [Line]
  package let sectionCount: Int
  package let rowCount: Int
  /// The section index that the table shows; nil if it has none.
  package let indexTitles: [String]?
  /// The section index that the controller now has; nil if the table shows it.
  package let currentIndexTitles: [String]?
  /// The numbers that the data source returns; nil if the table has the same.
  package let dataSource: (sections: Int, rows: Int)?
  /// The number of operations that wait for the end of the batch; nil outside of a batch.
  package let recorded: Int?
  package let isBroken: Bool
  package let isSuspended: Bool
  /// Whether the controller has another delegate, or none.
  package let isDetached: Bool

  /// A header or a row.
  package struct Line {
    package let kind: Kind
    package var mark: TableRowMark?
    /// A description of how the shown header or cell is out of date; nil if it is not.
    package var staleness: String?
  }

  package enum Kind {
    case header(String)
    /// A row with what its cell shows. For a deleted row, the path is the old one.
    case row(ResultsIndexPath, ShownObject)
  }
}

extension TableRowMark {
  /// The sign before a row.
  package var symbol: String {
    switch self {
    case .inserted: "+"
    case .deleted: "-"
    case .moved: ">"
    case .updated: "*"
    }
  }
}

extension ShownTable {
  /// The sign of a row or header that is out of date.
  private static var staleSymbol: String { "!" }
  /// The largest width of a row in columns; longer rows are cut.
  private static var mostColumns: Int { 68 }

  /// The table as lines of text: a head, the rows in a frame with the section index at the right,
  /// and a legend of the signs in use.
  package var drawing: [DrawnLine] {
    [DrawnLine(head)] + frame + foot.map { DrawnLine($0) }
  }

  /// One line of a drawing.
  package struct DrawnLine {
    /// The text before the header or row, or the whole line.
    package let start: String
    /// The header or row, with its signs.
    package let text: String
    package let end: String
    /// The header or row; nil for any other line.
    package let line: Line?

    init(_ start: String, _ text: String = "", _ end: String = "", line: Line? = nil) {
      self.start = start
      self.text = text
      self.end = end
      self.line = line
    }
  }

  // MARK: Head and foot

  var head: String {
    var parts = ["\(name) of \(controller): \(Self.counts(sectionCount, rowCount))"]
    if let dataSource {
      parts.append("its data source \(Self.counts(dataSource.sections, dataSource.rows))")
    }
    if let recorded {
      parts.append("\(recorded) \(recorded == 1 ? "operation" : "operations") recorded")
    }
    if isSuspended { parts.append("suspended") }
    if isDetached { parts.append("detached, not the controller's delegate") }
    if isBroken { parts.append("broken") }
    return parts.joined(separator: "; ")
  }

  private static func counts(_ sections: Int, _ rows: Int) -> String {
    "\(sections) \(sections == 1 ? "section" : "sections"), \(rows) \(rows == 1 ? "row" : "rows")"
  }

  private var foot: [String] {
    var meanings = TableRowMark.allCases.filter { mark in lines.contains { $0.mark == mark } }
      .map { "\($0.symbol) \($0.rawValue)" }
    if lines.contains(where: { $0.staleness != nil }) {
      meanings.append("\(Self.staleSymbol) stale")
    }
    var foot = meanings.isEmpty ? [] : [meanings.joined(separator: "  ")]
    if let indexTitles, let currentIndexTitles {
      foot.append(
        "\(Self.staleSymbol) the section index is that of the last reloadData: "
          + "\(Self.list(indexTitles)), would be \(Self.list(currentIndexTitles))")
    }
    return foot
  }

  private static func list(_ titles: [String]) -> String {
    titles.isEmpty ? "none" : titles.map(\.onOneLine).joined(separator: " ")
  }

  // MARK: Frame

  private var frame: [DrawnLine] {
    let texts = lines.isEmpty ? ["   (no rows)"] : lines.map(Self.text)
    let width = max(24, texts.map(DisplayWidth.width).max() ?? 0)
    let index = indexColumn(of: texts.count)
    let indexWidth = index.map(DisplayWidth.width).max() ?? 0
    let hasIndex = !(indexTitles ?? []).isEmpty
    let bar = { (left: String, middle: String, right: String) in
      let index = middle + String(repeating: "─", count: indexWidth + 2)
      return DrawnLine(
        left + String(repeating: "─", count: width + 2) + (hasIndex ? index : "") + right)
    }
    let rows = texts.indices.map { row in
      DrawnLine(
        "│ ", texts[row].padded(toColumns: width),
        " │" + (hasIndex ? " " + index[row].padded(toColumns: indexWidth) + " │" : ""),
        line: lines.indices.contains(row) ? lines[row] : nil)
    }
    return [bar("┌", "┬", "┐")] + rows + [bar("└", "┴", "┘")]
  }

  /// Returns the section index, one title per line.
  ///
  /// If there are more titles than lines, some are replaced by dots, as on a device.
  private func indexColumn(of height: Int) -> [String] {
    let titles = (indexTitles ?? []).map(\.onOneLine)
    guard titles.count > height else {
      return titles + Array(repeating: "", count: height - titles.count)
    }
    let shown = max(1, (height + 1) / 2)
    return (0..<height).map { line in
      line.isMultiple(of: 2) ? titles[line / 2 * (titles.count - 1) / max(1, shown - 1)] : "•"
    }
  }

  private static func text(of line: Line) -> String {
    let signs = (line.mark?.symbol ?? " ") + (line.staleness == nil ? " " : staleSymbol) + " "
    let text =
      switch line.kind {
      case .header(let title): title.isEmpty ? "\"\"" : title.onOneLine
      case .row(let path, let object): "\(path) \(object)".onOneLine
      }
    let note = line.staleness.map { ", but " + $0.onOneLine } ?? ""
    return (signs + text + note).cut(toColumns: mostColumns)
  }
}

extension ShownTable.DrawnLine: CustomStringConvertible {
  package var description: String { start + text + end }
}

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
