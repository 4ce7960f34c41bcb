package import LineEditor
package import ScriptRuntime

/// A pane with a controller's sections, and what the last turn did to them.
package struct SectionsPane {
  private let name: String
  private let sections: MarkedSections?

  /// - Parameter sections: Nil if the controller has not fetched.
  package init(name: String, sections: MarkedSections?) {
    self.name = name
    self.sections = sections
  }

  private var title: String {
    guard let sections else { return "\(name): not fetched yet" }
    let rows = sections.sections.reduce(0) { $0 + $1.count }
    let count = sections.sections.count
    return "\(name): \(rows) \(rows == 1 ? "row" : "rows") in \(count) "
      + (count == 1 ? "section" : "sections")
  }

  /// Returns the rows of the pane beside the typed line.
  ///
  /// - Parameter height: The largest number of rows.
  package func rows(height: Int, _ styles: PaneStyles) -> [StyledRow] {
    var rows = [StyledRow(title, styles.title)]
    if let inconsistency = sections?.inconsistency {
      rows.append(StyledRow("! \(inconsistency)", styles.inconsistent))
    }
    let room = max(1, height - rows.count)
    return rows + lines(near: room).fitting(room).map { $0.row(styles) }
  }

  /// Returns one line that replaces the pane in narrow windows.
  package func strip(_ styles: PaneStyles) -> StyledRow {
    var row = StyledRow(name, styles.title)
    guard let sections else {
      row.add(": not fetched yet", styles.dim)
      return row
    }
    var marks = PaneMarkCounts(sections.marks)
    if sections.inconsistency != nil { marks.add(.inconsistent) }
    for mark in PaneLine.Mark.allCases {
      guard let count = marks.counts[mark] else { continue }
      row.add(
        mark == .inconsistent ? "  !" : "  \(mark.rawValue)\(count)", styles.style(of: mark))
    }
    row.add(sections.sections.isEmpty ? "  no rows" : "  │", styles.dim)
    for section in sections.sections {
      let name = section.name.isEmpty ? "" : "\(section.name) "
      row.add("  \(name)\(section.count)", styles.dim)
    }
    return row
  }

  /// Returns the lines of the pane.
  ///
  /// Of a long list, these are the rows near changes and the first row of each section.
  private func lines(near height: Int) -> [PaneLine] {
    guard let sections else { return [] }
    return sections.sections.enumerated().flatMap { index, section in
      lines(of: section, at: index, sections, height)
    }
  }

  private func lines(
    of section: (name: String, count: Int), at index: Int, _ sections: MarkedSections,
    _ height: Int
  ) -> [PaneLine] {
    let marks = sections.marks[index]
    func gone(_ isHere: (Int?) -> Bool) -> [PaneLine] {
      marks.gone.filter { isHere($0.nextRow) }.map {
        let text = $0.text.drop { $0 == "-" || $0 == " " }
        let isSection = text.hasPrefix("section ")
        return PaneLine(.deleted, isSection ? .section : .row, String(text))
      }
    }
    let name = section.name.isEmpty ? "\"\"" : section.name
    var lines = gone { $0 == nil }
    lines.append(
      PaneLine(marks.isInserted ? .inserted : .none, .section, "\(name) (\(section.count))"))
    var next = 0
    for row in rowsToShow(of: section.count, marks, height) {
      if row > next { lines.append(.gap(row - next)) }
      next = row + 1
      lines += gone { $0 == row }
      let mark =
        marks.stale.contains(row) ? .inconsistent : PaneLine.Mark(marks.rows[row])
      lines.append(PaneLine(mark, .row, sections.text(section: index, row: row)))
    }
    if next < section.count { lines.append(.gap(section.count - next)) }
    return lines + gone { $0.map { $0 >= section.count } ?? false }
  }

  /// The indices of a section's rows that may be shown, ascending.
  private func rowsToShow(of count: Int, _ marks: SectionMarks, _ height: Int) -> [Int] {
    guard count > 4 * height else { return Array(0..<count) }
    let changed = (Array(marks.rows.keys) + marks.stale + marks.gone.compactMap(\.nextRow))
      .sorted().prefix(2 * height)
    let near =
      changed.flatMap { [$0 - 1, $0, $0 + 1] } + (changed.isEmpty ? Array(0..<height) : [])
    return Set(near.filter { (0..<count).contains($0) }).sorted()
  }
}

/// The number of rows with each mark.
struct PaneMarkCounts {
  private(set) var counts: [PaneLine.Mark: Int] = [:]

  init(_ marks: [SectionMarks]) {
    for section in marks {
      for (row, mark) in section.rows where !section.stale.contains(row) {
        add(PaneLine.Mark(mark))
      }
      for _ in section.stale { add(.inconsistent) }
      for gone in section.gone where !gone.text.hasPrefix("- section ") { add(.deleted) }
    }
  }

  mutating func add(_ mark: PaneLine.Mark) { counts[mark, default: 0] += 1 }
}
