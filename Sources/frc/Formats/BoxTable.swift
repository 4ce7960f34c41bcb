import Basics

/// Rows as an aligned table with lines between the columns.
///
/// In a narrow window, long cells are cut. If that is not enough, each row becomes a record with
/// one line for each column.
struct BoxTable {
  /// The smallest width to which a column is cut.
  private static let narrowest = 8

  private let head: [String]
  private let rows: [[String]]
  private let numbers: Set<Int>
  private let width: Int?
  /// The index of the row after a gap; nil if the rows are consecutive.
  private let gap: Int?
  /// The number of the first row, and that of the first row after the gap.
  private let numbersOfRows: (first: Int, afterGap: Int)

  /// - Parameters:
  ///   - cells: The rows to show.
  ///   - width: The width of the window in columns; nil if nothing is cut.
  ///   - gap: The index of the row before which rows are left out.
  ///   - first: The number of the first row, counted from 1.
  ///   - afterGap: The number of the first row after the gap.
  init(
    head: [String], cells: [[EventTable.Cell]], width: Int? = nil, gap: Int? = nil, first: Int = 1,
    afterGap: Int = 1
  ) {
    self.head = head
    rows = cells.map { $0.map(\.line) }
    numbers = Set(
      head.indices.filter { column in
        cells.contains { $0.indices.contains(column) && $0[column].isNumber }
      })
    self.width = width
    self.gap = gap
    numbersOfRows = (first, afterGap)
  }

  /// The width of the widest cell in each column.
  private var naturalWidths: [Int] {
    rows.reduce(head.map(DisplayWidth.width)) { widths, row in
      zip(widths, row).map { max($0, DisplayWidth.width(of: $1)) }
    }
  }

  /// Returns the lines of the table, or of records if even cut columns do not fit.
  func lines(while goesOn: () -> Bool = { true }) -> [String]? {
    guard let widths = fittingWidths else { return records(while: goesOn) }
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
    var lines = [line(head, widths, alignsNumbers: false), rule]
    for (index, row) in rows.enumerated() {
      if index % 256 == 0, !goesOn() { return nil }
      if index == gap { lines.append("…") }
      lines.append(line(row, widths))
    }
    return lines
  }

  /// The widths of the columns after cutting; nil if the table does not fit.
  private var fittingWidths: [Int]? {
    var widths = naturalWidths
    guard let width else { return widths }
    let least = zip(widths, head).map { natural, name in
      min(natural, max(Self.narrowest, min(DisplayWidth.width(of: name), 2 * Self.narrowest)))
    }
    let room = width - 3 * (widths.count - 1)
    guard least.reduce(0, +) <= room else { return nil }
    // The widest column is cut first, so that short columns stay complete.
    while widths.reduce(0, +) > room {
      let candidates = widths.indices.filter { widths[$0] > least[$0] }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return nil }
      let next = candidates.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      let surplus = widths.reduce(0, +) - room
      let target = max(least[widest], min(widths[widest] - 1, max(next, widths[widest] - surplus)))
      widths[widest] = target
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int], alignsNumbers: Bool = true) -> String {
    var line = widths.indices.map { column in
      let cell = cells[column].cut(toColumns: widths[column])
      let blanks = String(
        repeating: " ", count: max(0, widths[column] - DisplayWidth.width(of: cell)))
      return alignsNumbers && numbers.contains(column) ? blanks + cell : cell + blanks
    }.joined(separator: " │ ")
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  // MARK: Records

  /// Returns each row as a record: its number, then a line for each column.
  func records(while goesOn: () -> Bool = { true }) -> [String]? {
    let names = head.map(DisplayWidth.width).max() ?? 0
    var lines: [String] = []
    for (index, row) in rows.enumerated() {
      if index % 256 == 0, !goesOn() { return nil }
      if index == gap { lines.append("…") }
      let number =
        gap.map { index < $0 } ?? true
        ? numbersOfRows.first + index : numbersOfRows.afterGap + index - (gap ?? 0)
      lines.append("row \(number)")
      for (name, cell) in zip(head, row) {
        let blanks = String(repeating: " ", count: names - DisplayWidth.width(of: name))
        let line = "  " + name + blanks + "  " + cell
        lines.append(width.map { line.cut(toColumns: $0) } ?? line)
      }
    }
    return lines
  }
}

extension String {
  /// Returns the text, cut to a width in terminal columns.
  ///
  /// A cut text ends with `…`.
  func cut(toColumns width: Int) -> String {
    // A text has at most as many columns as bytes.
    guard utf8.count > width, DisplayWidth.width(of: self) > width else { return self }
    var result = ""
    var columns = 0
    for character in self {
      columns += DisplayWidth.width(of: character)
      guard columns < width else { break }
      result.append(character)
    }
    return result + "…"
  }
}
