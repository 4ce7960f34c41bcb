package import LineEditor

/// A pane with the points of a session around the chosen one.
package struct TimelinePane {
  private let titles: [String]
  private let chosen: Int
  private let current: Int

  /// - Parameters:
  ///   - titles: The statements. The point before the first statement has no title.
  ///   - chosen: The chosen point: the number of statements that ran before it.
  ///   - current: The point where the session is.
  package init(titles: [String], chosen: Int, current: Int) {
    self.titles = titles
    self.chosen = chosen
    self.current = current
  }

  /// - Parameter height: The largest number of rows; at least two.
  package func rows(height: Int, _ styles: PaneStyles) -> [StyledRow] {
    let count = max(1, height - 1)
    let last = titles.count
    let first = max(0, min(chosen - count / 2, last - count + 1))
    let width = "\(last)".count
    let rows = (first...min(last, first + count - 1)).map { point in
      let number = String(repeating: " ", count: width - "\(point)".count) + "\(point)"
      let title = point == 0 ? "the beginning" : titles[point - 1]
      let remark = point == current ? "  (now)" : point > current ? "  (undone)" : ""
      let text = "\(point == chosen ? ">" : " ") \(number)  \(title)\(remark)"
      return StyledRow(text, point == chosen ? styles.title : point > current ? styles.dim : .plain)
    }
    return rows + [
      StyledRow("Left and Right move, Enter goes there, Esc leaves", styles.dim)
    ]
  }
}
