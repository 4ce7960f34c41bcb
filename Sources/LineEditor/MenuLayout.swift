import Basics

/// The rows of a menu: names, each with a description.
struct MenuLayout {
  private(set) var rows: [Frame.Row] = []

  /// Lays out a menu in rows that leave the terminal's last column empty.
  ///
  /// Longer texts are cut.
  init(_ menu: [LineView.MenuRow], _ styles: EditorStyles, columns: Int) {
    let longest =
      menu.filter { !$0.detail.isEmpty }.map { DisplayWidth.width(of: $0.text) }.max() ?? 0
    // In a narrow window, descriptions get half of the width.
    let width = min(longest, max(8, columns / 2))
    for row in menu {
      let style = row.isChosen ? styles.chosen : styles.candidate
      // Without colours, the mark shows which candidate is chosen.
      var cells = Self.cells(row.isChosen ? "> " : "  ", style)
      if row.detail.isEmpty {
        cells += Self.cells(row.text, style)
      } else {
        let name = Self.cut(Self.cells(row.text, style), to: width)
        let gap = width - name.reduce(0) { $0 + $1.width } + 2
        cells += name + Self.cells(String(repeating: " ", count: gap), style)
        cells += Self.cells(row.detail, row.isChosen ? styles.chosen : styles.detail)
      }
      rows.append(Frame.Row(cells: Self.cut(cells, to: max(1, columns - 1))))
    }
  }

  static func cells(_ text: String, _ style: TextStyle) -> [Frame.Cell] {
    text.flatMap { character in
      character.isNewline
        ? [Frame.Cell(text: "⏎", width: 1, style: style)] : Frame.cells(for: character, style)
    }
  }

  /// Returns the cells that fit; if not all do, the last one is an ellipsis.
  static func cut(_ cells: [Frame.Cell], to width: Int) -> [Frame.Cell] {
    var rest = width
    guard cells.reduce(0, { $0 + $1.width }) > width else { return cells }
    rest -= 1
    let kept = cells.prefix { cell in
      rest -= cell.width
      return rest >= 0
    }
    return kept + [Frame.Cell(text: "…", width: 1, style: cells[kept.count].style)]
  }
}
