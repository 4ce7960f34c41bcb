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
