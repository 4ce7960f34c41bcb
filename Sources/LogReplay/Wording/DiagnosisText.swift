import ScriptRuntime

extension Diagnosis {
  /// Whether the log shows a mistake.
  package var hasMistakes: Bool { !mistakes.isEmpty }

  /// How many mistakes are described.
  private static let mostMistakes = 20

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
    if mistakes.isEmpty { lines += ["", verdict] }
    let notes = noteLines
    if !notes.isEmpty { lines += ["", "Not known, or worth knowing:"] + notes.map { "  " + $0 } }
    return lines
  }

  /// A summary such as `2 batches, 5 callbacks, 1 exception`.
  private var contents: String {
    let callbacks = batches.reduce(0) { $0 + $1.callbacks.count }
    let operations = batches.reduce(0) { $0 + $1.operations.count }
    let exceptions = log.entries.count { if case .exception = $0.event { true } else { false } }
    var parts: [String] = []
    if !batches.isEmpty {
      let names = Set(batches.map(\.controller)).sorted().prefix(3).joined(separator: ", ")
      parts.append(batches.count.of("batch", "batches") + " of \(names)")
    }
    if callbacks > 0 { parts.append(callbacks.of("callback")) }
    if operations > 0 { parts.append(operations.of("table operation")) }
    if exceptions > 0 { parts.append(exceptions.of("exception")) }
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

  private var verdict: String {
    if batches.isEmpty { return "No mistake was found: the log has no callbacks to check." }
    let unknown = notes.contains { note in
      switch note {
      case .unknownSections, .noBeginnings, .unnamedRows, .doubtful: true
      case .endsInBatch, .endsInPart, .nested, .silentChange, .samePathMove, .tableUnknown,
        .noOperations:
        false
      }
    }
    return unknown
      ? "No mistake was found in what the log says."
      : "The log is consistent: the callbacks lead from the sections before to those after."
  }

  private var noteLines: [String] {
    notes.map { note in
      switch note {
      case .unknownSections(let count):
        "The log does not have the sections before \(count.of("batch", "batches")), so only the "
          + "callbacks themselves were checked. The recorder writes them."
      case .unnamedRows:
        "The log does not name every object and section, so only numbers were compared."
      case .noBeginnings:
        "The log does not have controllerWillChangeContent, so turns are not known."
      case .endsInBatch(let line):
        "line \(line): the log ends before controllerDidChangeContent. Whether the app crashed "
          + "there is not known."
      case .endsInPart: "The last line is only a part of an event and was ignored."
      case .nested(let line):
        "line \(line): another batch begins within this one. A fetch in a callback does that. The "
          + "outer batch was not checked."
      case .silentChange(let line, let controller):
        "line \(line): the sections of \(controller) changed since the last batch without a "
          + "callback, as performFetch changes them. Call reloadData after it."
      case .samePathMove(let line):
        "line \(line): a move to its own place; \([Rule.samePathMove].words ?? "")"
      case .tableUnknown(let line):
        "line \(line): the table's operations were not checked, because the table did not follow "
          + "an earlier batch."
      case .doubtful(let line):
        "line \(line): this does not fit the sections that the log has before. Either it is wrong, or "
          + "a fetch came in between, which the log does not have."
      case .noOperations:
        "The log has no operations of a table, so the app's reactions were not checked."
      }
    }
  }
}
