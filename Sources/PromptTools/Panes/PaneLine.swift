import Basics
package import LineEditor
package import ScriptRuntime
import TableViews

/// A line of a pane, before it is cut to the width that there is.
package struct PaneLine: Hashable, Sendable {
  /// The change of a row or of a section.
  package enum Mark: String, Hashable, Sendable, CaseIterable {
    case none = " "
    case inserted = "+"
    case deleted = "-"
    case moved = ">"
    case updated = "*"
    case inconsistent = "!"
  }

  /// The kind of thing that a line shows.
  package enum Kind: Hashable, Sendable {
    case section
    case row
    /// A gap that stands for rows that are not shown.
    case gap
  }

  package let mark: Mark
  package let kind: Kind
  package let text: String

  package init(_ mark: Mark, _ kind: Kind, _ text: String) {
    self.mark = mark
    self.kind = kind
    self.text = text
  }

  static func gap(_ count: Int) -> PaneLine {
    PaneLine(.none, .gap, "⋯ \(count) \(count == 1 ? "row" : "rows")")
  }

  func row(_ styles: PaneStyles) -> StyledRow {
    let indent = kind == .section ? "" : "  "
    let style = mark == .none && kind == .gap ? styles.dim : styles.style(of: mark)
    return StyledRow("\(mark.rawValue) \(indent)\(text)", style)
  }
}

extension PaneLine.Mark {
  init(_ mark: TableRowMark?) {
    self =
      switch mark {
      case nil: .none
      case .inserted?: .inserted
      case .deleted?: .deleted
      case .moved?: .moved
      case .updated?: .updated
      }
  }
}

extension [PaneLine] {
  /// Returns the lines that fit: what changed, the line before and after each change, and the
  /// sections.
  ///
  /// - Parameter height: The largest number of lines; at least one.
  package func fitting(_ height: Int) -> [PaneLine] {
    guard count > height, height > 0 else { return self }
    var wanted = indices.filter { self[$0].mark != .none }
    wanted += wanted.flatMap { [$0 - 1, $0 + 1] }.filter(indices.contains)
    let sections = indices.filter { self[$0].kind == .section }
    var kept = Set(wanted + (sections.count + Set(wanted).count <= height / 2 ? sections : []))
    if kept.isEmpty { kept = Set(sections.prefix(height / 2)) }
    // The lines that are left are used from the top down; each gap takes a line.
    var lines = gapped(kept)
    for index in indices where !kept.contains(index) {
      guard lines.count < height else { break }
      let more = gapped(kept.union([index]))
      guard more.count <= height else { continue }
      kept.insert(index)
      lines = more
    }
    guard lines.count > height else { return lines }
    let shown = lines.prefix(height - 1)
    let rest = lines[(height - 1)...].reduce(0) { $0 + $1.hiddenRows }
    return shown + [.gap(Swift.max(1, rest))]
  }

  private func gapped(_ kept: Set<Int>) -> [PaneLine] {
    var lines: [PaneLine] = []
    var hidden = 0
    for index in indices {
      if kept.contains(index) {
        if hidden > 0 { lines.append(.gap(hidden)) }
        hidden = 0
        lines.append(self[index])
      } else {
        hidden += self[index].hiddenRows
      }
    }
    return hidden > 0 ? lines + [.gap(hidden)] : lines
  }
}

extension PaneLine {
  /// The number of hidden rows that a line stands for.
  fileprivate var hiddenRows: Int {
    switch kind {
    case .section: 0
    case .row: 1
    case .gap: Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
    }
  }
}

/// The styles of the panes' texts.
package struct PaneStyles: Hashable, Sendable {
  package var inserted = TextStyle.plain
  package var deleted = TextStyle.plain
  package var moved = TextStyle.plain
  package var updated = TextStyle.plain
  package var inconsistent = TextStyle.plain
  /// The first row of a pane.
  package var title = TextStyle.plain
  /// The style of less important text.
  package var dim = TextStyle.plain

  /// Creates styles without colours, for terminals where only the signs show what changed.
  package init() {}

  func style(of mark: PaneLine.Mark) -> TextStyle {
    switch mark {
    case .none: .plain
    case .inserted: inserted
    case .deleted: deleted
    case .moved: moved
    case .updated: updated
    case .inconsistent: inconsistent
    }
  }
}

/// A pane that says why the callbacks of the last turn were sent, one screen at a time.
package struct ExplanationPane {
  private let statement: String
  private let lines: [String]

  package init(statement: String, explanations: [Explanation]) {
    self.statement = statement
    lines = explanations.flatMap { Event.explanation($0).lines }
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
      let number = "\(point)".rightAligned(toColumns: width)
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

/// One line that says what a statement would send.
package struct WouldLine {
  private let callbacks: [Event]
  private let failure: String?

  package init(callbacks: [Event], failure: String?) {
    self.callbacks = callbacks
    self.failure = failure
  }

  /// The line.
  package var text: String {
    if let failure { return "# would fail: \(failure)" }
    // The callbacks around a batch are left out, unless there are no others.
    let changes = callbacks.filter { $0.callback?.isFrame == false }
    let shown = changes.isEmpty ? callbacks : changes
    guard !shown.isEmpty else { return "# would send nothing" }
    // What an observer does not tell is indented, as below its results.
    let texts = shown.prefix(2).map { ($0.lines.first ?? "").drop { $0 == " " } }
    let rest = shown.count - texts.count
    return "# would send: " + texts.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  /// All callbacks, one per line.
  package var lines: [String] {
    let sent = callbacks.flatMap { $0.lines }.map { "#   \($0)" }
    let end = failure.map { ["# would fail: \($0)"] } ?? []
    // A statement that fails sends nothing after the failure, and mostly nothing before.
    if sent.isEmpty { return end.isEmpty ? ["# would send nothing"] : end }
    return ["# would send:"] + sent + end
  }
}
