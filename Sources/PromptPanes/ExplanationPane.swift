package import LineEditor
package import ScriptRuntime

/// Why the callbacks of the last turn were sent, a screenful at a time.
package struct ExplanationPane {
  private let statement: String
  private let lines: [String]

  package init(statement: String, explanations: [Explanation]) {
    self.statement = statement
    lines = explanations.flatMap { EventFormatter.text.lines(for: .explanation($0)) }
  }

  /// The largest number of lines that may be passed over at the top.
  package func lastStart(height: Int) -> Int { max(0, lines.count - max(1, height - 2)) }

  /// - Parameters:
  ///   - start: How many lines are passed over at the top.
  ///   - height: How many rows there may be.
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
