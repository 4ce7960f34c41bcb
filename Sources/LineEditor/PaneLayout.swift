/// The layout of what the program shows around a line.
struct PaneLayout {
  /// The number of columns that are left for the line.
  let lineColumns: Int
  /// The rows under the line.
  let below: [Frame.Row]
  /// The rows at its right, each with the rule before it.
  private let beside: [[Frame.Cell]]

  init(_ surroundings: LineSurroundings, columns: Int) {
    let hasPane =
      !surroundings.beside.isEmpty
      && columns - surroundings.besideColumns >= LineSurroundings.narrowestLine
    let lineColumns = hasPane ? columns - surroundings.besideColumns : columns
    self.lineColumns = lineColumns
    below = surroundings.below.map {
      Frame.Row(cells: MenuLayout.cut(Self.cells(of: $0), to: max(1, lineColumns - 1)))
    }
    // The terminal's last column stays empty, so that the terminal wraps no row.
    let room = surroundings.besideColumns - 3
    beside =
      hasPane
      ? surroundings.beside.map { MenuLayout.cut(Self.cells(of: $0), to: max(1, room)) } : []
  }

  private static func cells(of row: StyledRow) -> [Frame.Cell] {
    row.parts.flatMap { MenuLayout.cells($0.text, $0.style) }
  }

  /// Adds the pane at the right of the line's rows and of those under it.
  func add(to rows: inout [Frame.Row], _ menu: inout [Frame.Row]) {
    guard !beside.isEmpty else { return }
    while rows.count + menu.count < beside.count { menu.append(Frame.Row()) }
    for index in rows.indices { rows[index] = joined(rows[index], index) }
    for index in menu.indices { menu[index] = joined(menu[index], rows.count + index) }
  }

  private func joined(_ row: Frame.Row, _ index: Int) -> Frame.Row {
    guard index < beside.count else { return Frame.Row(cells: row.cells) }
    let blanks = lineColumns - row.width
    let gap = Array(repeating: Frame.Cell(text: " ", width: 1), count: max(0, blanks))
    let rule = [Frame.Cell(text: "│", width: 1), Frame.Cell(text: " ", width: 1)]
    return Frame.Row(cells: row.cells + gap + rule + beside[index])
  }
}
