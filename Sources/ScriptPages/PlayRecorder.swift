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
  private let recorder = StepRecorder()

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
  ///   - skipped: The lines of statements that do not run.
  package func record(
    _ script: ParsedScript, shownAs file: SourceText, sessionStarts: [Int] = [],
    skipping skipped: [ClosedRange<Int>] = []
  ) -> PlayRecording {
    recording.lines = (1...file.lineCount).map { file.text(ofLine: $0) }
    if recording.lines.last == "" { recording.lines.removeLast() }
    var session: Int?
    var hasFailed = false
    for statement in script.statements where limit?.excess == nil {
      let source = script.source
      let first = source.line(of: statement.range.lowerBound)
      let last = source.line(of: max(statement.range.lowerBound, statement.range.upperBound - 1))
      if skipped.contains(where: { $0.contains(first) }) { continue }
      let current = sessionStarts.count { $0 <= first }
      let isNew = current != session
      if isNew { begin(script) }
      if hasFailed, !isNew { continue }
      hasFailed = false
      recorder.begin(lines: first...last, beginsSession: isNew && session != nil)
      session = current
      hasFailed = !run(statement, in: source)
    }
    return recording
  }

  private func begin(_ script: ParsedScript) {
    _ = interpreter?.close()
    recorder.forgetSession()
    let interpreter = Interpreter(environment: environment.newSession(), evaluation: evaluation) {
      [unowned self] event in take(event)
    }
    prepare(interpreter)
    interpreter.prepare(for: script)
    interpreter.keepReasons()
    interpreter.onExplanations = { [recorder] explanations in recorder.add(explanations) }
    self.interpreter = interpreter
  }

  /// - Returns: Whether the statement ran to its end.
  private func run(_ statement: Statement, in source: SourceText) -> Bool {
    guard let interpreter else { return false }
    var succeeded = true
    do throws(ScriptError) {
      try interpreter.run(statement, in: source)
    } catch {
      recorder.note(.error(error.diagnostic, in: error.source))
      succeeded = false
    }
    if let isCancelled = evaluation.isCancelled {
      // Nobody sees the lists of a session that ends now.
      if !interpreter.revertsInterrupted, isCancelled() { return false }
      // Reading long lists can be stopped, too.
      StopCheck(isCancelled, dropsChanges: true).watching { append(interpreter) }
    } else {
      append(interpreter)
    }
    return succeeded
  }

  private func append(_ interpreter: Interpreter) {
    recording.steps.append(recorder.end(in: interpreter.session))
  }

  private func take(_ event: Event) {
    guard let session = interpreter?.session else { return }
    limit?.note(event)
    recorder.take(event, in: session)
  }
}

/// Records what one statement after another does, with what controllers and tables then show.
package final class StepRecorder {
  /// The statement that is recorded.
  package private(set) var step = PlayRecording.Step(lines: 1...1)
  private var sampler = ListSampler()

  package init() {}

  /// Starts with the next statement.
  package func begin(lines: ClosedRange<Int>, beginsSession: Bool = false) {
    step = PlayRecording.Step(lines: lines, beginsSession: beginsSession)
  }

  /// Forgets what controllers and tables showed, because a new session begins.
  package func forgetSession() { sampler = ListSampler() }

  /// Takes what a session shows now as the state before the next statement.
  package func resample(_ session: Session) {
    sampler = ListSampler()
    _ = sampler.changes(in: session)
  }

  /// Returns the statement with its first events and a note only, and then with all rows that the
  /// session shows now.
  package func shortened(
    to count: Int, noting text: String, in session: Session
  ) -> PlayRecording.Step {
    var short = PlayRecording.Step(lines: step.lines, beginsSession: true)
    short.frames = step.frames.prefix(count).map { PlayRecording.Frame(event: $0.event) }
    short.frames.append(PlayRecording.Frame(event: .note(text)))
    sampler = ListSampler()
    short.change = sampler.changes(in: session)
    return short
  }

  package func add(_ explanations: [Explanation]) { step.explanations += explanations }

  /// Records an event without looking at what is shown.
  package func note(_ event: Event) { step.frames.append(PlayRecording.Frame(event: event)) }

  /// Records an event.
  ///
  /// If it ends a batch, also records what its controller or table then shows.
  package func take(_ event: Event, in session: Session) {
    var frame = PlayRecording.Frame(event: event)
    if let callback = event.callback {
      if callback.beginsBatch {
        // Changes from before the batch belong to the event before it.
        let change = sampler.changes(ofController: callback.controller, in: session)
        if step.frames.isEmpty {
          frame.change = change
        } else {
          step.frames[step.frames.count - 1].change.lists += change.lists
        }
      } else if callback.endsBatch {
        frame.change = sampler.changes(ofController: callback.controller, in: session)
      }
    }
    if let table = event.changedTable {
      frame.change = sampler.changes(ofTable: table, in: session)
    }
    step.frames.append(frame)
  }

  /// Ends the statement and returns it.
  package func end(in session: Session) -> PlayRecording.Step {
    step.change = sampler.changes(in: session)
    return step
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
