import FetchedResults
import ScriptRuntime
import ScriptSyntax

/// A session with its own clock and files.
///
/// So one session can be built while another is in use, and then replace it.
final class WiredSession {
  let interpreter: Interpreter
  let environment: RecordingEnvironment
  let clock: StatementClock
  /// Whether the output of statements is not reported.
  var isSilent = false
  /// Called with every event; nil for none.
  var onEvent: ((Event) -> Void)?
  /// The output of the running statement, as far as it is kept.
  var output = KeptOutput()

  /// What all sessions of a timeline start with.
  struct Plan {
    let environment: any ScriptEnvironment
    let evaluation: EvaluationEnvironment
    let prepare: (Interpreter) -> Void
    let warn: (Diagnostic, SourceText) -> Void
    let emit: (Event) -> Void
  }

  init(_ plan: Plan, environment files: (any ScriptEnvironment)? = nil) {
    let clock = StatementClock(now: plan.evaluation.now, random: plan.evaluation.random)
    let environment = RecordingEnvironment(files ?? plan.environment) { clock.isStopped }
    var evaluation = plan.evaluation
    evaluation.now = { clock.now() }
    evaluation.random = { clock.random() }
    let isCancelled = plan.evaluation.isCancelled
    evaluation.isCancelled = {
      clock.tick()
      return clock.isStopped || !clock.ignoresInterrupts && isCancelled?() == true
    }
    let wire = Wire()
    let interpreter = Interpreter(environment: environment, evaluation: evaluation) { event in
      guard let session = wire.session else { return }
      if !session.isSilent { plan.emit(event) }
      session.onEvent?(event)
      session.output.add(event)
    }
    interpreter.onWarning = { if wire.session?.isSilent == false { plan.warn($0, $1) } }
    self.environment = environment
    self.clock = clock
    self.interpreter = interpreter
    wire.session = self
    plan.prepare(interpreter)
  }

  /// A reference from an interpreter to the session that holds it.
  private final class Wire {
    weak var session: WiredSession?
  }

  /// Sets whether the session ignores Ctrl-C and reports no output.
  private func setReplaying(_ isReplaying: Bool, isInterruptible: Bool, keepsOutput: Bool) {
    isSilent = isReplaying
    environment.ignoresInterrupts = isReplaying && !isInterruptible
    clock.ignoresInterrupts = isReplaying && !isInterruptible
    output = isReplaying ? keepsOutput ? KeptOutput(isBound: false) : .none : KeptOutput()
    guard !isReplaying else { return }
    clock.setOnTick(nil)
    environment.record()
    clock.record()
  }

  /// Runs statements again without reporting output.
  ///
  /// Each reads the same inputs as the first time.
  ///
  /// - Parameters:
  ///   - points: The statements.
  ///   - isInterruptible: Whether Ctrl-C stops it.
  ///   - onProgress: Called again and again with the number of statements that have run.
  ///   - keep: Called with the output of each.
  /// - Throws: ``SessionTimeline/Obstacle``; then the session is unusable.
  func repeatPoints(
    _ points: ArraySlice<SessionTimeline.Point>, isInterruptible: Bool,
    onProgress: (@Sendable (_ done: Int, _ statement: StatementProgress) -> Void)? = nil,
    keep: (([String]) -> Void)? = nil
  ) throws(SessionTimeline.Obstacle) {
    setReplaying(true, isInterruptible: isInterruptible, keepsOutput: keep != nil)
    defer { setReplaying(false, isInterruptible: true, keepsOutput: true) }
    for index in points.indices {
      let point = points[index]
      // Reasons are kept for the last turn only, because they cost time.
      if index == points.endIndex - 1 { interpreter.keepReasons() }
      environment.replay(point.inputs)
      clock.replay(point.inputs)
      if let onProgress {
        clock.setOnTick { [progress = interpreter.progress] in onProgress(index, progress) }
      }
      var failure: ScriptError?
      do throws(ScriptError) {
        try interpreter.run(point.statement, in: point.source)
      } catch {
        failure = error
      }
      if failure?.kind == .interrupted { throw .interrupted }
      if let keep {
        keep(output.lines ?? [])
        output = KeptOutput(isBound: false)
      }
      let message = failure?.message(afterTrying: point.statement, in: point.source)
      if message != point.failure { throw .differs(index + 1) }
    }
    interpreter.keepReasons()
  }
}

extension ScriptError {
  /// The message that `try` before the statement prints, as a recorded session has it.
  ///
  /// Some messages say more of a line that begins with the statement itself.
  func message(afterTrying statement: Statement, in source: SourceText) -> String {
    guard self.source == source else { return diagnostic.message }
    let word = "try ".utf8
    var bytes = Array(source.bytes)
    bytes.insert(contentsOf: word, at: statement.range.lowerBound)
    let range = range.lowerBound + word.count..<range.upperBound + word.count
    return ScriptError(kind, range: range, source: SourceText(name: source.name, bytes: bytes))
      .diagnostic.message
  }
}
