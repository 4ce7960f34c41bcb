package import LineEditor

/// The points of a session around the one that is chosen.
package struct TimelinePane {
  private let titles: [String]
  private let chosen: Int
  private let current: Int

  /// - Parameters:
  ///   - titles: The statements; the first point, before them all, is not among them.
  ///   - chosen: The chosen point, counted in statements that have run.
  ///   - current: The point where the session is.
  package init(titles: [String], chosen: Int, current: Int) {
    self.titles = titles
    self.chosen = chosen
    self.current = current
  }

  /// - Parameter height: How many rows there may be, at least two.
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
