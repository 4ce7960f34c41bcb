import FetchedResults
package import ScriptRuntime
import TableViews

extension PlayRecording {
  /// The recording as JSON for the page.
  ///
  /// Events are those of `frc run --format json`; `text` adds the lines that `frc run` prints for
  /// each.
  package var json: JSON {
    .object(
      [
        ("title", .string(title)), ("lines", .array(lines.map(JSON.string))),
        ("steps", .array(steps.map(\.json))),
      ] + (asks ? [("asks", .boolean(true))] : []))
  }
}

extension PlayRecording.Step {
  fileprivate var json: JSON {
    var fields: [(String, JSON)] = [
      ("lines", .array([.number("\(lines.lowerBound)"), .number("\(lines.upperBound)")]))
    ]
    if beginsSession { fields.append(("session", .boolean(true))) }
    if !frames.isEmpty { fields.append(("frames", .array(frames.map(\.json)))) }
    if !explanations.isEmpty {
      fields.append(("reasons", .array(explanations.map { JSON.event(.explanation($0)) })))
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
    if !edits.isEmpty { fields.append(("edits", .array(edits.map(\.json)))) }
    if !texts.isEmpty {
      fields.append(("texts", .object(texts.map { ($0.row.description, $0.text.json) })))
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
    case .insert(let items): .array(items.map(\.json))
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
  fileprivate static func event(_ event: Event) -> JSON {
    let (name, fields) = EventFormatter.fields(of: event)
    return .object(
      [("event", .string(name))] + fields.compactMap { key, value in value.map { (key, $0) } }
        + [("text", .array(EventFormatter.text.lines(for: event).map(JSON.string)))])
  }
}
