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

extension EventFormatter {
  /// `view asks numberOfRows in section 0: 3`.
  static func lines(for call: DataSourceCall<CellContent>, of table: String) -> [String] {
    let words =
      switch call {
      case .numberOfSections(let count): "numberOfSections: \(count)"
      case .numberOfRows(let section, let count): "numberOfRows in section \(section): \(count)"
      case .titleForHeader(let section, let title):
        "titleForHeader in section \(section): \(title?.quoted ?? "nil")"
      case .cellForRow(let path, let content): "cellForRow \(path): \(content.object)"
      case .sectionIndexTitles(let titles):
        "sectionIndexTitles: "
          + (titles.map { "[" + $0.map(\.quoted).joined(separator: ", ") + "]" } ?? "nil")
      }
    return ["\(table) asks \(words)"]
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
