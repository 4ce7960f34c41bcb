import FetchedResults
package import TableViews

/// The marks that show on a terminal what the last turn did to a section.
///
/// A script's output does not contain them.
package struct SectionMarks {
  package var isInserted = false
  /// The marks by row.
  package var rows: [Int: TableRowMark] = [:]
  /// The rows that changed without a change of the controller.
  package var stale: Set<Int> = []
  /// The rows and sections that were removed.
  package var gone: [Gone] = []

  /// A removed row or section, as it was listed.
  package struct Gone {
    package let text: String
    /// The index of the row before which it would be; nil if it was before the section itself.
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
  /// Returns the lines of `show books` with marks of the last turn, which replace the blanks before
  /// a row.
  package static func markedLines(of sections: [ShownSection]) -> [MarkedLine] {
    let lines = MarkedLines(sections)
    return lines.lines(0..<lines.count)
  }
}

/// The marked lines of `show books`, each made when it is needed.
package struct MarkedLines {
  private let sections: [ShownSection]
  /// The number of the line where each section begins, and at the end the number of all lines.
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
  /// - Complexity: O(*n*) in the number of lines returned, and in the lines of sections that lost
  ///   rows.
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

  /// Returns a section with its removed rows.
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
