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
    marks.add(sections.gone)
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
    return sections.gone.map(PaneLine.init)
      + sections.sections.enumerated().flatMap { index, section in
        lines(of: section, at: index, sections, height)
      }
  }

  private func lines(
    of section: (name: String, count: Int), at index: Int, _ sections: MarkedSections,
    _ height: Int
  ) -> [PaneLine] {
    let marks = sections.marks[index]
    func gone(_ isHere: (Int?) -> Bool) -> [PaneLine] {
      marks.gone.filter { isHere($0.nextRow) }.map(PaneLine.init)
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
      add(section.gone)
    }
  }

  /// Counts removed rows.
  mutating func add(_ gone: [SectionMarks.Gone]) {
    for gone in gone where !gone.text.hasPrefix("- section ") { add(.deleted) }
  }

  mutating func add(_ mark: PaneLine.Mark) { counts[mark, default: 0] += 1 }
}

/// The difference between two points of a session, as a pane or as lines of text.
package struct DifferencePane {
  private let difference: SeenDifference

  package init(_ difference: SeenDifference) { self.difference = difference }

  /// Returns the rows of the pane.
  ///
  /// - Parameters:
  ///   - title: The title, which says what is compared.
  ///   - height: The largest number of rows.
  package func rows(title: String, height: Int, _ styles: PaneStyles) -> [StyledRow] {
    let changed = difference.controllers.filter(\.isChanged)
    var rows = [StyledRow(title, styles.title)]
    if changed.isEmpty {
      return rows + [StyledRow("  the rows of all controllers are the same", styles.dim)]
    }
    for (index, controller) in changed.enumerated() {
      // The rows that are left are shared equally among the controllers.
      let room = (height - rows.count) / (changed.count - index) - 1
      guard room > 0 else { break }
      rows.append(StyledRow(controller.name, styles.title))
      rows += controller.lines.fitting(room).map { $0.row(styles) }
    }
    return rows
  }

  /// Returns the rows that differ as lines, for the text below a statement.
  ///
  /// - Parameters:
  ///   - limit: The largest number of lines.
  ///   - saysMarks: Whether a mark is a word after the line and not a sign before it.
  package func lines(atMost limit: Int, saysMarks: Bool = false) -> [String] {
    let all = difference.controllers.filter(\.isChanged).flatMap { controller in
      controller.lines.filter { $0.mark != .none }.map { line in
        let text = line.kind == .section ? "section \(line.text)" : line.text
        return saysMarks
          ? "\(controller.name): \(text), \(line.mark)"
          : "\(controller.name): \(line.mark.rawValue) \(text)"
      }
    }
    guard all.count > limit else { return all }
    return all.prefix(limit - 1) + ["and \(all.count - limit + 1) more"]
  }
}

/// The difference between what controllers show at two points of a session.
package struct SeenDifference {
  /// A controller whose rows differ.
  package struct Controller {
    package let name: String
    /// The sections at the second point.
    ///
    /// Rows that only the first point has are at the end of their section.
    package let lines: [PaneLine]
    /// Whether the two points differ.
    package let isChanged: Bool
  }

  /// The controllers that at least one of the points has.
  package let controllers: [Controller]

  /// Compares two points.
  ///
  /// - Complexity: O(*n* log *n*) in the rows. ``SeenController`` keeps few of them.
  package init(from old: [SeenController], to new: [SeenController]) {
    let names =
      new.map(\.name) + old.map(\.name).filter { name in !new.contains { $0.name == name } }
    controllers = names.map { name in
      let before = old.first { $0.name == name }
      let after = new.first { $0.name == name }
      let lines = Self.lines(before?.sections ?? [], after?.sections ?? [])
      let isDefined = (before == nil) != (after == nil)
      let isFetched = (before?.sections == nil) != (after?.sections == nil)
      return Controller(
        name: name, lines: lines,
        isChanged: isDefined || isFetched || lines.contains { $0.mark != .none })
    }
  }

  private static func lines(
    _ old: [SeenController.Section], _ new: [SeenController.Section]
  ) -> [PaneLine] {
    var places: [String: Int] = [:]
    for (index, section) in old.enumerated() {
      for row in section.rows ?? [] { places["\(row.id)"] = index }
    }
    let kept = Set(new.flatMap { $0.rows ?? [] }.map { "\($0.id)" })
    var lines = new.flatMap { section in
      let before = old.first { $0.name == section.name }
      return Self.lines(from: before, to: section, places, kept)
    }
    for section in old where !new.contains(where: { $0.name == section.name }) {
      lines.append(PaneLine(.deleted, .section, title(section)))
      lines += gone(from: section, kept)
    }
    return lines
  }

  private static func title(_ section: SeenController.Section) -> String {
    "\(section.name.isEmpty ? "\"\"" : section.name) (\(section.count))"
  }

  private static func gone(
    from section: SeenController.Section?, _ kept: Set<String>
  ) -> [PaneLine] {
    (section?.rows ?? []).filter { !kept.contains("\($0.id)") }
      .map { PaneLine(.deleted, .row, $0.text) }
  }

  private static func lines(
    from before: SeenController.Section?, to section: SeenController.Section,
    _ places: [String: Int], _ kept: Set<String>
  ) -> [PaneLine] {
    guard let rows = section.rows, before == nil || before?.rows != nil else {
      // For long lists, only the number of rows is known.
      let count = before?.count ?? 0
      let isSame = before != nil && count == section.count
      let text = isSame ? title(section) : "\(title(section)), was \(count)"
      return [PaneLine(isSame ? .none : before == nil ? .inserted : .updated, .section, text)]
    }
    var lines = [PaneLine(before == nil ? .inserted : .none, .section, title(section))]
    let earlier = Dictionary(
      (before?.rows ?? []).enumerated().map { ("\($1.id)", (place: $0, row: $1)) }
    ) { first, _ in first }
    let inOrder = longestRun(rows.compactMap { earlier["\($0.id)"]?.place })
    for row in rows {
      let id = "\(row.id)"
      var mark = PaneLine.Mark.none
      if let found = earlier[id] {
        if !inOrder.contains(found.place) {
          mark = .moved
        } else if found.row.values != row.values || found.row.text != row.text {
          mark = .updated
        }
      } else {
        mark = places[id] == nil ? .inserted : .moved
      }
      lines.append(PaneLine(mark, .row, row.text))
    }
    return lines + gone(from: before, kept)
  }

  /// Returns the largest set of numbers that ascend from left to right.
  ///
  /// The other rows have moved.
  private static func longestRun(_ numbers: [Int]) -> Set<Int> {
    /// For each length, the index where the run with the smallest last number ends.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var run: Set<Int> = []
    var index = ends.last ?? -1
    while index >= 0 {
      run.insert(numbers[index])
      index = previous[index]
    }
    return run
  }
}

extension PaneLine {
  /// The line of a removed row or section.
  fileprivate init(_ gone: SectionMarks.Gone) {
    let text = gone.text.drop { $0 == "-" || $0 == " " }
    self.init(.deleted, text.hasPrefix("section ") ? .section : .row, String(text))
  }
}
