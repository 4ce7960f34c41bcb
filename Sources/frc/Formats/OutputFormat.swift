import ArgumentParser
import Basics
import FetchedResults
import ScriptRuntime

/// The output formats for events.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case table
  case csv
  case markdown
  case json

  /// What statements print in this format; the start of a sentence.
  var summary: String {
    switch self {
    case .text: "as scripts print it"
    case .table: "rows and sections as tables, all else as text"
    case .csv: "rows and sections as CSV, all else as text"
    case .markdown: "rows and sections as Markdown tables, all else as indented text"
    case .json: "one JSON object a line"
    }
  }

  /// Whether the format shows an event as rows.
  func lists(_ event: Event) -> Bool {
    switch self {
    case .text, .json: false
    case .table, .csv, .markdown: EventTable(event) != nil
    }
  }

  /// Returns the lines of an event.
  ///
  /// - Parameter goesOn: Returns whether the lines are still needed; called from time to time. If
  ///   they are not, a table has no lines.
  func lines(for event: Event, while goesOn: () -> Bool = { true }) -> [String] {
    switch self {
    case .text: return event.lines
    case .json: return event.jsonLines
    case .table, .csv, .markdown:
      guard let table = EventTable(event) else {
        let lines = event.lines
        // Markdown shows an indented line unchanged.
        return self == .markdown ? lines.map { "    " + $0 } : lines
      }
      return lines(of: table, 0..<table.count, while: goesOn) ?? []
    }
  }

  /// Returns the lines of some rows; nil if they are no longer needed.
  ///
  /// - Parameter width: The width of the window in columns; nil if nothing is cut.
  func lines(
    of table: EventTable, _ rows: Range<Int>, width: Int? = nil, while goesOn: () -> Bool
  ) -> [String]? {
    guard let cells = table.cells(rows, while: goesOn) else { return nil }
    let data = DataTable(head: table.head, cells: cells)
    switch self {
    case .csv: return data.csv
    case .markdown: return data.markdown
    case .text, .json, .table:
      return BoxTable(head: table.head, cells: cells, width: width, first: rows.lowerBound + 1)
        .lines(while: goesOn)
    }
  }
}

/// Rows as text for other programs: CSV, or a Markdown table.
struct DataTable {
  let head: [String]
  let cells: [[EventTable.Cell]]

  /// The rows as CSV (RFC 4180).
  ///
  /// Nil becomes an empty field, and an empty text a quoted one, as `import` reads them.
  var csv: [String] {
    [Self.csv(head)] + cells.map { Self.csv($0.map(\.data)) }
  }

  private static func csv(_ fields: [String?]) -> String { fields.map(csv).joined(separator: ",") }

  private static func csv(_ field: String?) -> String {
    guard let field else { return "" }
    let needsQuotes = field.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D: true
      default: false
      }
    }
    guard needsQuotes || field.isEmpty else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }

  /// The rows as a Markdown table, followed by an empty line.
  var markdown: [String] {
    let numbers = head.indices.map { column in cells.contains { $0[column].isNumber } }
    return [Self.markdown(head), Self.markdown(numbers.map { $0 ? "---:" : "---" })]
      + cells.map { row in Self.markdown(row.map { Self.escaped($0.line) }) } + [""]
  }

  private static func markdown(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  /// Returns the text escaped for a Markdown table.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "\\`*_|<>[]#".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}

/// Rows as an aligned table with lines between the columns.
///
/// In a narrow window, long cells are cut. If that is not enough, each row becomes a record with
/// one line for each column.
struct BoxTable {
  /// The smallest width to which a column is cut.
  private static let narrowest = 8

  private let head: [String]
  private let rows: [[String]]
  private let numbers: Set<Int>
  private let width: Int?
  /// The index of the row after a gap; nil if the rows are consecutive.
  private let gap: Int?
  /// The number of the first row, and that of the first row after the gap.
  private let numbersOfRows: (first: Int, afterGap: Int)

  /// - Parameters:
  ///   - cells: The rows to show.
  ///   - width: The width of the window in columns; nil if nothing is cut.
  ///   - gap: The index of the row before which rows are left out.
  ///   - first: The number of the first row, counted from 1.
  ///   - afterGap: The number of the first row after the gap.
  init(
    head: [String], cells: [[EventTable.Cell]], width: Int? = nil, gap: Int? = nil, first: Int = 1,
    afterGap: Int = 1
  ) {
    self.head = head
    rows = cells.map { $0.map(\.line) }
    numbers = Set(
      head.indices.filter { column in
        cells.contains { $0.indices.contains(column) && $0[column].isNumber }
      })
    self.width = width
    self.gap = gap
    numbersOfRows = (first, afterGap)
  }

  /// The width of the widest cell in each column.
  private var naturalWidths: [Int] {
    rows.reduce(head.map(DisplayWidth.width)) { widths, row in
      zip(widths, row).map { max($0, DisplayWidth.width(of: $1)) }
    }
  }

  /// Returns the lines of the table, or of records if even cut columns do not fit.
  func lines(while goesOn: () -> Bool = { true }) -> [String]? {
    guard let widths = fittingWidths else { return records(while: goesOn) }
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
    var lines = [line(head, widths, alignsNumbers: false), rule]
    for (index, row) in rows.enumerated() {
      if index % 256 == 0, !goesOn() { return nil }
      if index == gap { lines.append("…") }
      lines.append(line(row, widths))
    }
    return lines
  }

  /// The widths of the columns after cutting; nil if the table does not fit.
  private var fittingWidths: [Int]? {
    var widths = naturalWidths
    guard let width else { return widths }
    let least = zip(widths, head).map { natural, name in
      min(natural, max(Self.narrowest, min(DisplayWidth.width(of: name), 2 * Self.narrowest)))
    }
    let room = width - 3 * (widths.count - 1)
    guard least.reduce(0, +) <= room else { return nil }
    // The widest column is cut first, so that short columns stay complete.
    while widths.reduce(0, +) > room {
      let candidates = widths.indices.filter { widths[$0] > least[$0] }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return nil }
      let next = candidates.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      let surplus = widths.reduce(0, +) - room
      let target = max(least[widest], min(widths[widest] - 1, max(next, widths[widest] - surplus)))
      widths[widest] = target
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int], alignsNumbers: Bool = true) -> String {
    var line = widths.indices.map { column in
      let cell = cells[column].cut(toColumns: widths[column])
      return alignsNumbers && numbers.contains(column)
        ? cell.rightAligned(toColumns: widths[column]) : cell.padded(toColumns: widths[column])
    }.joined(separator: " │ ")
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  // MARK: Records

  /// Returns each row as a record: its number, then a line for each column.
  func records(while goesOn: () -> Bool = { true }) -> [String]? {
    let names = head.map(DisplayWidth.width).max() ?? 0
    var lines: [String] = []
    for (index, row) in rows.enumerated() {
      if index % 256 == 0, !goesOn() { return nil }
      if index == gap { lines.append("…") }
      let number =
        gap.map { index < $0 } ?? true
        ? numbersOfRows.first + index : numbersOfRows.afterGap + index - (gap ?? 0)
      lines.append("row \(number)")
      for (name, cell) in zip(head, row) {
        let line = "  " + name.padded(toColumns: names) + "  " + cell
        lines.append(width.map { line.cut(toColumns: $0) } ?? line)
      }
    }
    return lines
  }
}

/// The rows that an event lists, with the names of their columns.
///
/// Cells are made when they are needed, so that the first and last rows of a long list cost no more
/// than those of a short one.
struct EventTable {
  /// The value of a column in one row.
  enum Cell: Equatable {
    case text(String)
    case value(PropertyValue)
    /// The row does not have this column.
    case none
  }

  /// The names of the columns.
  let head: [String]
  /// The number of rows.
  let count: Int
  private let row: (Int) -> [Cell]

  /// Creates the table of an event; nil if the event contains no list.
  init?(_ event: Event) {
    if case .show(_, let sections, _) = event {
      self.init(sections)
    } else if let list = event.list {
      self.init(list)
    } else {
      return nil
    }
  }

  private init?(_ list: ShownList) {
    guard list.count > 0 else { return nil }
    count = list.count
    switch list.elements {
    case .rows(let objects):
      let names = Self.columns(of: objects)
      head = [list.entity] + names
      row = { index in
        let values = Dictionary(
          objects[index].values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }
        )
        return [.text("\(objects[index].id)")] + names.map { values[$0].map(Cell.value) ?? .none }
      }
    case .objects(let objects):
      head = [list.entity, "shown as", "state"]
      row = {
        [
          .text("\(objects[$0].object.id)"), Self.shown(objects[$0].object),
          .text(objects[$0].state),
        ]
      }
    case .objectIDs(let ids):
      head = [list.entity]
      row = { [.text("\(ids[$0])")] }
    case .dictionaries(let rows):
      let names = rows[0].entries.map(\.name)
      head = names
      row = { index in names.map { name in rows[index][name].map(Cell.value) ?? .none } }
    }
  }

  private init?(_ sections: [ShownSection]) {
    guard !sections.isEmpty else { return nil }
    head = ["path", "section", "object", "shown as"]
    let starts = sections.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.objects.count) }
    count = starts.last ?? 0
    row = { index in
      let section = starts.partitioningIndex { $0 > index } - 1
      let row = index - starts[section]
      let object = sections[section].objects[row]
      return [
        .text("\(ResultsIndexPath(section: section, row: row))"),
        .text(sections[section].name), .text("\(object.id)"), Self.shown(object),
      ]
    }
  }

  /// Returns the names of the properties of all entities that rows have, each once.
  ///
  /// The entity with the most properties is first, whatever the order of the rows.
  private static func columns(of rows: [ShownRow]) -> [String] {
    var properties: [String: [String]] = [:]
    for row in rows where properties[row.id.entity.name] == nil {
      properties[row.id.entity.name] = row.values.map(\.name)
    }
    let entities = properties.sorted { first, second in
      (second.value.count, first.key) < (first.value.count, second.key)
    }
    var seen: Set<String> = []
    return entities.flatMap(\.value).filter { seen.insert($0).inserted }
  }

  private static func shown(_ object: ShownObject) -> Cell {
    object.display.map(Cell.value) ?? .none
  }

  /// Returns the cells of some rows.
  ///
  /// - Parameter goesOn: Returns whether the rows are still needed; called every 256 rows.
  /// - Returns: Nil if they are no longer needed.
  func cells(_ range: Range<Int>, while goesOn: () -> Bool = { true }) -> [[Cell]]? {
    var cells: [[Cell]] = []
    cells.reserveCapacity(range.count)
    for index in range {
      if index % 256 == 0, !goesOn() { return nil }
      cells.append(row(index))
    }
    return cells
  }
}

extension EventTable.Cell {
  /// The cell as one line of text for a terminal, without control characters.
  var line: String {
    switch self {
    case .none: ""
    case .text(let text): Self.line(text)
    case .value(let value): Self.line(value.description)
    }
  }

  private static func line(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "⏎")
    // A control character would affect the terminal, and has no width.
    return line.escapingControls(except: [])
  }

  /// The cell as a data file contains it: texts unchanged.
  var data: String? {
    switch self {
    case .none, .value(.null): nil
    case .text(let text): text
    case .value(let value): value.description
    }
  }

  /// Whether the cell is a number, which is aligned to the right.
  var isNumber: Bool {
    guard case .value(let value) = self else { return false }
    return switch value {
    case .int, .double, .decimal: true
    case .null, .bool, .string, .date, .uuid, .uri, .data, .object, .list: false
    }
  }
}
