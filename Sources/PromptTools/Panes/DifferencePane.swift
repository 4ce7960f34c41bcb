package import LineEditor

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
  /// - Parameter limit: The largest number of lines.
  package func lines(atMost limit: Int) -> [String] {
    let all = difference.controllers.filter(\.isChanged).flatMap { controller in
      controller.lines.filter { $0.mark != .none }.map { line in
        "\(controller.name): \(line.mark.rawValue) "
          + (line.kind == .section ? "section \(line.text)" : line.text)
      }
    }
    guard all.count > limit else { return all }
    return all.prefix(limit - 1) + ["and \(all.count - limit + 1) more"]
  }
}
