import Basics
package import FetchedResults
import Foundation
package import TableViews

/// The contents of a log, line by line: the callbacks of a controller's delegate, the controller's
/// sections, the operations of a table, and exceptions.
package struct DelegateLog: Sendable {
  /// The log's name for messages.
  package let name: String
  package internal(set) var entries: [Entry] = []
  /// How many lines the file has.
  package internal(set) var lineCount = 0
  /// How many lines were read, and how many were not.
  package internal(set) var counts = LineCounts()
  /// What each line was read as; empty unless the caller asked for it.
  package internal(set) var readings: [LineReading] = []
  /// The lines that were not understood, in order.
  package internal(set) var unread: [UnreadLine] = []
  /// Whether the last line is incomplete, because the app ended suddenly.
  package internal(set) var endsInPart = false
  /// The last line, if it has no line end, so that a part of it may be missing.
  package internal(set) var openLine: Int?
  /// How many bytes of the log are read at most.
  package internal(set) var limit = LogReader.Options.usualLimit
  /// Where reading stopped, because the log is longer than the limit.
  package internal(set) var stop: Stop?

  /// A line that names a change, a callback or an index path, and was not read.
  package struct UnreadLine: Hashable, Sendable {
    package let line: Int
    /// Why, as a clause: "it does not name the type of change".
    package let reason: String
  }

  /// The end of what was read.
  package struct Stop: Hashable, Sendable {
    /// The first line that was not read.
    package let line: Int
    /// How many bytes are read at most.
    package let limit: Int
    /// The line of an exception whose text goes on in the part that was not read.
    package internal(set) var exceptionLine: Int?

    /// A text such as `64 MB`.
    package var limitWords: String {
      for (shift, unit) in [(20, "MB"), (10, "kB")]
      where limit >= 1 << shift && limit % (1 << shift) == 0 {
        return "\(limit >> shift) \(unit)"
      }
      return "\(limit) bytes"
    }
  }

  /// An event in the log, with its line.
  package struct Entry: Hashable, Sendable {
    /// Counted from 1.
    package let line: Int
    package let event: LogEvent
  }
}

/// An event in a log.
package enum LogEvent: Hashable, Sendable {
  case controller(LoggedController)
  /// The sections that a controller had.
  case sections(controller: String, LoggedSections.Moment, LoggedSections)
  case willChange(controller: String)
  case object(controller: String, ObjectChange)
  case section(controller: String, SectionChange)
  case didChange(controller: String)
  /// The app's delegate returned from `controllerDidChangeContent`.
  case returned(controller: String)
  /// A delegate received the whole contents as a snapshot, a difference or a count.
  case whole(controller: String)
  /// An operation of a table.
  case operation(table: String, TableOperation)
  case exception(LoggedException)
}

/// A controller, as the recorder describes it.
package struct LoggedController: Hashable, Sendable {
  package var name: String
  package var entity: String?
  package var predicate: String?
  package var sortKeys: [String] = []
  package var sectionNameKeyPath: String?
  package var fetchLimit: Int?
}

/// The sections of a controller at one moment.
package struct LoggedSections: Hashable, Sendable {
  /// When they were read.
  package enum Moment: String, Hashable, Sendable {
    /// After `performFetch`.
    case fetch
    /// In `controllerWillChangeContent`.
    case willChange
    /// In `controllerDidChangeContent`.
    case didChange
    /// At another time.
    case other
    /// At the time that follows from the callbacks around it.
    case printed
  }

  package struct Section: Hashable, Sendable {
    package let name: String
    package let count: Int
    /// The names of the objects; nil if the log has only their number.
    package let objects: [String]?
  }

  package let sections: [Section]

  package var counts: [Int] { sections.map(\.count) }

  /// The number of rows and sections.
  var size: Int { sections.reduce(sections.count) { $0 + $1.count } }

  /// Whether there are few enough rows to simulate a table.
  var isSmall: Bool { counts.reduce(0, +) <= 2_000_000 }

  /// The sections with all their rows; nil if the log has only numbers, or contains an object or a
  /// section twice.
  package var rows: [ReplayLaw<String>.Section]? {
    var rows: [ReplayLaw<String>.Section] = []
    var objects: Set<String> = []
    for section in sections {
      guard let names = section.objects else { return nil }
      for name in names where !objects.insert(name).inserted { return nil }
      rows.append(ReplayLaw.Section(name: section.name, rows: names))
    }
    return Set(sections.map(\.name)).count == sections.count ? rows : nil
  }
}

extension LoggedSections {
  /// Returns whether two lists have the same rows.
  ///
  /// A save changes the names of new objects, so a temporary name may match any name.
  func isSame(as later: LoggedSections) -> Bool {
    guard sections.count == later.sections.count else { return false }
    return zip(sections, later.sections).allSatisfy { before, after in
      guard before.name == after.name, before.count == after.count else { return false }
      guard let old = before.objects, let new = after.objects else { return true }
      return zip(old, new).allSatisfy { $0 == $1 || Self.isTemporary($0) }
    }
  }

  /// Whether a name is temporary, such as `Book/t1C0F2…`.
  private static func isTemporary(_ name: String) -> Bool { name.contains(bytesOf: "/t") }
}

/// A callback about an object.
package struct ObjectChange: Hashable, Sendable {
  package let type: FetchedResultsChangeType
  /// The object; nil if the log does not name it.
  package let object: String?
  package let old: ResultsIndexPath?
  package let new: ResultsIndexPath?

  package init(
    type: FetchedResultsChangeType, object: String?, old: ResultsIndexPath?, new: ResultsIndexPath?
  ) {
    self.type = type
    self.object = object
    self.old = old
    self.new = new
  }
}

/// A callback about a section.
package struct SectionChange: Hashable, Sendable {
  package let type: FetchedResultsChangeType
  package let index: Int
  /// The section's name; nil if the log does not contain it.
  package let name: String?

  package init(type: FetchedResultsChangeType, index: Int, name: String?) {
    self.type = type
    self.index = index
    self.name = name
  }
}

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

  /// Whether an observer published it, which has no delegate.
  var isPublished: Bool { fields["published"] as? Bool == true }

  /// The message of an entry of the system's log, as `log show --style json` prints it.
  var message: String? { string("eventMessage") }

  /// The texts in the object, in the order of their keys.
  var texts: [String] { Self.texts(in: fields) }

  private static func texts(in value: Any) -> [String] {
    switch value {
    case let text as String: [text]
    case let list as [Any]: list.flatMap(texts)
    case let fields as [String: Any]:
      fields.sorted { $0.key < $1.key }.flatMap { texts(in: $0.value) }
    case _: []
    }
  }

  /// The text of an error, as frc prints it after `error:`; nil for another event.
  var error: String? { name == "error" ? string("message") : nil }

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

/// What the reader took a line for.
package enum LineReading: Hashable, Sendable {
  /// The line has an event: a callback, sections, or an operation.
  case event
  /// An exception begins.
  case exception
  /// The line continues an exception or a description.
  case part(of: Int)
  /// The exception of an earlier line is printed again.
  case repeated(Int)
  case ignored(Reason)
  /// The line names a change, a callback or an index path, and was not read.
  case notUnderstood(String)

  /// Why a line does not count.
  package enum Reason: Hashable, Sendable {
    case blank
    case otherText
    case otherJSON
    case otherEvent
    case callStack
    /// A sign of a crash; another line names the exception.
    case trace
    /// A callback's method returns.
    case returning
    /// A message about a change, outside of a batch or beside callbacks that name their method.
    case message
    /// A message that repeats a callback of the same batch.
    case echo(of: Int)
  }
}

/// How many lines the reader took for what.
package struct LineCounts: Hashable, Sendable {
  package internal(set) var read = 0
  package internal(set) var ignored = 0
  package internal(set) var notUnderstood = 0

  mutating func add(_ reading: LineReading, _ number: Int = 1) {
    switch reading {
    case .event, .exception, .part: read += number
    case .repeated, .ignored: ignored += number
    case .notUnderstood: notUnderstood += number
    }
  }
}
