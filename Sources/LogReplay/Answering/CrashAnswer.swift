import TableViews

/// The answer to a crash text or a log that somebody typed or pasted where a script was expected.
package struct CrashAnswer: Sendable {
  /// What happened, what it means, and what to change: at most three lines.
  package let lines: [String]
  /// A script that does it again; nil if the text does not say enough for one.
  package let script: String?
  /// The title of the lesson that teaches the rule; nil if there is none.
  package let lesson: String?

  /// Recognizes a text; nil for a text that names neither an exception nor callbacks.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package init?(_ text: String) {
    guard let log = try? LogReader.read(Array(text.utf8), named: "text"), Self.isClear(log) else {
      return nil
    }
    let diagnosis = Diagnosis(log)
    script = try? ReproducingScript(diagnosis).text
    guard let mistake = diagnosis.mistakes.first else {
      lines = [
        "This is a log of callbacks.", diagnosis.verdictWords,
        "Save it in a file, and run: frc replay FILE",
      ]
      lesson = nil
      return
    }
    let batch = mistake.batch.map { diagnosis.batches[$0] }
    let words = MistakeText(mistake, in: batch)
    let facts = words.facts.filter { !$0.hasPrefix("rule ") }.prefix(2)
    lines = facts + [words.change.first ?? words.unknown.first].compactMap { $0 }
    let exception = batch?.exception ?? diagnosis.log.firstException
    lesson = (exception?.error ?? mistake.consequence).map(Self.lesson) ?? exception?.lesson
  }

  /// Returns the first line with an exception or a callback, counted from 1; nil if a text does not
  /// surely name any.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package static func firstLine(of text: String) -> Int? {
    guard let log = try? LogReader.read(Array(text.utf8), named: "text"), isClear(log) else {
      return nil
    }
    return log.entries.first?.line
  }

  /// Whether lines go on with a crash text: they are more of its sentence, a part of its call stack,
  /// or another event.
  ///
  /// - Complexity: O(*n*) for *n* bytes of both.
  package static func continues(_ text: String, with lines: String) -> Bool {
    var options = LogReader.Options()
    options.keepsReadings = true
    let all = text + "\n" + lines
    guard let log = try? LogReader.read(Array(all.utf8), named: "text", options) else {
      return false
    }
    let first = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
    return log.readings.dropFirst(first).allSatisfy { reading in
      switch reading {
      case .event, .exception, .part, .repeated: true
      case .ignored(let reason):
        switch reason {
        case .blank, .callStack, .trace, .returning, .echo, .otherEvent: true
        case .otherText, .otherJSON, .message: false
        }
      case .notUnderstood: false
      }
    }
  }

  /// Whether a text is about a controller or an exception, and does not only look so.
  private static func isClear(_ log: DelegateLog) -> Bool {
    let exceptions = log.entries.contains { entry in
      if case .exception(let exception) = entry.event {
        exception.isKnown || exception.name?.hasSuffix("Exception") == true
          || exception.isSureCut
      } else {
        false
      }
    }
    let changes = log.entries.count { $0.event.isChange }
    return exceptions || changes > 0 && changes < log.entries.count
  }

  /// The title of the lesson about a rule of UIKit.
  private static func lesson(_ error: TableUpdateError) -> String {
    switch error {
    case .numberOfSections, .deletedSectionMissing, .insertedSectionMissing,
      .deletedRowWithoutSection, .insertedRowWithoutSection, .movedRowWithoutSection,
      .moveTargetWithoutSection:
      CourseTitle.sections
    case .movedFromDeletedSection, .movedIntoInsertedSection, .deletedAndReloaded,
      .deletedAndMoved, .insertedAndMoved, .movedTwice, .movedToOneRow, .movedRowMissing,
      .moveTargetMissing:
      CourseTitle.moves
    case .numberOfRows, .deletedRowMissing, .insertedRowMissing: CourseTitle.table
    }
  }
}

/// The titles of lessons that an answer can name.
package enum CourseTitle {
  package static let sections = "Sections that come and go"
  package static let moves = "Moves"
  package static let table = "A table follows"
  package static let cells = "Cells that go stale"
  package static let fetch = "Fetch first"
  package static let cache = "A stale cache"
  package static let snapshots = "Snapshots"

  package static let all = [sections, moves, table, cells, fetch, cache, snapshots]
}

extension LoggedException {
  /// The title of the lesson about a message that is not about a batch.
  fileprivate var lesson: String? {
    switch meaning {
    case .cut where lacksRow: CourseTitle.moves
    case .beyondBounds, .noObject: CourseTitle.cells
    case .noSection, .notFetched: CourseTitle.fetch
    case .staleSectionCache: CourseTitle.cache
    case .notUnique, .snapshotInUse, .snapshotSections: CourseTitle.snapshots
    case .twoAnimations: CourseTitle.moves
    case .message(let message, _): message.lesson
    case .refused, .inconsistent, .noSortDescriptors, .sectionsOutOfOrder, .animation,
      .invalidIndexPath, .scrolled, .toManyKey, .unknownKeyPath, .noEntity, .unfulfilledFault,
      .cut, .unknown:
      nil
    }
  }
}

extension KnownMessage {
  /// The title of the lesson about the message; nil if there is none.
  fileprivate var lesson: String? {
    switch self {
    case .sectionMap: CourseTitle.sections
    case .diffableView, .itemsExist, .itemNotInSnapshot, .sectionNotInSnapshot:
      CourseTitle.snapshots
    case .indexOutOfRange, .layoutAttributes, .layoutIgnored: CourseTitle.cells
    case .sectionsAsked: CourseTitle.fetch
    case .globalIndex, .noLayoutAttributes, .noCell, .noCellRegistered, .cellNotDequeued,
      .cellDequeuedTwice, .updateInLayout, .wrongIndexPath, .layoutOutsideWindow,
      .backgroundThread, .wrongQueue, .changedInLoop, .temporaryID, .noCoordinator,
      .noEntityNamed, .noDescription, .noDesignatedInitializer, .otherContext,
      .deletedInOtherContext, .wrongType, .noSuchKey, .noSQL, .noStore, .storeNotReachable,
      .stillDirty, .recursiveSave, .invalidated, .twoModels, .otherModel, .mergeConflict,
      .unknownSelector, .foundNil, .wrongCast, .parameter:
      nil
    }
  }
}

extension DelegateLog {
  fileprivate var firstException: LoggedException? {
    for entry in entries {
      if case .exception(let exception) = entry.event { return exception }
    }
    return nil
  }
}
