package import FetchedResults
package import ScriptRuntime
package import TableViews

/// A record of what a script did, statement by statement, for a page that plays it.
package struct PlayRecording {
  /// The title of the page.
  package var title: String
  /// The lines of the file.
  package var lines: [String] = []
  package var steps: [Step] = []
  /// Whether the page asks before each turn from the start.
  package var asks = false

  /// The names of the controllers, each once, in the order in which they are defined.
  package var controllerNames: [String] {
    var names: [String] = []
    for list in steps.flatMap({ $0.frames.flatMap(\.change.lists) + $0.change.lists }) {
      guard let head = list.change?.head, head.controller == nil, !head.isObserver,
        !names.contains(list.name)
      else { continue }
      names.append(list.name)
    }
    return names
  }

  /// A top-level statement and its effects.
  package struct Step {
    /// The line numbers of the statement, counted from 1.
    package var lines: ClosedRange<Int>
    /// Whether the statement starts a new session.
    package var beginsSession = false
    package var frames: [Frame] = []
    /// The explanations why callbacks were sent or not.
    package var explanations: [Explanation] = []
    /// What the statement changed after its last event, or all changes if it had no event.
    package var change = ListChanges()
  }

  /// An event, and how it changed what controllers and tables show.
  package struct Frame {
    package var event: Event
    package var change = ListChanges()
  }
}

/// The differences between lists of rows before and after.
package struct ListChanges {
  /// The changes by name of controller or table, in order.
  ///
  /// The change is nil if the name no longer exists.
  package var lists: [(name: String, change: ListChange?)] = []
  /// The number of unsaved objects, by name of context.
  package var unsaved: [(context: String, counts: UnsavedCounts)] = []
}

/// The number of objects in a context that a save would write.
package struct UnsavedCounts: Equatable {
  package var inserted = 0
  package var updated = 0
  package var deleted = 0
}

/// The difference of one list before and after.
package struct ListChange {
  /// The list's head, if it is new or has changed.
  package var head: ListHead?
  /// The edits that turn the old items into the new ones; empty if they are equal.
  package var edits: [ListEdit] = []
  /// The texts that are new or have changed.
  package var texts: [(row: RowKey, text: RowText)] = []
  /// What the last turn did in a table, if it is new or has changed.
  package var marks: TableMarks?

  package var isEmpty: Bool { head == nil && edits.isEmpty && texts.isEmpty && marks == nil }
}

/// The marks of a table's last turn, as `show` prints them.
package struct TableMarks: Equatable {
  /// A header or a row that the turn removed.
  package struct Gone: Equatable {
    /// The old index path of a row; nil for a header.
    package var path: ResultsIndexPath?
    /// The row; nil for a header.
    package var object: String?
    /// The header, or the text of the row.
    package var text: String?
  }

  /// The marked headers and rows.
  package var items: [(item: ListItem, mark: TableRowMark)] = []
  package var gone: [Gone] = []

  package static func == (one: TableMarks, other: TableMarks) -> Bool {
    one.gone == other.gone && one.items.elementsEqual(other.items) { $0 == $1 }
  }
}

/// A list's properties besides its rows.
package struct ListHead: Equatable {
  package var context: String
  /// Whether it is the list of an observer.
  package var isObserver = false
  /// The controller that a table shows; nil for a controller.
  package var controller: String?
  /// Remarks about the list, such as that it has not fetched, or that a table stopped following
  /// after an exception.
  package var state: String?
}

/// The key of a row: the number of its object, and how often the object occurs above.
///
/// A table that went wrong may show an object twice.
package struct RowKey: Hashable {
  package var number: Int64
  package var repetition = 0
}

/// The text of a row.
package struct RowText: Equatable {
  /// The object's identity, such as `Book/3`.
  package var object: String
  /// The text that the object is shown as; nil if it has none, or if it was not read.
  package var text: String?
  /// A remark on what is unusual: that the object is a fault, or that the cell is stale.
  package var remark: String?
}

/// A header or a row of a list.
package enum ListItem: Hashable {
  case section(String)
  case row(RowKey)

  /// Names of sections are equal if they have the same scalars, as in a controller.
  package static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.section(let one), .section(let other)): one.hasSameScalars(as: other)
    case (.row(let one), .row(let other)): one == other
    case (.section, .row), (.row, .section): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .section(let name): hasher.combine(ScalarString(name))
    case .row(let key): hasher.combine(key)
    }
  }
}

extension PlayRecording {
  /// The recording as JSON for the page.
  ///
  /// Events are those of `frc run --format json`; `text` adds the lines that `frc run` prints for
  /// each.
  package var json: JSON {
    .object(
      [
        ("title", .string(title)), ("lines", .array(lines.map(JSON.string))),
        ("steps", .array(steps.mapUntilStopped(\.json))),
      ] + (asks ? [("asks", .boolean(true))] : []))
  }
}

extension Array {
  /// Returns what `transform` makes of each element; of fewer elements if the work is to stop and
  /// its result is dropped.
  fileprivate func mapUntilStopped<Result>(_ transform: (Element) -> Result) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(count)
    var stop = StopCheck.Loop(droppingOver: .max)
    for element in self {
      if stop.isWanted(after: 32) { break }
      results.append(transform(element))
    }
    return results
  }
}

extension PlayRecording.Step {
  /// The step as JSON for the page.
  package var json: JSON {
    var fields: [(String, JSON)] = [
      ("lines", .array([.number("\(lines.lowerBound)"), .number("\(lines.upperBound)")]))
    ]
    if beginsSession { fields.append(("session", .boolean(true))) }
    if !frames.isEmpty { fields.append(("frames", .array(frames.mapUntilStopped(\.json)))) }
    if !explanations.isEmpty {
      fields.append(
        ("reasons", .array(explanations.mapUntilStopped { JSON.event(.explanation($0)) })))
    }
    return .object(fields + change.fields)
  }
}

extension PlayRecording.Frame {
  fileprivate var json: JSON { .object([("event", JSON.event(event))] + change.fields) }
}

extension ListChanges {
  fileprivate var fields: [(String, JSON)] {
    var fields: [(String, JSON)] = []
    if !lists.isEmpty {
      fields.append(
        ("lists", .array(lists.map { .array([.string($0.name), $0.change?.json ?? .null]) })))
    }
    if !unsaved.isEmpty {
      fields.append(("unsaved", .object(unsaved.map { ($0.context, $0.counts.json) })))
    }
    return fields
  }
}

extension UnsavedCounts {
  fileprivate var json: JSON {
    .array([.number("\(inserted)"), .number("\(updated)"), .number("\(deleted)")])
  }
}

extension ListChange {
  fileprivate var json: JSON {
    var fields: [(String, JSON)] = []
    if let head { fields.append(("head", head.json)) }
    if !edits.isEmpty { fields.append(("edits", .array(edits.mapUntilStopped(\.json)))) }
    if !texts.isEmpty {
      fields.append(
        ("texts", .object(texts.mapUntilStopped { ($0.row.description, $0.text.json) })))
    }
    if let marks { fields.append(("marks", marks.json)) }
    return .object(fields)
  }
}

extension TableMarks {
  /// The marked items, each with its mark, and what is gone: paths, objects and texts.
  fileprivate var json: JSON {
    .object([
      (
        "items",
        .array(items.map { .array([$0.item.json, .string($0.mark.change)]) })
      ),
      (
        "gone",
        .array(
          gone.map { gone in
            .array([
              gone.path.map {
                .array([.number("\($0.section)"), .number("\($0.row)")])
              } ?? .null, gone.object.map(JSON.string) ?? .null,
              gone.text.map(JSON.string) ?? .null,
            ])
          })
      ),
    ])
  }
}

extension TableRowMark {
  /// The word for the change in the page.
  fileprivate var change: String {
    switch self {
    case .inserted: "insert"
    case .deleted: "delete"
    case .moved: "move"
    case .updated: "update"
    }
  }
}

extension ListHead {
  fileprivate var json: JSON {
    var fields: [(String, JSON)] = [("context", .string(context))]
    if isObserver { fields.append(("observer", .boolean(true))) }
    if let controller { fields.append(("controller", .string(controller))) }
    if let state { fields.append(("state", .string(state))) }
    return .object(fields)
  }
}

extension ListEdit {
  /// A positive number of kept items, a negative number of deleted items, or an array of new items.
  fileprivate var json: JSON {
    switch self {
    case .keep(let count): .number("\(count)")
    case .delete(let count): .number("\(-count)")
    case .insert(let items): .array(items.mapUntilStopped(\.json))
    }
  }
}

extension ListItem {
  /// A row as its key; a header as an array with its name.
  fileprivate var json: JSON {
    switch self {
    case .section(let name): .array([.string(name)])
    case .row(let key): .string(key.description)
    }
  }
}

extension RowKey: CustomStringConvertible {
  /// The key as text: `3`, or `3.1` for the second row of the same object.
  package var description: String { repetition == 0 ? "\(number)" : "\(number).\(repetition)" }
}

extension RowText {
  fileprivate var json: JSON {
    var fields: [JSON] = [.string(object)]
    if text != nil || remark != nil { fields.append(text.map(JSON.string) ?? .null) }
    if let remark { fields.append(.string(remark)) }
    return .array(fields)
  }
}

extension JSON {
  /// Returns an event as `--format json` prints it, with its lines of text.
  package static func event(_ event: Event) -> JSON {
    let form = event.form
    return .object(
      [("event", .string(form.name))] + form.fields
        + [("text", .array(form.lines.map(JSON.string)))])
  }
}
