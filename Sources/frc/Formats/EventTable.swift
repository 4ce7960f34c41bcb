import Basics
import FetchedResults
import ScriptRuntime
import ScriptSyntax

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
    switch event {
    case .rows(let entity, let objects) where !objects.isEmpty:
      var names: [String] = []
      // A row of a subentity has more columns.
      for object in objects where object.values.count > names.count {
        names = object.values.map(\.name)
      }
      head = [entity] + names
      count = objects.count
      row = { [names] index in
        let values = Dictionary(
          objects[index].values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }
        )
        return [.text("\(objects[index].id)")] + names.map { values[$0].map(Cell.value) ?? .none }
      }
    case .objects(let entity, let objects) where !objects.isEmpty:
      head = [entity, "shown as", "state"]
      count = objects.count
      row = {
        [
          .text("\(objects[$0].object.id)"), Self.shown(objects[$0].object),
          .text(objects[$0].state),
        ]
      }
    case .objectIDs(let entity, let ids) where !ids.isEmpty:
      head = [entity]
      count = ids.count
      row = { [.text("\(ids[$0])")] }
    case .dictionaries(_, let rows) where !rows.isEmpty:
      let names = rows[0].entries.map(\.name)
      head = names
      count = rows.count
      row = { index in names.map { name in rows[index][name].map(Cell.value) ?? .none } }
    case .show(_, let sections) where !sections.isEmpty:
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
    case .willChangeContent, .didChangeObject, .didChangeSection, .didChangeContent, .snapshot,
      .difference, .counts, .hook, .notification, .show, .table, .dataSource, .exception,
      .showTable, .request, .value, .rows, .objects, .objectIDs, .dictionaries, .batch,
      .evaluation, .explainedTurn, .explanation, .swift, .cache, .statistics, .history,
      .remoteChange, .statement, .model, .note, .console, .error:
      return nil
    }
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
    return EventFormatter.visible(line, keepsTabs: false)
  }

  /// The cell as a data file contains it: empty for nil, and texts unchanged.
  var data: String {
    switch self {
    case .none, .value(.null): ""
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
