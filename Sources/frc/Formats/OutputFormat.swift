import ArgumentParser
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
    case .text: return EventFormatter.text.lines(for: event)
    case .json: return EventFormatter.json.lines(for: event)
    case .table, .csv, .markdown:
      guard let table = EventTable(event) else {
        let lines = EventFormatter.text.lines(for: event)
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
