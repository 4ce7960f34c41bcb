import Basics
package import FetchedResults

extension JSON {
  static func path(_ path: ResultsIndexPath) -> JSON {
    .array([.number(String(path.section)), .number(String(path.row))])
  }

  static func object(_ id: ObjectID) -> JSON { .string(id.description) }

  static func objects(_ ids: [ObjectID]) -> JSON { .array(ids.map(object)) }

  static func section(_ section: ShownSection) -> JSON {
    .object([
      ("name", .string(section.name)), ("indexTitle", .string(section.indexTitle)),
      ("objects", .array(section.objects.map { .object($0.id) })),
    ])
  }

  static func row(_ row: ShownRow) -> JSON {
    .object([
      ("object", .object(row.id)),
      ("values", .object(row.values.map { ($0.name, JSON($0.value)) })),
    ])
  }

  static func state(_ shown: ShownState) -> JSON {
    .object([("object", .object(shown.object.id)), ("state", .string(shown.state))])
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
    var stop = StopCheck.Loop(droppingOver: 0)
    write(to: &text, escapesTags: false, &stop)
    return text
  }

  /// The text, which cannot end an element of HTML that contains it.
  ///
  /// It ends early if the work is to stop and its result is dropped.
  package var textInMarkup: String {
    var text = ""
    var stop = StopCheck.Loop(droppingOver: .max)
    write(to: &text, escapesTags: true, &stop)
    return text
  }

  private func write(
    to text: inout String, escapesTags: Bool, _ stop: inout StopCheck.Loop
  ) {
    if stop.isWanted(after: 4) { return }
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let spelling): text += spelling
    case .string(let value): Self.write(value, to: &text, escapesTags)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text, escapesTags: escapesTags, &stop)
      }
      text += "]"
    case .object(let fields):
      text += "{"
      for (index, (key, value)) in fields.enumerated() {
        if index > 0 { text += "," }
        Self.write(key, to: &text, escapesTags)
        text += ":"
        value.write(to: &text, escapesTags: escapesTags, &stop)
      }
      text += "}"
    }
  }

  private static func write(_ value: String, to text: inout String, _ escapesTags: Bool) {
    text += "\""
    defer { text += "\"" }
    let isQuoted = value.utf8.contains {
      $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
        || escapesTags && $0 == UInt8(ascii: "<")
    }
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
      case "<" where escapesTags: text += "\\u003c"
      case _ where scalar.isControl:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
