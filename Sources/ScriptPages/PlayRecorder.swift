package import FetchedResults
package import ScriptRuntime
package import ScriptSyntax
import TableViews

/// Runs a script and records what it does, for a page or a picture.
package final class PlayRecorder {
  private let environment: any ScriptEnvironment
  private let evaluation: EvaluationEnvironment
  /// Called with each interpreter before its first statement.
  private let prepare: (Interpreter) -> Void
  private let limit: (any StatementLimit)?
  private var recording: PlayRecording
  private var interpreter: Interpreter?
  private var sampler = ListSampler()

  /// - Parameters:
  ///   - environment: Provides the files that the script reads.
  ///   - evaluation: The clock and the locale at the start.
  ///   - limit: The limit for all statements; nil for none. What exceeds it is not recorded, and
  ///     nothing follows.
  ///   - prepare: Called with each interpreter before its first statement.
  package init(
    title: String, environment: any ScriptEnvironment, evaluation: EvaluationEnvironment,
    limit: (any StatementLimit)? = nil,
    prepare: @escaping (Interpreter) -> Void
  ) {
    recording = PlayRecording(title: title)
    self.environment = environment
    self.evaluation = evaluation
    self.limit = limit
    self.prepare = prepare
  }

  /// Runs a script until a statement fails.
  ///
  /// The failure is the last event.
  ///
  /// - Parameters:
  ///   - script: A script without errors.
  ///   - file: The text that the page shows. For a Markdown file, this is the whole file.
  ///   - sessionStarts: The lines where a new session begins, ascending. After a failed statement,
  ///     recording continues with the next session.
  package func record(
    _ script: ParsedScript, shownAs file: SourceText, sessionStarts: [Int] = []
  ) -> PlayRecording {
    recording.lines = (1...file.lineCount).map { file.text(ofLine: $0) }
    if recording.lines.last == "" { recording.lines.removeLast() }
    var session: Int?
    var hasFailed = false
    for statement in script.statements where limit?.excess == nil {
      let source = script.source
      let first = source.line(of: statement.range.lowerBound)
      let last = source.line(of: max(statement.range.lowerBound, statement.range.upperBound - 1))
      let current = sessionStarts.count { $0 <= first }
      let isNew = current != session
      if isNew { begin(script) }
      if hasFailed, !isNew { continue }
      hasFailed = false
      recording.steps.append(
        PlayRecording.Step(lines: first...last, beginsSession: isNew && session != nil))
      session = current
      hasFailed = !run(statement, in: source)
    }
    return recording
  }

  private func begin(_ script: ParsedScript) {
    _ = interpreter?.close()
    sampler = ListSampler()
    let interpreter = Interpreter(environment: environment.newSession(), evaluation: evaluation) {
      [unowned self] event in take(event)
    }
    prepare(interpreter)
    interpreter.prepare(for: script)
    interpreter.keepReasons()
    interpreter.hearExplanations = { [unowned self] explanations in
      recording.steps[recording.steps.count - 1].explanations += explanations
    }
    self.interpreter = interpreter
  }

  /// - Returns: Whether the statement ran to its end.
  private func run(_ statement: Statement, in source: SourceText) -> Bool {
    guard let interpreter else { return false }
    let last = recording.steps.count - 1
    var succeeded = true
    do throws(ScriptError) {
      try interpreter.run(statement, in: source)
    } catch {
      recording.steps[last].frames.append(
        PlayRecording.Frame(event: .error(error.diagnostic, in: error.source)))
      succeeded = false
    }
    recording.steps[last].change = sampler.changes(in: interpreter.session)
    return succeeded
  }

  /// Records an event.
  ///
  /// If it ends a batch, also records what its controller or table then shows.
  private func take(_ event: Event) {
    guard let session = interpreter?.session, !recording.steps.isEmpty else { return }
    limit?.note(event)
    let last = recording.steps.count - 1
    var frame = PlayRecording.Frame(event: event)
    if let callback = event.callback {
      if callback.beginsBatch {
        // Changes from before the batch belong to the event before it.
        let change = sampler.changes(ofController: callback.controller, in: session)
        if recording.steps[last].frames.isEmpty {
          frame.change = change
        } else {
          let index = recording.steps[last].frames.count - 1
          recording.steps[last].frames[index].change.lists += change.lists
        }
      } else if callback.endsBatch {
        frame.change = sampler.changes(ofController: callback.controller, in: session)
      }
    }
    if let table = event.changedTable {
      frame.change = sampler.changes(ofTable: table, in: session)
    }
    recording.steps[last].frames.append(frame)
  }
}

extension Event {
  /// The table that shows other rows after the event; nil if there is none.
  fileprivate var changedTable: String? {
    if case .exception(let name, _) = self { return name }
    guard case .table(let name, let operation, _) = self else { return nil }
    switch operation {
    case .endUpdates, .reloadData: return name
    case .beginUpdates, .insertRows, .deleteRows, .reloadRows, .moveRow, .insertSections,
      .deleteSections, .configureCell:
      return nil
    }
  }
}
