/// Candidates arranged in columns, read downwards as `ls` has them.
package struct CandidateList {
  /// The rows to print.
  package let rows: [String]

  /// Arranges `candidates`.
  ///
  /// - Parameters:
  ///   - candidates: What to show; blanks at an end are left out.
  ///   - size: The terminal's size. When the list is longer than its rows, the
  ///     last row says how many candidates are missing.
  package init(_ candidates: [String], fitting size: TerminalSize) {
    let names = candidates.map { name in
      String(name.reversed().drop { $0 == " " }.reversed())
    }
    let cell = (names.map(\.displayWidth).max() ?? 0) + 2
    // The last cell of a row stays empty: writing there makes some terminals
    // begin a new row and some not.
    let columns = max(1, (size.columns + 1) / cell)
    let needed = (names.count + columns - 1) / columns
    // A row for the prompt and one for the line that says what is missing.
    let available = max(1, size.rows - 3)
    let isCut = needed > available
    let rowCount = isCut ? available : needed
    let shown = isCut ? Array(names.prefix(rowCount * columns)) : names

    var rows = (0..<rowCount).map { row in
      let inRow = stride(from: row, to: shown.count, by: rowCount).map { shown[$0] }
      return inRow.dropLast().map { $0.padded(toDisplayWidth: cell) }.joined()
        + (inRow.last ?? "")
    }
    if isCut { rows.append("... and \(names.count - shown.count) more") }
    self.rows = rows
  }
}
