import ScriptRuntime

extension Diagnosis {
  /// Whether the log shows a mistake.
  package var hasMistakes: Bool { !mistakes.isEmpty }

  /// How many mistakes are described.
  private static let mostMistakes = 20

  /// How many notes of one kind, and how many lines that were not understood, are printed.
  private static let mostNotes = 20
  private static let mostUnread = 5

  /// The diagnosis as lines of text.
  package var lines: [String] {
    var lines = ["\(log.name): \(contents)"]
    for mistake in mistakes.prefix(Self.mostMistakes) {
      lines.append("")
      lines += self.lines(of: mistake)
    }
    if mistakes.count > Self.mostMistakes {
      lines += ["", "\((mistakes.count - Self.mostMistakes).of("mistake")) more"]
    }
    if mistakes.isEmpty { lines += ["", verdictWords] }
    let notes = noteLines
    if !notes.isEmpty { lines += ["", "Notes:"] + notes.map { "  " + $0 } }
    return lines + ["", counts] + unreadLines
  }

  /// A text such as `5 lines: 4 read, 1 ignored, 0 not understood`.
  private var counts: String {
    let counts = log.counts
    var text =
      "\(log.lineCount.of("line")): \(counts.read) read, \(counts.ignored) ignored, "
      + "\(counts.notUnderstood) not understood"
    if let stop = log.stop {
      text +=
        ". Reading stopped before line \(stop.line), at the limit of \(stop.limitWords); "
        + "--limit raises it"
    }
    return text
  }

  /// The first lines that were not understood.
  private var unreadLines: [String] {
    var lines = log.unread.prefix(Self.mostUnread).map { unread in
      "  line \(unread.line) was not understood: \(unread.reason)"
    }
    if log.unread.count > Self.mostUnread {
      lines.append("  … and \((log.unread.count - Self.mostUnread).of("line")) more")
    }
    if !log.unread.isEmpty {
      lines.append(
        "  --explain-reading shows all lines; --pattern says how the app prints callbacks")
    }
    return lines
  }

  /// A summary such as `2 batches, 5 callbacks, 1 exception`.
  private var contents: String {
    let callbacks = batches.reduce(0) { $0 + $1.callbacks.count }
    let operations = batches.reduce(0) { $0 + $1.operations.count }
    let exceptions = log.entries.compactMap { entry in
      if case .exception(let exception) = entry.event { exception.isWarning } else { nil }
    }
    let warnings = exceptions.count { $0 }
    var parts: [String] = []
    if !batches.isEmpty {
      let names = Set(batches.map(\.controller)).sorted().prefix(3).joined(separator: ", ")
      parts.append(batches.count.of("batch", "batches") + " of \(names)")
    }
    if callbacks > 0 { parts.append(callbacks.of("callback")) }
    if operations > 0 { parts.append(operations.of("table operation")) }
    if exceptions.count > warnings {
      parts.append((exceptions.count - warnings).of("exception"))
    }
    if warnings > 0 { parts.append(warnings.of("warning")) }
    return parts.isEmpty ? "no callback" : parts.joined(separator: ", ")
  }

  private func lines(of mistake: LogMistake) -> [String] {
    let batch = mistake.batch.map { batches[$0] }
    let text = MistakeText(mistake, in: batch)
    var lines = ["line \(mistake.line): \(mistake.kind.rawValue)"]
    lines += text.facts.map { "  " + $0 }
    if let consequence = mistake.consequence {
      lines.append("  UIKit therefore raises: \(consequence)")
    }
    if let batch, let exception = batch.exception, let line = batch.exceptionLine,
      line != mistake.line
    {
      if let error = exception.error, error == mistake.consequence {
        lines.append("  This is what line \(line) has.")
      } else {
        lines.append("  Raised in line \(line): \(exception.reason)")
      }
    }
    if !text.change.isEmpty {
      lines.append("  What to change:")
      lines += text.change.map { "    " + $0 }
    }
    if !text.unknown.isEmpty {
      lines.append("  Not known:")
      lines += text.unknown.map { "    " + $0 }
    }
    return lines
  }

  var verdictWords: String {
    let callbacks = batches.reduce(0) { $0 + $1.callbacks.count }
    return switch verdict {
    case .inconsistent: ""
    case .consistent:
      "The log is consistent: the callbacks lead from the sections before to those after."
    case .consistentSoFar:
      "The log is consistent up to its last batch: the callbacks lead from the sections before to "
        + "those after."
    case .notEnough where batches.isEmpty:
      "Not enough to say: the log has no callbacks to check. Print them in "
        + "controller(_:didChange:at:for:newIndexPath:): \(LoggingCode.object)"
    case .notEnough where callbacks == 0: "Not enough to say: no callback of an object was read."
    case .notEnough where log.stop != nil:
      "Not enough to say: no mistake was found in \(callbacks.of("callback")), but reading stopped at "
        + "the limit."
    case .notEnough:
      "Not enough to say: no mistake was found in \(callbacks.of("callback")), but the log does "
        + "not show everything."
    }
  }

  private var noteLines: [String] {
    var kinds: [String: Int] = [:]
    var lines: [String] = []
    for note in notes {
      let number = (kinds[note.kind] ?? 0) + 1
      kinds[note.kind] = number
      if number <= Self.mostNotes { lines.append(words(note)) }
    }
    for (kind, number) in kinds.sorted(by: { $0.key < $1.key }) where number > Self.mostNotes {
      lines.append("\((number - Self.mostNotes).of("line")) more: \(kind)")
    }
    return lines
  }

  private func words(_ note: Note) -> String {
    switch note {
    case .unknownSections(let count):
      "The log does not have the sections before \(count.of("batch", "batches")), so only the "
        + "callbacks themselves were checked. Print them in controllerWillChangeContent and in "
        + "controllerDidChangeContent: \(LoggingCode.sections)"
    case .unnamedRows:
      "The log does not name every object and section, so only numbers were compared. The "
        + "recorder writes the names: frc swift --recorder."
    case .noBeginnings:
      "The log does not have controllerWillChangeContent, so turns are not known. Print it in "
        + "that method: \(LoggingCode.willChange)"
    case .noBeginning(let line):
      "line \(line): the log does not have the beginning of this turn. It may begin within a batch."
    case .endsInBatch(let line):
      "line \(line): the log ends before controllerDidChangeContent. It does not show whether the "
        + "app crashed there. If the app does not print that method, add: \(LoggingCode.didChange)"
    case .endsInUpdates(let line):
      "line \(line): the log ends before endUpdates, so the operations of its last batch were not "
        + "checked. It does not show whether the app crashed there."
    case .stoppedInBatch(let line):
      "line \(line): reading stopped at the limit before controllerDidChangeContent. The lines "
        + "after it were not judged."
    case .stoppedInException(let line):
      "line \(line): reading stopped at the limit, before the end of this exception's text, so it was "
        + "not judged."
    case .endsInPart: "The last line is only a part of an event and was ignored."
    case .nested(let line):
      "line \(line): another batch begins within this one. A fetch in a callback does that. The "
        + "outer batch was not checked."
    case .silentChange(let line, let controller):
      "line \(line): the sections of \(controller) changed since the last batch without a "
        + "callback, as performFetch changes them. Call reloadData after it."
    case .samePathMove(let line):
      "line \(line): a move to the same index path; \([Rule.samePathMove].words ?? "")"
    case .tableUnknown(let line):
      "line \(line): the table's operations were not checked, because the table did not follow "
        + "an earlier batch."
    case .doubtful(let line):
      "line \(line): this does not fit the sections that the log has before. Either it is wrong, or "
        + "a fetch came in between, which the log does not have."
    case .unread(let line, let unread):
      "line \(line): a callback or an operation is missing here. Line \(unread) was not understood "
        + "and may be the missing one."
    case .stopped(let line):
      "line \(line): from here on, sections that the log does not list were not followed, because "
        + "they have too many rows together. --limit raises the limit; the recorder lists them."
    case .noOperations:
      "The log has no operations of a table, so the app's reactions were not checked."
    }
  }
}

extension Diagnosis.Note {
  /// A few words for notes of this kind.
  fileprivate var kind: String {
    switch self {
    case .unknownSections: "sections that are not known"
    case .unnamedRows: "rows without names"
    case .noBeginnings, .noBeginning: "turns without a beginning"
    case .endsInBatch, .endsInUpdates, .endsInPart, .stoppedInBatch, .stoppedInException:
      "an incomplete end"
    case .nested: "a batch within another one"
    case .silentChange: "sections that changed without a callback"
    case .samePathMove: "a move to the same index path"
    case .tableUnknown: "operations that were not checked"
    case .doubtful: "callbacks that do not fit the sections before"
    case .unread: "something is missing near a line that was not understood"
    case .stopped: "sections that were not followed"
    case .noOperations: "no operations"
    }
  }
}

/// Lines of Swift that print what a log lacks, in formats that the reader knows.
enum LoggingCode {
  static let willChange = #"print("controllerWillChangeContent")"#
  static let didChange = #"print("controllerDidChangeContent")"#
  static let sections = #"print("sections:", controller.sections?.map(\.numberOfObjects) ?? [])"#
  static let object =
    #"print("didChange", type.rawValue, indexPath as Any, newIndexPath as Any)"#
}

extension DelegateLog {
  /// What each line was taken for, one line of text for each: `3: callback: didChange object …`.
  package var readingLines: [String] {
    var events: [Int: [LogEvent]] = [:]
    for entry in entries { events[entry.line, default: []].append(entry.event) }
    return readings.enumerated().map { index, reading in
      let words = reading.words(events[index + 1] ?? [])
      return "\(index + 1): \(words)"
    }
  }
}

extension LineReading {
  fileprivate func words(_ events: [LogEvent]) -> String {
    switch self {
    case .event:
      events.isEmpty ? "ignored" : events.map(\.words).joined(separator: "; ")
    case .exception:
      events.first.map(\.words) ?? "exception"
    case .part(let line): "part of line \(line)"
    case .repeated(let line): "ignored: the exception of line \(line) again"
    case .ignored(let reason): "ignored: \(reason.words)"
    case .notUnderstood(let reason): "not understood: \(reason)"
    }
  }
}

extension LineReading.Reason {
  fileprivate var words: String {
    switch self {
    case .blank: "blank"
    case .otherText: "not about a controller"
    case .otherJSON: "JSON that is not an event"
    case .otherEvent: "another event"
    case .callStack: "call stack"
    case .trace: "a sign of a crash, without the exception"
    case .returning: "a callback returns"
    case .message: "about a change, but not a callback"
    case .echo(let line): "repeats the callback of line \(line)"
    }
  }
}

extension LogEvent {
  /// A text such as `callback: books didChange object insert Book/1 -> [0, 0]`.
  fileprivate var words: String {
    switch self {
    case .controller(let controller): "controller \(controller.name)"
    case .sections(let controller, let moment, let sections):
      "sections of \(controller)\(moment.words): "
        + (sections.sections.isEmpty
          ? "none" : sections.counts.map(String.init).joined(separator: ", ") + " rows")
    case .willChange(let controller): "callback: \(controller) willChangeContent"
    case .object(let controller, let change): "callback: \(controller) \(change.words)"
    case .section(let controller, let change): "callback: \(controller) \(change.words)"
    case .didChange(let controller): "callback: \(controller) didChangeContent"
    case .returned(let controller): "\(controller) returned from didChangeContent"
    case .whole(let controller): "callback: \(controller) with the whole contents"
    case .operation(let table, let operation): "operation: \(table) \(operation)"
    case .exception(let exception): "exception: \(exception.words)"
    }
  }
}

extension LoggedSections.Moment {
  fileprivate var words: String {
    switch self {
    case .fetch: " after a fetch"
    case .willChange: " before the turn"
    case .didChange: " after the turn"
    case .other, .printed: ""
    }
  }
}
