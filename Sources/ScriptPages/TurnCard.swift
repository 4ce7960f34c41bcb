import Basics
import FetchedResults
import ScriptRuntime

/// A picture of one turn of a controller: the results before it, the callbacks, and the results
/// after it.
package struct TurnCard {
  private let statement: [String]
  private let controller: String
  private var before: [Row] = []
  private var callbacks: [(mark: Mark?, text: String)] = []
  private var after: [Row] = []

  private enum Mark: String {
    case insert = "+"
    case delete = "-"
    case move = ">"
    case update = "*"

    init(_ type: FetchedResultsChangeType) {
      switch type {
      case .insert: self = .insert
      case .delete: self = .delete
      case .move: self = .move
      case .update: self = .update
      }
    }

    /// The CSS class of the mark.
    var name: String {
      switch self {
      case .insert: "insert"
      case .delete: "delete"
      case .move: "move"
      case .update: "update"
      }
    }
  }

  /// A line of the results.
  ///
  /// A header has no index path.
  private struct Row {
    let path: String?
    let text: String
    let mark: Mark?
  }

  /// Draws a turn.
  ///
  /// - Parameters:
  ///   - step: The statement of the turn, counted from 0.
  ///   - controller: The controller's name; nil for the first one that sends a callback.
  /// - Returns: Nil if the statement makes no such controller send callbacks.
  package init?(_ recording: PlayRecording, step: Int, controller: String? = nil) {
    guard recording.steps.indices.contains(step) else { return nil }
    let told = recording.steps[step].frames.compactMap(\.event.callback)
    guard let name = controller ?? told.first?.controller,
      told.contains(where: { $0.controller == name })
    else { return nil }
    self.controller = name
    let lines = recording.steps[step].lines
    statement = recording.lines[lines.lowerBound - 1..<min(lines.upperBound, recording.lines.count)]
      .filter { !$0.hasPrefix("#>") && !$0.hasPrefix("#?") }

    var list = PlayedList()
    for earlier in recording.steps[..<step] { list.play(earlier, of: name) }
    let own = told.filter { $0.controller == name }
    let old = list
    list.play(recording.steps[step], of: name)
    before = Self.rows(of: old, own.filter(\.leaves))
    after = Self.rows(of: list, own.filter(\.arrives))
    callbacks = recording.steps[step].frames.compactMap { frame in
      guard let callback = frame.event.callback, callback.controller == name else { return nil }
      let text = callback.form.lines.first ?? ""
      return (callback.type.map(Mark.init), text.dropPrefix("\(name) "))
    }
  }

  private static func rows(of list: PlayedList, _ changes: [ControllerCallback]) -> [Row] {
    var marks: [ListItem: Mark] = [:]
    for change in changes { if let item = change.item { marks[item] = change.type.map(Mark.init) } }
    var (section, row) = (list.hasSections ? -1 : 0, 0)
    return list.items.map { item in
      switch item {
      case .section(let name):
        (section, row) = (section + 1, 0)
        return Row(path: nil, text: name, mark: marks[item])
      case .row(let key):
        defer { row += 1 }
        let text = list.texts[key]
        return Row(
          path: "[\(section), \(row)]", text: text.map { $0.text ?? $0.object } ?? key.description,
          mark: marks[item])
      }
    }
  }
}

extension ControllerCallback {
  /// The row or header that the callback is about; nil if it is about a whole batch.
  fileprivate var item: ListItem? {
    switch kind {
    case .didChangeObject(_, let object, _, _): .row(RowKey(number: object.id.number))
    case .didChangeSection(_, _, let name): .section(name)
    case .willChangeContent, .didChangeContent, .snapshot, .difference, .counts, .results,
      .replaced:
      nil
    }
  }

  /// Whether the picture before the turn marks it.
  fileprivate var leaves: Bool { type == .delete || type == .move }
  /// Whether the picture after the turn marks it.
  fileprivate var arrives: Bool { type != nil && type != .delete }
}

/// A list of a recording as it is after some step.
private struct PlayedList {
  private(set) var items: [ListItem] = []
  private(set) var texts: [RowKey: RowText] = [:]

  var hasSections: Bool {
    if case .section? = items.first { true } else { false }
  }

  mutating func play(_ step: PlayRecording.Step, of name: String) {
    if step.beginsSession { self = PlayedList() }
    for changes in step.frames.map(\.change) + [step.change] {
      for (list, change) in changes.lists where list == name {
        guard let change else {
          self = PlayedList()
          continue
        }
        items = items.applying(change.edits)
        for (key, text) in change.texts { texts[key] = text }
      }
    }
  }
}

extension [ListItem] {
  /// Returns the items after applying edits.
  func applying(_ edits: [ListEdit]) -> [ListItem] {
    guard !edits.isEmpty else { return self }
    var result: [ListItem] = []
    var place = startIndex
    for edit in edits {
      switch edit {
      case .keep(let count):
        result += self[place..<place + count]
        place += count
      case .delete(let count): place += count
      case .insert(let items): result += items
      }
    }
    return result
  }
}

// MARK: - Drawing

extension TurnCard {
  private static let lineHeight = 24
  /// The largest number of lines in a column.
  private static let mostLines = 16
  private static let mostStatementLines = 8
  private static let width = 960
  /// The columns' left edges and widths.
  private static let columns = [(x: 20, width: 212), (x: 248, width: 464), (x: 728, width: 212)]

  /// The picture as the text of an SVG file.
  ///
  /// It follows the reader's light or dark colours.
  package var svg: String {
    var body = ""
    var y = 34
    let isLong = statement.count > Self.mostStatementLines
    let code = isLong ? statement.prefix(Self.mostStatementLines - 1) : statement[...]
    for line in code {
      body += text(line.clipped(to: 118), x: 20, y: y, "code", in: Self.width - 40, letter: 7)
      y += 20
    }
    if isLong {
      body += text("… \(statement.count - code.count) more", x: 20, y: y, "quiet")
      y += 20
    }
    let top = y + 18
    let titles = ["before", "callbacks of \(controller)", "after"]
    for (column, title) in zip(Self.columns, titles) {
      body += text(title.clipped(to: 40), x: column.x, y: top, "title", in: column.width)
    }
    let shown = callbacks.map { (mark: $0.mark, path: nil as String?, text: $0.text) }
    let columns = [
      before.map { (mark: $0.mark, path: $0.path, text: $0.text) }, shown,
      after.map { (mark: $0.mark, path: $0.path, text: $0.text) },
    ]
    let marked = columns.map { $0.firstIndex { $0.mark != nil } }
    var height = 1
    for (index, lines) in columns.enumerated() {
      let column = Self.columns[index]
      // Rows that only the other list marks are shown around the same place.
      let other = index == 1 ? nil : marked[2 - index]
      let window = Self.window(of: lines.count, around: marked[index] ?? other ?? 0)
      let start = min(window.lowerBound, 1)
      func note(_ count: Int, at row: Int) -> String {
        text("… \(count) more", x: column.x + 8, y: top + 29 + row * Self.lineHeight, "quiet")
      }
      if start > 0 { body += note(window.lowerBound, at: 0) }
      for (row, line) in lines[window].enumerated() {
        body += draw(line, isCallback: index == 1, column, top + 12, start + row)
      }
      if lines.isEmpty { body += text("no rows", x: column.x, y: top + 29, "quiet") }
      let rest = lines.count - window.upperBound
      if rest > 0 { body += note(rest, at: start + window.count) }
      height = max(height, min(lines.count, Self.mostLines))
    }
    return document(body, height: top + 24 + height * Self.lineHeight + 12)
  }

  /// The lines of a column that are shown: all of them, or those around a place.
  ///
  /// One line above them and one below say how many more there are.
  private static func window(of count: Int, around place: Int) -> Range<Int> {
    guard count > mostLines else { return 0..<count }
    if place < mostLines - 1 { return 0..<mostLines - 1 }
    let last = count - mostLines + 1
    let start = min(place - mostLines / 2, last)
    return start..<(start == last ? count : start + mostLines - 2)
  }

  private func draw(
    _ line: (mark: Mark?, path: String?, text: String), isCallback: Bool,
    _ column: (x: Int, width: Int), _ top: Int, _ row: Int
  ) -> String {
    let y = top + row * Self.lineHeight
    var result = ""
    if let mark = line.mark {
      result +=
        "<rect class=\"\(mark.name)-ground\" x=\"\(column.x)\" y=\"\(y)\" "
        + "width=\"\(column.width)\" height=\"\(Self.lineHeight - 2)\" rx=\"4\"/>\n"
      result += text(mark.rawValue, x: column.x + 7, y: y + 16, "sign \(mark.name)")
    }
    let (x, room) = (column.x + 24, column.width - 24)
    if isCallback {
      return result
        + text(line.text.clipped(to: 60), x: x, y: y + 16, "code", in: room, letter: 7)
    }
    guard let path = line.path else {
      return result + text(line.text.clipped(to: 23), x: x, y: y + 16, "section", in: room)
    }
    // The path of a row far below needs more room.
    let indent = max(60, path.count * 8)
    return result + text(path, x: x, y: y + 16, "path")
      + text(
        line.text.clipped(to: 18), x: x + indent, y: y + 16, "shown", in: max(0, room - indent))
  }

  /// A text that ends at the edge of its column, however wide its letters are.
  ///
  /// - Parameter letter: The width of the widest ASCII letter, in pixels.
  private func text(
    _ text: String, x: Int, y: Int, _ style: String, in room: Int, letter: Int = 14
  ) -> String {
    let fits = text.utf8.allSatisfy { $0 < 0x80 } && text.utf8.count * letter <= room
    guard !fits else { return self.text(text, x: x, y: y, style) }
    // What is outside of an inner picture is not drawn.
    return "<svg x=\"\(x)\" y=\"\(y - 16)\" width=\"\(room)\" height=\"\(Self.lineHeight)\">\n"
      + self.text(text, x: 0, y: 16, style) + "</svg>\n"
  }

  private func text(_ text: String, x: Int, y: Int, _ style: String) -> String {
    "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(text.asMarkup)</text>\n"
  }

  private func document(_ body: String, height: Int) -> String {
    let label = "A turn of \(controller): \(statement.joined(separator: " "))"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" \
      width="\(Self.width)" height="\(height)" role="img">
      <title>\(label.asMarkup)</title>
      <style>
      \(Self.style)
      </style>
      <rect class="card" x="0.5" y="0.5" width="\(Self.width - 1)" height="\(height - 1)" rx="12"/>
      \(body)</svg>

      """
  }

  private static let style = """
    text { font: 14px system-ui, sans-serif; fill: #1d1f21; white-space: pre; }
    .code, .path { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; }
    .title { font-size: 12px; font-weight: 600; }
    .title, .quiet, .path { fill: #5c6166; }
    .section { font-weight: 600; }
    .sign { font: 700 14px monospace; }
    .card { fill: #ffffff; stroke: #dddfe1; }
    .insert { fill: #00694b; } .insert-ground { fill: #e2f5ee; }
    .delete { fill: #a83f00; } .delete-ground { fill: #fdebdf; }
    .move { fill: #00598f; } .move-ground { fill: #e1f0fb; }
    .update { fill: #84326a; } .update-ground { fill: #f8e7f2; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e8eaec; }
      .title, .quiet, .path { fill: #a3a9ae; }
      .card { fill: #1f2225; stroke: #373b40; }
      .insert { fill: #57d3ac; } .insert-ground { fill: #17352c; }
      .delete { fill: #ffa56b; } .delete-ground { fill: #41281a; }
      .move { fill: #7cc4f7; } .move-ground { fill: #17303f; }
      .update { fill: #eda9d3; } .update-ground { fill: #3a2434; }
    }
    """
}

extension String {
  /// Returns the text, cut to this number of columns.
  fileprivate func clipped(to columns: Int) -> String {
    guard DisplayWidth.width(of: self) > columns else { return self }
    var rest = columns - 1
    return prefix { character in
      rest -= DisplayWidth.width(of: character)
      return rest >= 0
    } + "…"
  }

  fileprivate func dropPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
