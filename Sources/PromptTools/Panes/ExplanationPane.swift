package import LineEditor
package import ScriptRuntime

/// A pane that says why the callbacks of the last turn were sent, one screen at a time.
package struct ExplanationPane {
  private let statement: String
  private let lines: [String]

  package init(statement: String, explanations: [Explanation]) {
    self.statement = statement
    lines = explanations.flatMap { EventFormatter.text.lines(for: .explanation($0)) }
  }

  /// The largest number of lines that can be scrolled past.
  package func lastStart(height: Int) -> Int { max(0, lines.count - max(1, height - 2)) }

  /// - Parameters:
  ///   - start: The number of lines that are scrolled past.
  ///   - height: The largest number of rows.
  package func rows(from start: Int, height: Int, _ styles: PaneStyles) -> [StyledRow] {
    let room = max(1, height - 2)
    let start = min(max(0, start), lastStart(height: height))
    let shown = lines[start..<min(lines.count, start + room)].map { line in
      StyledRow(line, line.hasPrefix(" ") ? styles.dim : .plain)
    }
    let rest = lines.count - start - shown.count
    let more = rest > 0 ? "Up and Down move, \(rest) more; " : start > 0 ? "Up and Down move; " : ""
    return [StyledRow("why, after: \(statement)", styles.title)] + shown
      + [StyledRow(more + "any other key closes", styles.dim)]
  }
}
