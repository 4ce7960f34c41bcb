import Basics
import FetchedResults
import TableViews

extension TableOperation: CustomStringConvertible {
  /// `moveRow [0, 0] -> [1, 0]`.
  package var description: String {
    switch self {
    case .beginUpdates, .endUpdates, .reloadData: name
    case .insertRows(let path), .deleteRows(let path), .reloadRows(let path),
      .configureCell(let path):
      "\(name) \(path)"
    case .moveRow(let from, let to): "\(name) \(from) -> \(to)"
    case .insertSections(let section), .deleteSections(let section): "\(name) \(section)"
    }
  }
}

extension DataSourceCall<CellContent> {
  /// `view asks numberOfRows in section 0: 3`.
  func line(of table: String) -> String {
    let words =
      switch self {
      case .numberOfSections(let count): "numberOfSections: \(count)"
      case .numberOfRows(let section, let count): "numberOfRows in section \(section): \(count)"
      case .titleForHeader(let section, let title):
        "titleForHeader in section \(section): \(title?.quoted ?? "nil")"
      case .cellForRow(let path, let content): "cellForRow \(path): \(content.object)"
      case .sectionIndexTitles(let titles):
        "sectionIndexTitles: "
          + (titles.map { "[" + $0.map(\.quoted).joined(separator: ", ") + "]" } ?? "nil")
      }
    return "\(table) asks \(words)"
  }
}

extension JSON {
  static func fields(of operation: TableOperation) -> [(String, JSON?)] {
    switch operation {
    case .beginUpdates, .endUpdates, .reloadData: []
    case .insertRows(let path), .deleteRows(let path), .reloadRows(let path),
      .configureCell(let path):
      [("indexPaths", .array([.path(path)]))]
    case .moveRow(let from, let to): [("indexPath", .path(from)), ("newIndexPath", .path(to))]
    case .insertSections(let section), .deleteSections(let section):
      [("sections", .array([.number(String(section))]))]
    }
  }

  static func fields(of call: DataSourceCall<CellContent>) -> [(String, JSON?)] {
    switch call {
    case .numberOfSections(let count):
      [("call", .string("numberOfSections")), ("value", .number(String(count)))]
    case .numberOfRows(let section, let count):
      [
        ("call", .string("numberOfRows")), ("section", .number(String(section))),
        ("value", .number(String(count))),
      ]
    case .titleForHeader(let section, let title):
      [
        ("call", .string("titleForHeader")), ("section", .number(String(section))),
        ("value", title.map(JSON.string) ?? .null),
      ]
    case .cellForRow(let path, let content):
      [
        ("call", .string("cellForRow")), ("indexPath", .path(path)),
        ("value", .string(content.object.id.description)),
      ]
    case .sectionIndexTitles(let titles):
      [
        ("call", .string("sectionIndexTitles")),
        ("value", titles.map { .array($0.map(JSON.string)) } ?? .null),
      ]
    }
  }

  /// Returns the fields of a table with its lines in order.
  ///
  /// Headers have a `title`, rows an `object`.
  static func fields(of table: ShownTable) -> [(String, JSON?)] {
    [
      ("table", .string(table.name)), ("controller", .string(table.controller)),
      ("lines", .array(table.lines.map(line))),
      ("indexTitles", table.indexTitles.map { .array($0.map(JSON.string)) }),
      ("recorded", table.recorded.map { .number(String($0)) }),
      ("suspended", table.isSuspended ? .boolean(true) : nil),
      ("detached", table.isDetached ? .boolean(true) : nil),
      ("broken", table.isBroken ? .boolean(true) : nil),
    ]
  }

  private static func line(_ line: ShownTable.Line) -> JSON {
    var fields: [(String, JSON)] =
      switch line.kind {
      case .header(let title): [("title", .string(title))]
      case .row(let path, let object):
        [("indexPath", .path(path)), ("object", .string(object.id.description))]
      }
    if let mark = line.mark { fields.append(("mark", .string(mark.rawValue))) }
    if let staleness = line.staleness { fields.append(("stale", .string(staleness))) }
    return .object(fields)
  }
}

/// The lines of shown objects as UTF-8, each with its line end.
///
/// A list may have a million rows. Appending bytes is several times as fast as making a text of
/// each row.
struct RowLines {
  private(set) var bytes: [UInt8] = []
  /// The entity of the last object, and its name with a slash.
  private var last: (entity: EntityDescription, name: [UInt8])?

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(line: String) {
    bytes.append(contentsOf: line.utf8)
    bytes.append(Self.lineFeed)
  }

  /// Appends the line of a row.
  ///
  /// - Parameter start: What comes before the row's number.
  mutating func append(_ object: ShownObject, row: Int, after start: [UInt8]) {
    bytes += start
    append(Int64(row))
    bytes.append(UInt8(ascii: "]"))
    bytes.append(Self.space)
    append(nameOf: object.id.entity)
    append(object.id.number)
    if let display = object.display {
      bytes.append(Self.space)
      append(display)
    }
    bytes.append(Self.lineFeed)
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  private mutating func append(nameOf entity: EntityDescription) {
    if let last, last.entity === entity {
      bytes += last.name
      return
    }
    // A model that was imported may have any name.
    let name = Array((entity.name.escapingControls(except: ["\t"]) + "/").utf8)
    last = (entity, name)
    bytes += name
  }

  private static var mostDigits: Int { 19 }

  private mutating func append(_ number: Int64) {
    guard number >= 0 else {
      bytes.append(contentsOf: String(number).utf8)
      return
    }
    // The digits from the last one on: a division by a constant is a multiplication.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostDigits) { digits in
      var start = digits.count
      var rest = UInt64(number)
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  /// Appends a value as ``ShownObject/description`` shows it.
  private mutating func append(_ display: PropertyValue) {
    switch display {
    case .null: bytes.append(contentsOf: "nil".utf8)
    case .int(let number):
      bytes.append(Self.quote)
      append(number)
      bytes.append(Self.quote)
    case .string(var text):
      // Most texts have nothing to escape.
      if text.withUTF8({ Self.isPlain($0) }) {
        bytes.append(Self.quote)
        text.withUTF8 { bytes.append(contentsOf: $0) }
        bytes.append(Self.quote)
      } else {
        bytes.append(contentsOf: text.quoted.utf8)
      }
    case .bool, .double, .date, .decimal, .uuid, .uri, .data, .object, .list:
      bytes.append(contentsOf: display.description.quoted.utf8)
    }
  }

  private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    for byte in text where byte < 0x20 || byte >= 0x7F || byte == quote || byte == backslash {
      return false
    }
    return true
  }
}

/// The content of a table's cell: the object that it shows, with the values that the object had
/// when the cell was configured.
package struct CellContent: Equatable {
  package let object: ShownObject
  let values: ObjectSnapshot

  init(_ object: ManagedObject, shownAs shown: ShownObject) {
    self.object = shown
    values = object.values.snapshot
  }

  /// Returns how the row's present content differs from what the cell shows; nil if it does not.
  func staleness(against current: CellContent?) -> String? {
    guard self != current else { return nil }
    guard let current else { return "there is no such row" }
    guard object.id == current.object.id else { return "the row is \(current.object)" }
    guard object.display == current.object.display else {
      return "it is \(current.object.displayText) now"
    }
    return change(to: current).map { "\($0) now" } ?? "it was changed"
  }

  /// Returns the first property that differs, with its value.
  private func change(to current: CellContent) -> String? {
    let entity = object.id.entity
    let names = entity.propertyNames
    let count = min(names.count, values.count, current.values.count)
    let index = (0..<count).first { values[$0] != current.values[$0] }
    return index.map { "\(names[$0]) is \(current.values[$0].quotedDescription)" }
  }
}

extension ShownObject {
  /// The text that the object is shown as, in quotes, or its identity if it has none.
  var displayText: String {
    guard let display else { return id.description }
    return display.isNull ? "nil" : display.description.quoted
  }
}

extension FetchedDictionary {
  /// `publisher: "Ace", sumPages: 300`.
  var line: String {
    entries.map { "\($0.name): \($0.value.quotedDescription)" }.joined(separator: ", ")
  }

  var json: JSON { .object(entries.map { ($0.name, JSON($0.value)) }) }
}

extension PersistentHistoryTransaction {
  /// `transaction 2 by "widget" in main, 2026-01-01T00:00:00Z`, and a line for each change.
  var textLines: [String] {
    let author = author.map { " by \($0.quoted)" } ?? ""
    let context = contextName.map { " in \($0)" } ?? ""
    let head =
      "transaction \(transactionNumber)\(author)\(context), \(PropertyValue.date(timestamp))"
    return [head] + changes.map { "  \($0.text)" }
  }
}

extension PersistentHistoryChange {
  /// `update Book/2 pages, title`.
  fileprivate var text: String {
    let properties = updatedProperties.map { " " + $0.joined(separator: ", ") } ?? ""
    return "\(changeType) \(changedObjectID)\(properties)"
  }
}

extension JSON {
  init(_ transaction: PersistentHistoryTransaction) {
    let fields: [(String, JSON?)] = [
      ("number", .number(String(transaction.transactionNumber))),
      ("author", transaction.author.map(JSON.string)),
      ("context", transaction.contextName.map(JSON.string)),
      ("time", JSON(PropertyValue.date(transaction.timestamp))),
      ("changes", .array(transaction.changes.map(JSON.change))),
    ]
    self = .object(fields.compactMap { key, value in value.map { (key, $0) } })
  }

  private static func change(_ change: PersistentHistoryChange) -> JSON {
    let fields: [(String, JSON?)] = [
      ("type", .string("\(change.changeType)")),
      ("object", .string(change.changedObjectID.description)),
      ("properties", change.updatedProperties.map { .array($0.map(JSON.string)) }),
    ]
    return .object(fields.compactMap { key, value in value.map { (key, $0) } })
  }
}

extension BatchResult {
  /// The largest number of objects in a line.
  private static let mostNamed = 10

  /// `batch deleted 2 objects: Book/1, Book/4`.
  var line: String {
    let verb =
      switch action {
      case .insert: "inserted"
      case .update: "updated"
      case .delete: "deleted"
      }
    guard let count else { return "batch \(action.rawValue) of \(entity.name) succeeded" }
    let head = "batch \(verb) \(count) \(count == 1 ? "object" : "objects")"
    guard let objectIDs, !objectIDs.isEmpty else { return head }
    var names = objectIDs.prefix(Self.mostNamed).map(\.description).joined(separator: ", ")
    if objectIDs.count > Self.mostNamed {
      names += " and \(objectIDs.count - Self.mostNamed) more"
    }
    return "\(head): \(names)"
  }

  /// The fields of the event.
  var fields: [(String, JSON?)] {
    [
      ("action", .string(action.rawValue)), ("entity", .string(entity.name)),
      ("resultType", .string(resultType.rawValue)),
      ("count", count.map { .number(String($0)) }),
      ("objects", objectIDs.map { .array($0.map { .string($0.description) }) }),
    ]
  }
}
