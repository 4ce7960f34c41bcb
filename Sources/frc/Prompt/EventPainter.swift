import Basics
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
    if marks, mode == .text, case .show(_, let sections, let gone) = event,
      !sections.isEmpty || !gone.isEmpty
    {
      return MarkedLines(sections, gone: gone).all.map { paint($0) }
    }
    guard usesColor else { return lines(for: event, in: mode) }
    if case .showTable(let table) = event { return table.drawing.map(paint) }
    return lines(for: event, in: mode).map { paint($0, of: event) }
  }

  private func lines(for event: Event, in mode: OutputFormat) -> [String] {
    mode.lines(for: event) { !InterruptFlag.isRaised }.map(visible)
  }

  /// Returns the line; for a terminal, without control characters.
  func visible(_ line: String) -> String {
    isSeen ? line.escapingControls(except: ["\t"]) : line
  }

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
    switch event.form.tone {
    case .plain: line
    case .quiet: paint(line, .dim)
    case .change(let type): paint(type, in: line, after: event.callback?.start ?? "")
    case .rule: paint(explained: line)
    case .warning: paint(line, .yellow)
    case .failure: paint(line, .red)
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

/// The lines of an event as the prompt shows them, each made when it is needed.
///
/// So the first and last lines of a long list cost no more than those of a short one.
struct EventLines {
  /// The number of lines; for a table, the number of rows.
  let count: Int
  /// The rows, if the event is shown as a table.
  let table: EventTable?
  /// Whether the lines are those of a list, which may be cut to the window.
  let isList: Bool
  private let make: (Range<Int>, _ width: Int?) -> [String]

  /// The number of elements from which on a list's lines are not all made at once.
  private static let longList = 64

  init(_ event: Event, in mode: OutputFormat, by painter: EventPainter) {
    if mode != .text, mode != .json, let table = EventTable(event) {
      self.table = table
      isList = true
      count = table.count
      make = { range, width in
        (mode.lines(of: table, range, width: width) { true } ?? []).map(painter.visible)
      }
      return
    }
    table = nil
    isList = event.isList
    if mode == .text, case .show(_, let sections, let gone) = event,
      !sections.isEmpty || !gone.isEmpty
    {
      let lines = MarkedLines(sections, gone: gone)
      count = lines.count
      make = { range, width in lines.lines(range).map { painter.paint($0, width: width) } }
    } else if mode == .text, let listCount = event.listCount, listCount > Self.longList {
      count = listCount
      make = { range, width in
        painter.lines(for: event.part(range), in: mode).map { $0.cut(to: width) }
      }
    } else {
      let lines = painter.lines(for: event, in: mode, marks: true)
      count = lines.count
      make = { range, width in
        // Only lists are cut. A value that was printed on purpose is shown completely.
        lines[range].map { event.isList ? $0.cut(to: width) : $0 }
      }
    }
  }

  /// Returns some of the lines.
  ///
  /// - Parameter width: The width of the window in columns; nil if nothing is cut.
  func lines(_ range: Range<Int>, width: Int? = nil) -> [String] { make(range, width) }
}

extension String {
  fileprivate func cut(to width: Int?) -> String { width.map { cut(toColumns: $0) } ?? self }

  /// Returns the number of rows that the text takes in a window.
  ///
  /// Colours take no room.
  func rows(inColumns columns: Int) -> Int {
    guard utf8.count > columns else { return 1 }
    return max(1, (DisplayWidth.width(of: withoutColours) + columns - 1) / columns)
  }

  /// Returns the first rows that the text takes in a window, without colours.
  func firstRows(_ count: Int, columns: Int) -> String {
    withoutColours.cut(toColumns: count * columns)
  }

  private var withoutColours: String {
    // `ESC [ … m` starts or ends a colour.
    contains("\u{1B}") ? replacing(/\u{1B}\[[0-9;]*m/, with: "") : self
  }
}

extension Event {
  /// Whether the event lists objects or rows.
  fileprivate var isList: Bool {
    if case .show = self { return true }
    return listCount != nil
  }
}

/// Help text with lines that are broken between words if the window is narrow.
struct FlowedText {
  let lines: [String]

  /// - Parameters:
  ///   - lines: The lines of a paragraph, which are joined if one of them is too long, and rows,
  ///     which begin with blanks or stand alone.
  ///   - width: The width of the window in columns; less than 1 means 1.
  init(_ lines: [String], width: Int) {
    let width = max(1, width)
    var flowed: [String] = []
    var paragraph: [String] = []
    for line in lines {
      if line.isEmpty || line.hasPrefix(" ") {
        flowed += Self.flowed(paragraph, width)
        paragraph = []
        flowed += Self.broken(line, width)
      } else {
        paragraph.append(line)
      }
    }
    self.lines = flowed + Self.flowed(paragraph, width)
  }

  private static func flowed(_ paragraph: [String], _ width: Int) -> [String] {
    guard paragraph.contains(where: { DisplayWidth.width(of: $0) > width }) else {
      return paragraph
    }
    return broken(paragraph.joined(separator: " "), width)
  }

  /// Breaks a line.
  ///
  /// The rest of a row is placed under the row's last column.
  private static func broken(_ line: String, _ width: Int) -> [String] {
    guard DisplayWidth.width(of: line) > width else { return [line] }
    let margin = String(repeating: " ", count: lastColumn(of: line, within: width / 2))
    var rows: [String] = []
    var row = ""
    var hasWord = false
    for word in words(of: line) {
      if hasWord, DisplayWidth.width(of: row + word) > width {
        rows.append(row)
        row = margin
        hasWord = false
      }
      row += hasWord || rows.isEmpty ? word : String(word.drop { $0 == " " })
      hasWord = hasWord || word.contains { $0 != " " }
    }
    return rows + [row]
  }

  /// Returns the words with the blanks before them.
  private static func words(of line: String) -> [String] {
    var words: [String] = []
    var word = ""
    for character in line {
      if character == " ", word.contains(where: { $0 != " " }) {
        words.append(word)
        word = ""
      }
      word.append(character)
    }
    return words + [word]
  }

  /// Returns where the last column of a row begins, after at least two blanks; 0 if that is too far
  /// to the right.
  private static func lastColumn(of line: String, within limit: Int) -> Int {
    var column = 0
    var blanks = 0
    for (index, character) in line.prefix(limit + 1).enumerated() {
      if character != " ", blanks > 1 { column = index }
      blanks = character == " " ? blanks + 1 : 0
    }
    return column
  }
}
