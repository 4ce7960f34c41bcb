import FetchedResults
import Foundation
import TableViews

/// A line of a log that is a JSON object, as the recorder and `frc run --format json` write it.
struct EventObject {
  private let fields: [String: Any]

  /// Reads an object; nil for other text.
  init?(_ line: String) {
    guard let fields = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    else { return nil }
    self.fields = fields
  }

  /// The event's name; nil if the object is not an event.
  var name: String? { string("event") }

  /// The events in the object; empty if it does not concern a controller.
  var events: [LogEvent] {
    switch name {
    case "controller": controller.map { [.controller($0)] } ?? []
    case "sections", "show": sections.map { [$0] } ?? []
    case "willChangeContent": [.willChange(controller: owner)]
    case "didChangeContent": [.didChange(controller: owner)]
    case "returned": [.returned(controller: owner)]
    case "snapshot", "difference", "counts": [.whole(controller: owner)]
    case "didChangeObject": object.map { [$0] } ?? []
    case "didChangeSection": section.map { [$0] } ?? []
    case "table": operations.map { .operation(table: string("table") ?? "table", $0) }
    case "exception": exception.map { [.exception($0)] } ?? []
    case _: []
    }
  }

  private func string(_ key: String) -> String? { fields[key] as? String }

  private func number(_ key: String) -> Int? { Self.number(fields[key]) }

  /// Returns a value that can be a number of rows.
  private static func number(_ value: Any?) -> Int? {
    guard let number = (value as? NSNumber).flatMap({ Int(exactly: $0.doubleValue) }) else {
      return nil
    }
    return TableSentence.isCount(number) ? number : nil
  }

  private var owner: String { string("controller") ?? CallbackGrammar.unnamed }

  private func path(_ key: String) -> ResultsIndexPath? { Self.path(fields[key]) }

  private static func path(_ value: Any?) -> ResultsIndexPath? {
    guard let numbers = value as? [Any], numbers.count == 2, let section = number(numbers[0]),
      let row = number(numbers[1])
    else { return nil }
    return ResultsIndexPath(section: section, row: row)
  }

  private var type: FetchedResultsChangeType? {
    string("type").flatMap(FetchedResultsChangeType.init(rawValue:))
  }

  private var controller: LoggedController? {
    string("controller").map { name in
      LoggedController(
        name: name, entity: string("entity"), predicate: string("predicate"),
        sortKeys: fields["sortKeys"] as? [String] ?? [],
        sectionNameKeyPath: string("sectionNameKeyPath"), fetchLimit: number("fetchLimit"))
    }
  }

  private var sections: LogEvent? {
    guard let values = fields["sections"] as? [[String: Any]] else { return nil }
    let sections = values.map { value in
      let objects = value["objects"] as? [String]
      return LoggedSections.Section(
        name: value["name"] as? String ?? "",
        count: objects?.count ?? Self.number(value["count"]) ?? 0,
        objects: objects)
    }
    let moment = string("moment").flatMap(LoggedSections.Moment.init(rawValue:)) ?? .other
    return .sections(controller: owner, moment, LoggedSections(sections: sections))
  }

  private var object: LogEvent? {
    type.map { type in
      .object(
        controller: owner,
        ObjectChange(
          type: type, object: string("object"), old: path("indexPath"), new: path("newIndexPath")))
    }
  }

  private var section: LogEvent? {
    guard let type, let index = number("index") else { return nil }
    return .section(
      controller: owner, SectionChange(type: type, index: index, name: string("name")))
  }

  private var operations: [TableOperation] {
    guard let name = string("operation") else { return [] }
    if let sections = fields["sections"] as? [Any] {
      return sections.compactMap(Self.number).compactMap {
        TableOperation(name, [], $0)
      }
    }
    if let paths = fields["indexPaths"] as? [Any] {
      return paths.compactMap(Self.path).compactMap { TableOperation(name, [$0], nil) }
    }
    let paths = [path("indexPath"), path("newIndexPath")].compactMap { $0 }
    return TableOperation(name, paths, nil).map { [$0] } ?? []
  }

  private var exception: LoggedException? {
    guard let reason = string("reason") else { return nil }
    let exception = LoggedException(in: reason, name: string("name"))
    return exception ?? LoggedException(unknown: reason, name: string("name"))
  }
}
