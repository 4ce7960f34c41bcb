package import FetchedResults
import TableViews

/// An event as it is shown: its name, its fields and its lines of text.
///
/// Text, JSON, pages, exported packages and colours all read this form. Fields and lines are made
/// when they are read, because most readers need only one of them.
package struct EventForm {
  /// The event's name in JSON.
  package let name: String
  package let tone: Tone
  private let makeFields: () -> [(String, JSON?)]
  private let makeLines: () -> [String]

  /// How much a line should stand out.
  package enum Tone: Sendable {
    /// What a statement was asked to print.
    case plain
    /// What happens on the way.
    case quiet
    /// A change of an object or a section; the word for it is emphasized.
    case change(FetchedResultsChangeType)
    /// An explanation; the name of its rule is emphasized.
    case rule
    case warning
    case failure
  }

  /// - Parameter fields: The fields in their order; those without a value are left out.
  init(
    _ name: String, _ tone: Tone = .plain,
    fields: @autoclosure @escaping () -> [(String, JSON?)],
    lines: @autoclosure @escaping () -> [String]
  ) {
    self.name = name
    self.tone = tone
    makeFields = fields
    makeLines = lines
  }

  /// The fields without the event's name.
  package var fields: [(String, JSON)] {
    makeFields().compactMap { key, value in value.map { (key, $0) } }
  }

  /// The lines of text that scripts print, each without its line end.
  package var lines: [String] { makeLines() }

  /// The event as one JSON object.
  package var json: JSON { .object([("event", .string(name))] + fields) }
}

extension Event {
  /// The form in which the event is shown.
  ///
  /// This is the only place that lists all events, and what each one prints.
  package var form: EventForm {
    switch self {
    case .callback(let callback): callback.form
    case .eventCounter(let observer, let count):
      EventForm(
        "eventCounter", .quiet,
        fields: [("observer", .string(observer)), ("eventCounter", .number(String(count)))],
        lines: ["\(observer) eventCounter \(count)"])
    case .hook(let name, let object):
      EventForm(
        "hook", .quiet, fields: [("name", .string(name)), ("object", .object(object))],
        lines: ["\(object) \(name)"])
    case .notification(let notification):
      EventForm(
        "notification", .quiet, fields: notification.fields, lines: notification.lines)
    case .show(let controller, let sections, _):
      EventForm(
        "show",
        fields: [
          ("controller", .string(controller)), ("sections", .array(sections.map(JSON.section))),
        ],
        lines: sections.isEmpty
          ? [MarkedLines.noSections]
          : sections.enumerated().flatMap { $1.lines(at: $0) })
    case .table(let table, let operation, let object):
      EventForm(
        "table", .quiet,
        fields: [("table", .string(table)), ("operation", .string(operation.name))]
          + JSON.fields(of: operation) + [("object", object.map { .object($0.id) })],
        lines: ["\(table) \(operation)" + (object.map { " \($0)" } ?? "")])
    case .dataSource(let table, let call):
      EventForm(
        "dataSource", .quiet, fields: [("table", .string(table))] + JSON.fields(of: call),
        lines: [call.line(of: table)])
    case .exception(let table, let exception):
      // Core Data's message for it goes to the console, which is an event of its own.
      EventForm(
        "exception", .failure,
        fields: [
          ("name", .string(exception.name)), ("reason", .string(exception.reason)),
          ("table", .string(table)),
        ], lines: [])
    case .showTable(let table):
      EventForm(
        "showTable", fields: JSON.fields(of: table), lines: table.drawing.map(\.description))
    case .request(let controller, let text, let query):
      EventForm(
        "request",
        fields: [("controller", .string(controller)), ("text", .string(text))]
          + (query?.fields ?? []),
        lines: [text] + (query?.lines ?? []))
    case .value(let value):
      EventForm("value", fields: [("value", value.json)], lines: value.text.linesOfText)
    case .list(let list): list.form
    case .batch(let result): EventForm("batch", fields: result.fields, lines: [result.line])
    case .evaluation(let evaluation):
      EventForm(
        "evaluation", fields: evaluation.fields, lines: evaluation.parts.map(\.description))
    case .explainedTurn(let text):
      EventForm(
        "explainedTurn", .quiet, fields: [("statement", .string(text))], lines: ["turn: \(text)"])
    case .explanation(let explanation):
      EventForm(
        "explanation", .rule, fields: explanation.fields, lines: explanation.textLines)
    case .swift(let name, let text):
      EventForm(
        "swift", fields: [("name", .string(name)), ("text", .string(text))],
        lines: text.linesOfText)
    case .cache(let cache):
      EventForm("cache", fields: cache.fields, lines: [cache.description])
    case .statistics(let statistics):
      EventForm("stats", fields: statistics.fields, lines: [statistics.description])
    case .history(let transactions):
      EventForm(
        "history", fields: [("transactions", .array(transactions.map(JSON.init)))],
        lines: transactions.isEmpty ? ["no transactions"] : transactions.flatMap(\.textLines))
    case .remoteChange(let number):
      EventForm(
        "remoteChange", .quiet, fields: [("transaction", number.map { .number(String($0)) })],
        lines: ["store remoteChange" + (number.map { " transaction \($0)" } ?? "")])
    case .statement(let statement):
      EventForm(
        "sql", .quiet, fields: statement.fields,
        lines: statement.lines.flatMap(\.linesOfText).map { "console: \($0)" })
    case .model(let entities, let hooks, let requests):
      EventForm(
        "model",
        fields: [
          ("entities", .array(entities.map { .string($0.name) })),
          (
            "text",
            .string((entities.scriptLines(with: hooks) + requests).joined(separator: "\n"))
          ),
        ],
        lines: entities.isEmpty
          ? ["# no entities"] : entities.scriptLines(with: hooks) + requests)
    case .note(let text):
      EventForm(
        "note", .warning, fields: [("text", .string(text))],
        lines: text.linesOfText.map { "note: \($0)" })
    case .console(let text):
      EventForm(
        "console", .warning, fields: [("text", .string(text))],
        lines: text.linesOfText.map { "console: \($0)" })
    case .error(let message, let file, let line, let column):
      EventForm(
        "error", .failure,
        fields: [
          ("message", .string(message)), ("file", .string(file)),
          ("line", line.map { .number(String($0)) }),
          ("column", column.map { .number(String($0)) }),
        ], lines: "error: \(message)".linesOfText)
    }
  }
}

extension ShownList {
  fileprivate var form: EventForm {
    switch elements {
    case .rows(let rows): form("rows", rows, JSON.row, \.description)
    case .objects(let objects):
      form("objects", objects, JSON.state) { "\($0.object) \($0.state)" }
    case .objectIDs(let ids): form("objectIDs", ids, JSON.object, \.description)
    case .dictionaries(let rows):
      form("dictionaries", rows, key: "rows", \.json, \.line)
    }
  }

  private func form<Element>(
    _ name: String, _ elements: [Element], key: String = "objects",
    _ json: @escaping (Element) -> JSON, _ line: @escaping (Element) -> String
  ) -> EventForm {
    EventForm(
      name, fields: [("entity", .string(entity)), (key, .array(elements.map(json)))],
      lines: elements.isEmpty ? ["no \(entity)"] : elements.map(line))
  }
}

extension [EntityDescription] {
  fileprivate func scriptLines(with hooks: [String: [HookText]]) -> [String] {
    flatMap { $0.scriptLines(with: hooks[$0.name] ?? []) }
  }
}

extension StoreQuery {
  /// The statement, the values of its placeholders, and what else has to be done.
  fileprivate var lines: [String] {
    ["sql: " + sql] + binds.enumerated().map { "bind[\($0)] = \($1.quotedDescription)" }
      + (leavesRest ? ["the rest is evaluated in memory"] : [])
  }

  fileprivate var fields: [(String, JSON?)] {
    [
      ("sql", .string(sql)), ("binds", .array(binds.map { JSON($0) })),
      ("isWhole", .boolean(!leavesRest)),
    ]
  }
}
