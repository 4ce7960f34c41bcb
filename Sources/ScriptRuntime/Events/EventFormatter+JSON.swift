import Basics
package import FetchedResults
import PredicateSyntax
import TableViews

extension EventFormatter {
  /// Returns the event as one JSON object.
  ///
  /// Returns nil for console lines, which are not events and go to standard error.
  package func jsonLine(for event: Event) -> String? {
    if case .console = event { return nil }
    let (name, fields) = Self.fields(of: event)
    return JSON.object(
      [("event", .string(name))] + fields.compactMap { key, value in value.map { (key, $0) } }
    ).description
  }

  /// Returns an event's name and its fields.
  ///
  /// A field without a value is left out.
  package static func fields(of event: Event) -> (name: String, fields: [(String, JSON?)]) {
    switch event {
    case .willChangeContent(let controller):
      ("willChangeContent", [("controller", .string(controller))])
    case .didChangeContent(let controller):
      ("didChangeContent", [("controller", .string(controller))])
    case .didChangeObject(let controller, let type, let object, let old, let new):
      ("didChangeObject", JSON.fields(ofChange: type, of: object, old, new, controller))
    case .didChangeSection(let controller, let type, let index, let name):
      ("didChangeSection", JSON.fields(ofChange: type, ofSection: index, name, controller))
    case .snapshot(let controller, let snapshot):
      ("snapshot", [("controller", .string(controller))] + JSON.fields(of: snapshot))
    case .difference(let controller, let difference):
      ("difference", [("controller", .string(controller))] + JSON.fields(of: difference))
    case .counts(let controller, let counts):
      ("counts", [("controller", .string(controller))] + JSON.fields(of: counts))
    case .hook(let name, let object):
      ("hook", [("name", .string(name)), ("object", .string(object.description))])
    case .notification(let notification): ("notification", notification.fields)
    case .show(let controller, let sections):
      (
        "show",
        [("controller", .string(controller)), ("sections", .array(sections.map(JSON.section)))]
      )
    case .table(let table, let operation, let object):
      ("table", [("table", .string(table))] + JSON.fields(of: operation, object))
    case .dataSource(let table, let call):
      ("dataSource", [("table", .string(table))] + JSON.fields(of: call))
    case .exception(let table, let exception):
      ("exception", JSON.fields(of: exception) + [("table", .string(table))])
    case .showTable(let table): ("showTable", JSON.fields(of: table))
    case .request(let controller, let text, let query):
      ("request", JSON.fields(ofRequest: text, of: controller, query))
    case .value(let value): ("value", [("value", value.json)])
    case .rows(let entity, let objects):
      ("rows", [("entity", .string(entity)), ("objects", .array(objects.map(JSON.row)))])
    case .objects(let entity, let objects):
      ("objects", [("entity", .string(entity)), ("objects", .array(objects.map(JSON.state)))])
    case .objectIDs(let entity, let ids):
      (
        "objectIDs",
        [("entity", .string(entity)), ("objects", .array(ids.map { .string($0.description) }))]
      )
    case .dictionaries(let entity, let rows):
      ("dictionaries", [("entity", .string(entity)), ("rows", .array(rows.map(\.json)))])
    case .batch(let result): ("batch", result.fields)
    case .evaluation(let evaluation): ("evaluation", evaluation.fields)
    case .explainedTurn(let text): ("explainedTurn", [("statement", .string(text))])
    case .explanation(let explanation): ("explanation", explanation.fields)
    case .swift(let name, let text):
      ("swift", [("name", .string(name)), ("text", .string(text))])
    case .cache(let cache): ("cache", JSON.fields(of: cache))
    case .statistics(let statistics): ("stats", statistics.fields)
    case .history(let transactions):
      ("history", [("transactions", .array(transactions.map(JSON.init)))])
    case .remoteChange(let number):
      ("remoteChange", [("transaction", number.map { .number(String($0)) })])
    case .statement(let statement): ("sql", statement.fields)
    case .model(let entities, let hooks, let requests):
      ("model", JSON.fields(ofModel: entities, hooks, requests))
    case .note(let text): ("note", [("text", .string(text))])
    case .console(let text): ("console", [("text", .string(text))])
    case .error(let message, let file, let line, let column):
      ("error", JSON.fields(ofError: message, file, line, column))
    }
  }
}

extension JSON {
  fileprivate static func fields(
    ofChange type: FetchedResultsChangeType, of object: ShownObject, _ old: ResultsIndexPath?,
    _ new: ResultsIndexPath?, _ controller: String
  ) -> [(String, JSON?)] {
    [
      ("controller", .string(controller)), ("type", .string(type.rawValue)),
      ("object", .string(object.id.description)),
      ("indexPath", old.map(JSON.path)), ("newIndexPath", new.map(JSON.path)),
    ]
  }

  fileprivate static func fields(
    ofChange type: FetchedResultsChangeType, ofSection index: Int, _ name: String,
    _ controller: String
  ) -> [(String, JSON?)] {
    [
      ("controller", .string(controller)), ("type", .string(type.rawValue)),
      ("index", .number(String(index))), ("name", .string(name)),
    ]
  }

  fileprivate static func fields(of snapshot: FetchedResultsSnapshot) -> [(String, JSON?)] {
    let temporary = snapshot.temporaryItemIdentifiers
    return [
      ("sections", .array(snapshot.sections.map(JSON.section))),
      ("reloaded", JSON.list(snapshot.reloadedItemIdentifiers)),
      ("temporary", temporary.isEmpty ? nil : JSON.list(temporary)),
    ]
  }

  fileprivate static func fields(
    of difference: CollectionDifference<ObjectID>
  ) -> [(String, JSON?)] {
    [
      ("removals", .array(difference.removals.map(JSON.change))),
      ("insertions", .array(difference.insertions.map(JSON.change))),
    ]
  }

  fileprivate static func fields(of counts: ChangeCounts) -> [(String, JSON?)] {
    counts.named.map { ($0, .number(String($1))) }
  }

  fileprivate static func fields(
    of operation: TableOperation, _ object: ShownObject?
  ) -> [(String, JSON?)] {
    [("operation", .string(operation.name))] + fields(of: operation)
      + [("object", object.map { .string($0.id.description) })]
  }

  fileprivate static func fields(of exception: TableViewException) -> [(String, JSON?)] {
    [("name", .string(exception.name)), ("reason", .string(exception.reason))]
  }

  fileprivate static func fields(
    ofRequest text: String, of controller: String, _ query: StoreQuery?
  ) -> [(String, JSON?)] {
    [
      ("controller", .string(controller)), ("text", .string(text)),
      ("sql", query.map { .string($0.sql) }),
      ("binds", query.map { .array($0.binds.map { JSON($0) }) }),
      ("isWhole", query.map { .boolean(!$0.leavesRest) }),
    ]
  }

  fileprivate static func fields(
    ofModel entities: [EntityDescription], _ hooks: [String: [HookText]], _ requests: [String]
  ) -> [(String, JSON?)] {
    let lines = entities.flatMap { $0.scriptLines(with: hooks[$0.name] ?? []) } + requests
    return [
      ("entities", .array(entities.map { .string($0.name) })),
      ("text", .string(lines.joined(separator: "\n"))),
    ]
  }

  fileprivate static func fields(
    ofError message: String, _ file: String, _ line: Int?, _ column: Int?
  ) -> [(String, JSON?)] {
    [
      ("message", .string(message)), ("file", .string(file)),
      ("line", line.map { .number(String($0)) }),
      ("column", column.map { .number(String($0)) }),
    ]
  }
}

extension JSON {
  static func path(_ path: ResultsIndexPath) -> JSON {
    .array([.number(String(path.section)), .number(String(path.row))])
  }

  fileprivate static func section(_ section: ShownSection) -> JSON {
    .object([
      ("name", .string(section.name)), ("indexTitle", .string(section.indexTitle)),
      ("objects", .array(section.objects.map { .string($0.id.description) })),
    ])
  }

  fileprivate static func section(_ section: FetchedResultsSnapshot.Section) -> JSON {
    .object([("name", .string(section.identifier)), ("objects", list(section.itemIdentifiers))])
  }

  fileprivate static func list(_ objects: [ObjectID]) -> JSON {
    .array(objects.map { .string($0.description) })
  }

  fileprivate static func change(_ change: CollectionDifference<ObjectID>.Change) -> JSON {
    let (offset, id, place) =
      switch change {
      case .remove(let offset, let element, let place): (offset, element, place)
      case .insert(let offset, let element, let place): (offset, element, place)
      }
    let fields: [(String, JSON)] = [
      ("index", .number(String(offset))), ("object", .string(id.description)),
    ]
    return .object(fields + (place.map { [("associatedIndex", .number(String($0)))] } ?? []))
  }

  fileprivate static func row(_ row: ShownRow) -> JSON {
    .object([
      ("object", .string(row.id.description)),
      ("values", .object(row.values.map { ($0.name, JSON($0.value)) })),
    ])
  }

  fileprivate static func state(_ shown: ShownState) -> JSON {
    .object([
      ("object", .string(shown.object.id.description)), ("state", .string(shown.state)),
    ])
  }

  fileprivate static func fields(of cache: ShownCache) -> [(String, JSON?)] {
    [
      ("name", .string(cache.name)), ("entity", cache.contents.map { .string($0.entity) }),
      ("objects", cache.contents.map { .number(String($0.objects)) }),
      ("sections", cache.contents.map { .number(String($0.sections)) }),
      ("valid", .boolean(cache.staleness == nil)),
      ("reason", cache.staleness.map(JSON.string)),
    ]
  }

  /// Creates the JSON of a value: dates as ISO 8601 in UTC, decimals, UUIDs and URIs as strings,
  /// data as base64, objects as `Entity/N`.
  package init(_ value: PropertyValue) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .boolean(flag)
    case .int: self = .number(value.description)
    case .double(let number):
      self = number.isFinite ? .number(value.description) : .string(value.description)
    case .string, .date, .decimal, .uuid, .uri, .data, .object: self = .string(value.description)
    case .list(let values): self = .array(values.map { JSON($0) })
    }
  }
}

/// A JSON value whose keys keep their order, so that the text is the same each time.
package indirect enum JSON: CustomStringConvertible {
  case null
  case boolean(Bool)
  /// A number, in its final spelling.
  case number(String)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])

  /// The text, without blanks.
  package var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let spelling): text += spelling
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let fields):
      text += "{"
      for (index, (key, value)) in fields.enumerated() {
        if index > 0 { text += "," }
        Self.write(key, to: &text)
        text += ":"
        value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    defer { text += "\"" }
    let isQuoted = value.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    if !isQuoted, value.isPlain() {
      text += value
      return
    }
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isControl:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
