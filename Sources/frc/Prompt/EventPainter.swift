import FetchedResults
import LineEditor
import ScriptRuntime
import TableViews

/// Colours what statements print, without changing a letter of it.
struct EventPainter {
  let usesColor: Bool
  /// Whether a terminal shows the lines, which would obey control characters.
  var isSeen = false
  /// Yellow cannot be read on a light background.
  var isLight = false

  private enum Style: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
  }

  /// Returns an event's lines with their colours.
  ///
  /// - Parameter marks: Whether rows get marks, too, of what the last turn did.
  func lines(for event: Event, in mode: OutputFormat, marks: Bool = false) -> [String] {
    if marks, mode == .text, case .show(_, let sections) = event, !sections.isEmpty {
      return EventFormatter.markedLines(of: sections).map { paint($0) }
    }
    guard usesColor else { return lines(for: event, in: mode) }
    if case .showTable(let table) = event { return table.drawing.map(paint) }
    return lines(for: event, in: mode).map { paint($0, of: event) }
  }

  private func lines(for event: Event, in mode: OutputFormat) -> [String] {
    mode.lines(for: event) { !InterruptFlag.isRaised }.map(visible)
  }

  /// The line as whoever reads the output may get it.
  func visible(_ line: String) -> String { isSeen ? EventFormatter.visible(line) : line }

  /// - Parameter width: How many columns the window has; nil if nothing is cut.
  func paint(_ line: MarkedLine, width: Int? = nil) -> String {
    let text = width.map { line.text.cut(toColumns: $0) } ?? line.text
    guard usesColor, let style = line.isStale ? .magenta : line.mark.map(style) else {
      return text
    }
    return paint(text, style)
  }

  private func paint(_ drawn: ShownTable.DrawnLine) -> String {
    guard let line = drawn.line, let style = style(of: line) else { return drawn.description }
    return drawn.start + paint(drawn.text, style) + drawn.end
  }

  /// What is stale is so whatever the turn did to it.
  private func style(of line: ShownTable.Line) -> Style? {
    if line.staleness != nil { return .magenta }
    if let mark = line.mark { return style(of: mark) }
    if case .header = line.kind { return .bold }
    return nil
  }

  private func style(of mark: TableRowMark) -> Style {
    switch mark {
    case .inserted: .green
    case .deleted: .red
    case .moved: .yellow
    case .updated: .blue
    }
  }

  /// Returns one of an event's lines with its colours.
  private func paint(_ line: String, of event: Event) -> String {
    switch event {
    case .willChangeContent, .didChangeContent: return paint(line, .dim)
    case .didChangeObject(let controller, let type, _, _, _):
      return paint(type, in: line, behind: "\(controller) didChange object ")
    case .didChangeSection(let controller, let type, _, _):
      return paint(type, in: line, behind: "\(controller) didChange section ")
    case .snapshot, .difference, .counts, .hook, .notification, .remoteChange:
      return paint(line, .dim)
    case .statement: return paint(line, .dim)
    case .console, .note: return paint(line, .yellow)
    case .error: return paint(line, .red)
    case .table, .dataSource: return paint(line, .dim)
    case .exception: return paint(line, .red)
    case .explanation: return paint(explained: line)
    case .explainedTurn: return paint(line, .dim)
    case .show, .showTable, .request, .value, .rows, .objects, .objectIDs, .dictionaries, .batch,
      .evaluation, .swift, .cache,
      .statistics, .model, .history:
      return line
    }
  }

  /// Paints a rule's name; what is behind it is read as it is.
  private func paint(explained line: String) -> String {
    let start = "  rule "
    guard line.hasPrefix(start), let end = line.firstIndex(of: ":") else { return line }
    let name = line[line.index(line.startIndex, offsetBy: start.count)..<end]
    return start + paint(String(name), .blue) + line[end...]
  }

  /// Returns an acknowledgement or another comment as it is shown.
  func paint(comment: String) -> String { usesColor ? paint(comment, .dim) : comment }

  /// Paints the word of a change, and the words before it lightly.
  private func paint(
    _ type: FetchedResultsChangeType, in line: String, behind start: String
  ) -> String {
    let word = type.rawValue
    guard line.hasPrefix(start + word) else { return line }
    let style: Style =
      switch type {
      case .insert: .green
      case .delete: .red
      case .move: .yellow
      case .update: .blue
      }
    return paint(start, .dim) + paint(word, style) + line.dropFirst(start.count + word.count)
  }

  private func paint(_ text: String, _ style: Style) -> String {
    let code = isLight && style == .yellow ? "35" : style.rawValue
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
