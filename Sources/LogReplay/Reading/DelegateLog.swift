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
  /// How many lines were read, and how many were not.
  package internal(set) var counts = LineCounts()
  /// What each line was read as; empty unless the caller asked for it.
  package internal(set) var readings: [LineReading] = []
  /// The lines that were not understood, in order.
  package internal(set) var unread: [UnreadLine] = []
  /// Whether the last line is incomplete, because the app ended suddenly.
  package internal(set) var endsInPart = false
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

    init(line: Int, limit: Int) {
      self.line = line
      self.limit = limit
    }

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
