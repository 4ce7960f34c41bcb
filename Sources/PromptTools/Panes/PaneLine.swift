import LineEditor
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
