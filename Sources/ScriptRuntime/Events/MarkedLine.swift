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
    /// The row before which it would be; nil for before the section itself.
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
    let lines = MarkedLines(sections)
    return lines.lines(0..<lines.count)
  }
}

/// The lines of `show books` as a person sees them, made when they are asked for.
package struct MarkedLines {
  private let sections: [ShownSection]
  /// The number of the line with which each section begins, and the number of all lines.
  private let starts: [Int]

  package init(_ sections: [ShownSection]) {
    self.sections = sections
    starts = sections.reduce(into: [0]) { starts, section in
      starts.append(starts[starts.count - 1] + 1 + section.objects.count + section.marks.gone.count)
    }
  }

  /// How many lines there are.
  package var count: Int { starts[starts.count - 1] }

  /// Returns some of the lines.
  ///
  /// - Complexity: O(*n*), where *n* is the number of lines asked for, and of the lines of those
  ///   sections that lost rows.
  package func lines(_ range: Range<Int>) -> [MarkedLine] {
    sections.indices.flatMap { index -> [MarkedLine] in
      let wanted = range.clamped(to: starts[index]..<starts[index + 1])
      guard !wanted.isEmpty else { return [] }
      let local = (wanted.lowerBound - starts[index])..<(wanted.upperBound - starts[index])
      let section = sections[index]
      guard section.marks.gone.isEmpty else {
        return Array(whole(section, at: index)[local])
      }
      return local.map { $0 == 0 ? head(section, at: index) : row($0 - 1, of: section, at: index) }
    }
  }

  private func head(_ section: ShownSection, at index: Int) -> MarkedLine {
    let text = EventFormatter.head(of: section, at: index)
    let mark: TableRowMark? = section.marks.isInserted ? .inserted : nil
    return MarkedLine(text: mark.map { "\($0.symbol) \(text)" } ?? text, mark: mark)
  }

  private func row(_ row: Int, of section: ShownSection, at index: Int) -> MarkedLine {
    let marks = section.marks
    let text = EventFormatter.line(ofRow: row, of: section, at: index)
    let isStale = marks.stale.contains(row)
    let symbol = isStale ? "!" : marks.rows[row]?.symbol ?? " "
    return MarkedLine(text: symbol + text.dropFirst(), mark: marks.rows[row], isStale: isStale)
  }

  /// A section with the rows that went.
  private func whole(_ section: ShownSection, at index: Int) -> [MarkedLine] {
    let gone = { (isHere: (Int?) -> Bool) in
      section.marks.gone.filter { isHere($0.nextRow) }
        .map { MarkedLine(text: $0.text, mark: .deleted) }
    }
    var result = gone { $0 == nil } + [head(section, at: index)]
    let rowsBefore = Set(section.marks.gone.compactMap(\.nextRow))
    for number in section.objects.indices {
      if rowsBefore.contains(number) { result += gone { $0 == number } }
      result.append(row(number, of: section, at: index))
    }
    return result + gone { $0.map { $0 >= section.objects.count } ?? false }
  }
}
