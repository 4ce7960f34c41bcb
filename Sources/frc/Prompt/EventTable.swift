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
  private let goesOn: () -> Bool

  /// Nil where an event lists nothing.
  ///
  /// - Parameter goesOn: Whether somebody waits for it; asked now and then. Where
  ///   nobody does, the table has no lines.
  init?(_ event: Event, while goesOn: @escaping () -> Bool = { true }) {
    self.goesOn = goesOn
    switch event {
    case .rows(let entity, let objects) where !objects.isEmpty:
      var names: [String] = []
      for object in objects.prefix(1) + objects where object.values.count > names.count {
        names = object.values.map(\.name)
      }
      head = [entity] + names
      rows = Self.rows(objects, while: goesOn) { object in
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
      rows = Self.rows(objects, while: goesOn) {
        ["\($0.object.id)", Self.shown($0.object), $0.state]
      }
      numbers = []
    case .show(_, let sections) where !sections.isEmpty:
      head = ["path", "section", "object", "shown as"]
      rows = sections.enumerated().flatMap { index, section in
        Self.rows(Array(section.objects.enumerated()), while: goesOn) { row, object in
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

  /// Makes rows as long as somebody waits for them.
  private static func rows<Element>(
    _ elements: [Element], while goesOn: () -> Bool, _ row: (Element) -> [String]
  ) -> [[String]] {
    var rows: [[String]] = []
    for (index, element) in elements.enumerated() {
      if index % 256 == 0, !goesOn() { break }
      rows.append(row(element))
    }
    return rows
  }

  private static func cell(_ value: PropertyValue) -> String {
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

  /// The table, aligned by what a terminal shows; nothing if the output was cut off.
  var lines: [String] {
    var widths = head.map { DisplayWidth.width(of: $0) }
    let measured = Self.rows(rows, while: goesOn) { row in
      let cells = row.map { DisplayWidth.width(of: $0) }
      widths = zip(widths, cells).map { max($0, $1) }
      return []
    }
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
    let lines = Self.rows(rows, while: goesOn) { [line($0, widths)] }
    guard measured.count == rows.count, lines.count == rows.count, goesOn() else { return [] }
    return [line(head, widths, alignsNumbers: false), rule] + lines.map { $0[0] }
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

extension PropertyValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .double, .decimal: true
    case .null, .bool, .string, .date, .uuid, .uri, .data, .object, .list: false
    }
  }
}
