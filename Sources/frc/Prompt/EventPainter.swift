import FetchedResults
import LineEditor
import ScriptRuntime
import TableViews

/// Adds colours to the output of statements, without changing its text.
struct EventPainter {
  let usesColor: Bool
  /// Whether the lines go to a terminal, where control characters would have an effect.
  var isSeen = false
  /// Whether the background is light, where yellow is unreadable.
  var isLight = false
  var palette = PromptTheme.Palette.standard
  /// Whether everything is said in words, for a screen reader.
  var isSpoken = false

  private enum Style {
    case bold, dim, red, green, yellow, blue, magenta

    /// Returns the parameters of the SGR sequence.
    func code(_ palette: PromptTheme.Palette, isLight: Bool) -> String {
      switch (palette, self) {
      case (_, .bold): "1"
      case (_, .dim): "2"
      case (.standard, .red): "31"
      case (.standard, .green): "32"
      case (.standard, .yellow): isLight ? "35" : "33"
      case (.standard, .blue): "34"
      case (.standard, .magenta): "35"
      case (.colorblind, .red): isLight ? "38;5;166" : "38;5;214"
      case (.colorblind, .green): isLight ? "38;5;25" : "38;5;74"
      case (.colorblind, .yellow): isLight ? "38;5;94" : "38;5;227"
      case (.colorblind, .blue), (.colorblind, .magenta): isLight ? "38;5;133" : "38;5;175"
      case (.mono, .red), (.mono, .magenta): "4"
      case (.mono, .green), (.mono, .yellow), (.mono, .blue): "1"
      }
    }
  }

  /// Returns an event's lines with colours.
  ///
  /// - Parameter marks: Whether rows also have marks of what the last turn did.
  func lines(for event: Event, in mode: OutputFormat, marks: Bool = false) -> [String] {
    if isSpoken, case .showTable(let table) = event { return table.words.map(visible) }
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

  /// Returns the line; for a terminal, without control characters.
  func visible(_ line: String) -> String { isSeen ? EventFormatter.visible(line) : line }

  /// - Parameter width: The width of the window in columns; nil if nothing is cut.
  func paint(_ line: MarkedLine, width: Int? = nil) -> String {
    let whole = isSpoken ? line.words : line.text
    let text = width.map { whole.cut(toColumns: $0) } ?? whole
    guard usesColor, let style = line.isStale ? .magenta : line.mark.map(style) else {
      return text
    }
    return paint(text, style)
  }

  private func paint(_ drawn: ShownTable.DrawnLine) -> String {
    guard let line = drawn.line, let style = style(of: line) else { return drawn.description }
    return drawn.start + paint(drawn.text, style) + drawn.end
  }

  /// Returns the style of a line.
  ///
  /// Being stale is shown whatever the turn did to the line.
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

  /// Returns one of an event's lines with colours.
  private func paint(_ line: String, of event: Event) -> String {
    switch event {
    case .willChangeContent, .didChangeContent: return paint(line, .dim)
    case .didChangeObject(let controller, let type, _, _, _):
      return paint(type, in: line, after: "\(controller) didChange object ")
    case .didChangeSection(let controller, let type, _, _):
      return paint(type, in: line, after: "\(controller) didChange section ")
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

  /// Returns a line with a coloured rule name; the text after it is unchanged.
  private func paint(explained line: String) -> String {
    let start = "  rule "
    guard line.hasPrefix(start), let end = line.firstIndex(of: ":") else { return line }
    let name = line[line.index(line.startIndex, offsetBy: start.count)..<end]
    return start + paint(String(name), .blue) + line[end...]
  }

  /// Returns an acknowledgement or another comment in its style.
  func paint(comment: String) -> String { usesColor ? paint(comment, .dim) : comment }

  /// Colours the word for a change, and dims the words before it.
  private func paint(
    _ type: FetchedResultsChangeType, in line: String, after start: String
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
    "\u{1B}[\(style.code(palette, isLight: isLight))m\(text)\u{1B}[0m"
  }
}
