package import FetchedResults
package import TableViews

/// The contents of a log, line by line: the callbacks of a controller's delegate, the controller's
/// sections, the operations of a table, and exceptions.
package struct DelegateLog: Sendable {
  /// The log's name for messages.
  package let name: String
  package internal(set) var entries: [Entry] = []
  /// How many lines the file has.
  package internal(set) var lineCount = 0
  /// How many lines do not concern a controller.
  package internal(set) var ignoredLines = 0
  /// Whether the last line is incomplete, because the app ended suddenly.
  package internal(set) var endsInPart = false

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
  }

  package struct Section: Hashable, Sendable {
    package let name: String
    package let count: Int
    /// The names of the objects; nil if the log has only their number.
    package let objects: [String]?
  }

  package let sections: [Section]

  package var counts: [Int] { sections.map(\.count) }

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
  private static func isTemporary(_ name: String) -> Bool { name.contains("/t") }
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
