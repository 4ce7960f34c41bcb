import FetchedResults
import ScriptRuntime
import ScriptSyntax
import TextWidth

/// What a statement lists, as a table with a head.
struct EventTable {
  private let head: [String]
  private let rows: [[String]]
  /// The columns of numbers, which stand to the right.
  private let numbers: Set<Int>

  /// Nil where an event lists nothing.
  init?(_ event: Event) {
    switch event {
    case .rows(let entity, let objects) where !objects.isEmpty:
      var names: [String] = []
      for object in objects.prefix(1) + objects where object.values.count > names.count {
        names = object.values.map(\.name)
      }
      head = [entity] + names
      rows = objects.map { object in
        let values = Dictionary(
          object.values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        return ["\(object.id)"] + names.map { values[$0].map(Self.cell) ?? "" }
      }
      numbers = Set(
        names.indices.filter { index in
          objects.contains { object in
            object.values.contains { $0.name == names[index] && $0.value.isNumber }
          }
        }.map { $0 + 1 })
    case .objects(let entity, let objects) where !objects.isEmpty:
      head = [entity, "shown as", "state"]
      rows = objects.map { ["\($0.object.id)", Self.shown($0.object), $0.state] }
      numbers = []
    case .show(_, let sections) where !sections.isEmpty:
      head = ["path", "section", "object", "shown as"]
      rows = sections.enumerated().flatMap { index, section in
        section.objects.enumerated().map { row, object in
          [
            "\(ResultsIndexPath(section: index, row: row))",
            row == 0 ? Self.cell(section.name) : "",
            "\(object.id)", Self.shown(object),
          ]
        }
      }
      numbers = []
    case .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent, .snapshot,
      .difference, .counts, .hook, .notification, .show, .table, .dataSource, .exception,
      .showTable,
      .request, .value,
      .rows, .objects, .objectIDs, .dictionaries, .batch, .evaluation, .explainedTurn, .explanation,
      .swift, .cache, .statistics, .history, .remoteChange,
      .statement, .model, .note, .console, .error:
      return nil
    }
  }

  private static func cell(_ value: Value) -> String {
    cell(value.description)
  }

  private static func cell(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: "⏎")
    // A control character would act on the terminal, and have no width.
    return EventFormatter.visible(line, keepsTabs: false)
  }

  private static func shown(_ object: ShownObject) -> String {
    object.display.map(cell) ?? ""
  }

  /// The table, aligned by what a terminal shows.
  var lines: [String] {
    let widths = head.indices.map { column in
      ([head] + rows).map { DisplayWidth.width(of: $0[column]) }.max() ?? 0
    }
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
    return [line(head, widths, alignsNumbers: false), rule] + rows.map { line($0, widths) }
  }

  private func line(_ cells: [String], _ widths: [Int], alignsNumbers: Bool = true) -> String {
    var line = cells.indices.map { column in
      let cell = cells[column]
      let blanks = String(
        repeating: " ", count: widths[column] - DisplayWidth.width(of: cell))
      return alignsNumbers && numbers.contains(column) ? blanks + cell : cell + blanks
    }.joined(separator: " │ ")
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}

extension Value {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .double, .decimal: true
    case .null, .bool, .string, .date, .uuid, .uri, .data, .object, .list, .unread: false
    }
  }
}
