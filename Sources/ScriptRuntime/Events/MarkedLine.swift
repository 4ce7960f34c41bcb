import FetchedResults
package import TableViews

/// What the last turn did to the rows of a section, for whoever sees it on a
/// terminal; no part of what a script prints.
package struct SectionMarks {
  package var isInserted = false
  /// By row.
  package var rows: [Int: TableRowMark] = [:]
  /// Rows that changed without the controller following.
  package var stale: Set<Int> = []
  /// The rows and sections that went.
  package var gone: [Gone] = []

  /// A row or a section that went, as it was listed.
  package struct Gone {
    package let text: String
    /// The row before which it would stand; nil for before the section itself.
    package let nextRow: Int?
  }

  package init() {}
}

/// A line of `show books` with its mark.
package struct MarkedLine {
  package let text: String
  package let mark: TableRowMark?
  package let isStale: Bool

  init(text: String, mark: TableRowMark?, isStale: Bool = false) {
    self.text = text
    self.mark = mark
    self.isStale = isStale
  }
}

extension EventFormatter {
  /// The lines of `show books` as a person sees them: with what the last turn
  /// did, in place of the blanks before a row.
  package static func markedLines(of sections: [ShownSection]) -> [MarkedLine] {
    sections.enumerated().flatMap { index, section in
      let plain = lines(for: section, at: index)
      let marks = section.marks
      let gone = { (isHere: (Int?) -> Bool) in
        marks.gone.filter { isHere($0.nextRow) }.map { MarkedLine(text: $0.text, mark: .deleted) }
      }
      var result = gone { $0 == nil }
      for (offset, text) in plain.enumerated() {
        guard offset > 0 else {
          let mark: TableRowMark? = marks.isInserted ? .inserted : nil
          result.append(MarkedLine(text: mark.map { "\($0.symbol) \(text)" } ?? text, mark: mark))
          continue
        }
        let row = offset - 1
        result += gone { $0 == row }
        let isStale = marks.stale.contains(row)
        let symbol = isStale ? "!" : marks.rows[row]?.symbol ?? " "
        result.append(
          MarkedLine(text: symbol + text.dropFirst(), mark: marks.rows[row], isStale: isStale))
      }
      return result + gone { $0.map { $0 >= plain.count - 1 } ?? false }
    }
  }
}
