package import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

/// A session whose statements are points to go back to.
///
/// To go back, a new session runs the statements up to the point again, with
/// the clock, the random numbers and the files as each of them had them. So all
/// of a session's state comes back, whatever it is made of, and nothing has to
/// be copied while statements run. The session in force stays until the other
/// one is done.
///
/// Where the statements took long, checkpoints shorten the way: a second
/// session is brought to the point before the last change while nobody waits,
/// and the session that was left stays for the way forward. See
/// ``Checkpoints``.
///
/// What is saved to a file cannot be taken back; there no way leads back.
package final class SessionTimeline {
  /// A statement that ran.
  package struct Point: Sendable {
    package let statement: Statement
    package let source: SourceText
    package let inputs: StatementInputs
    /// What it printed, or would have if nothing is measured.
    package internal(set) var output: KeptOutput
    /// What it failed with.
    package let failure: String?
    /// Whether it changes nothing, so that there is nothing to take back.
    package let onlyLooks: Bool
    /// The number under which its value was kept, as in `_3`; nil if none was.
    package let result: Int?
    /// How long it ran.
    package let duration: Duration
    /// What the controllers showed after it.
    package let seen: [SeenController]

    /// The statement as a script has it: a value alone is printed there.
    package var text: String {
      (statement.bareValue == nil ? "" : "print ") + source.text(in: statement.range)
    }

    /// The value, as a variable gets it; nil for a statement that keeps none.
    package var valueText: String? {
      result.map { _ in source.text(in: statement.range) }
    }
  }

  /// Why the session cannot be taken elsewhere.
  package enum Obstacle: Error, Equatable, CustomStringConvertible {
    case storeInFile(String)
    case noPoint(Int, last: Int)
    case nothingToUndo
    case nothingToRedo
    case interrupted
    /// A statement did not do again what it had done.
    case differs(Int)

    package var description: String {
      switch self {
      case .storeInFile(let name):
        "the objects are in '\(name)', and what was saved there cannot be taken back; "
          + "going back needs the store in memory"
      case .noPoint(let point, let last):
        "there is no point \(point); :timeline lists those from 0 to \(last)"
      case .nothingToUndo: "nothing to undo: this is the beginning"
      case .nothingToRedo: "nothing to do again: this is the last point"
      case .interrupted: "interrupted; the session is as it was"
      case .differs(let point):
        "statement \(point) did something else when it ran again; the session is as it was"
      }
    }
  }

  /// The session in force.
  package var interpreter: Interpreter { wired.interpreter }
  /// The statements, those that were undone included.
  package private(set) var points: [Point] = []
  /// How many of them have run in the session in force.
  package private(set) var position = 0

  private var wired: WiredSession
  private let plan: WiredSession.Plan
  private var checkpoints: Checkpoints

  /// Begins a session.
  ///
  /// - Parameters:
  ///   - environment: Where files come from, and Ctrl-C.
  ///   - evaluation: The clock and the locale at the beginning.
  ///   - prepare: Called with each session at its beginning.
  ///   - warn: Receives what is odd but no error.
  ///   - emit: Called with each event of the statements that are run, not of
  ///     those that run again.
  package init(
    environment: any ScriptEnvironment, evaluation: EvaluationEnvironment,
    prepare: @escaping (Interpreter) -> Void,
    warn: @escaping (Diagnostic, SourceText) -> Void, emit: @escaping (Event) -> Void
  ) {
    plan = WiredSession.Plan(
      environment: environment, evaluation: evaluation, prepare: prepare, warn: warn, emit: emit)
    checkpoints = Checkpoints(plan)
    wired = WiredSession(plan)
    wired.interpreter.keepReasons()
  }

  deinit { checkpoints.drop() }

  /// Ends the session: what is put together in the background is given up.
  package func close() { checkpoints.close() }

  package var session: Session { interpreter.session }

  /// Whether the state before a statement can be had back.
  package var canGoBack: Bool { session.openStore == nil }

  /// Runs a statement, which becomes the last point.
  ///
  /// One that only looks and runs in the past is not a point, so that what was
  /// undone can still be done again. One that is interrupted is none either,
  /// and leaves the session as it was; see `wasRestored`.
  package func run(_ statement: Statement, in source: SourceText) throws(ScriptError) {
    let isLook = statement.traits.onlyLooks
    wired.environment.record()
    wired.clock.record()
    wired.output = KeptOutput()
    wasRestored = true
    interpreter.leavesInterrupted = canGoBack && !isLook
    let results = session.resultCount
    let running = Running(
      word: source.text(in: statement.range).prefix { $0.isLetter }.description,
      progress: interpreter.progress)
    // An import tells by itself how far it is.
    if case .importRows = statement.kind {
    } else {
      wired.clock.hear { [hearRunning] in hearRunning(running) }
    }
    let clock = wired.clock
    defer { clock.hear(nil) }
    let start = ContinuousClock.now
    do {
      try interpreter.run(statement, in: source)
    } catch {
      clock.hear(nil)
      hearRunning(nil)
      if error.kind == .interrupted {
        hearInterruption(canGoBack || isLook)
        if !isLook { wasRestored = restore() }
      } else {
        add(statement, source, failure: error.kind.description, isLook, .now - start)
      }
      throw error
    }
    hearRunning(nil)
    add(
      statement, source, failure: nil, isLook, .now - start,
      result: session.resultCount > results ? session.resultCount : nil)
  }

  /// A statement that runs.
  package struct Running: Sendable {
    /// Its first word.
    package let word: String
    package let progress: StatementProgress
  }

  /// Is called again and again while a statement runs, and with nil at its end.
  package var hearRunning: @Sendable (Running?) -> Void = { _ in }

  /// Is told that a statement has stopped, before the session is put back, and
  /// whether it will be.
  package var hearInterruption: (_ willBeRestored: Bool) -> Void = { _ in }

  /// Whether the last statement that was interrupted left nothing behind.
  package private(set) var wasRestored = true

  private func add(
    _ statement: Statement, _ source: SourceText, failure: String?, _ isLook: Bool,
    _ duration: Duration, result: Int? = nil
  ) {
    defer { wired.output = KeptOutput() }
    if isLook, position < points.count { return }
    var inputs = wired.clock.inputs
    inputs.answers = wired.environment.answers
    checkpoints.forget(after: position)
    points.removeSubrange(position...)
    // Whoever only looks leaves the rows as they were.
    let seen = isLook ? self.seen(at: position) : interpreter.seenControllers
    points.append(
      Point(
        statement: statement, source: source, inputs: inputs, output: wired.output,
        failure: failure, onlyLooks: isLook, result: result, duration: duration, seen: seen))
    position += 1
    boundOutputs()
    if canGoBack { prepareCheckpoints() }
  }

  /// What the controllers showed at a point.
  package func seen(at position: Int) -> [SeenController] {
    position > 0 && position <= points.count ? points[position - 1].seen : []
  }

  /// Forgets the oldest outputs where all of them together take too much room.
  private func boundOutputs() {
    var size = points.reduce(0) { $0 + $1.output.byteCount }
    for index in points.indices where size > KeptOutput.largestOfAll {
      size -= points[index].output.byteCount
      points[index].output.forget()
    }
  }

  /// What the statements in force printed.
  ///
  /// Where it was too much to be kept, they run again.
  ///
  /// - Returns: The lines of each point; nil for one whose output is lost, for there is no way
  ///   back.
  package func outputs() -> [[String]?] {
    let inForce = points[..<position]
    guard canGoBack, inForce.contains(where: { $0.output.lines == nil }) else {
      return inForce.map(\.output.lines)
    }
    var made: [[String]] = []
    let other = WiredSession(plan)
    try? other.repeatPoints(inForce, isInterruptible: false, keep: { made.append($0) })
    return inForce.indices.map { points[$0].output.lines ?? (made.indices ~= $0 ? made[$0] : nil) }
  }

  // MARK: Going elsewhere

  /// Takes the session back by some statements; those that only look do not count.
  package func undo(_ count: Int = 1) throws(Obstacle) {
    let steps = points.indices[..<position].filter { !points[$0].onlyLooks }
    guard !steps.isEmpty else { throw .nothingToUndo }
    try go(to: steps[max(0, steps.count - count)])
  }

  /// Runs statements again that were undone; those that only look do not count.
  package func redo(_ count: Int = 1) throws(Obstacle) {
    guard position < points.count else { throw .nothingToRedo }
    let steps = points.indices[position...].filter { !points[$0].onlyLooks }
    try go(to: count < steps.count ? steps[count - 1] + 1 : points.count)
  }

  /// Takes the session to where that many statements have run.
  ///
  /// - Complexity: What the statements took that lie between the nearest checkpoint
  ///   before the point and the point.
  package func go(to target: Int) throws(Obstacle) {
    guard 0...points.count ~= target else { throw .noPoint(target, last: points.count) }
    guard canGoBack else { throw .storeInFile(session.openStore ?? "") }
    guard target != position else { return }
    let other = try checkpoints.session(at: target, of: points, hear: hearProgress)
    checkpoints.leave(wired, at: position, of: points)
    wired = other
    position = target
    prepareCheckpoints()
  }

  /// Puts the session back to where it is, after a statement that was broken off.
  private func restore() -> Bool {
    guard canGoBack else { return false }
    let same = try? checkpoints.session(
      at: position, of: points, isInterruptible: false, hear: hearProgress)
    guard let same else { return false }
    let broken = wired
    wired = same
    Checkpoints.release(broken)
    prepareCheckpoints()
    return true
  }

  private func prepareCheckpoints() {
    checkpoints.prepare(
      for: points[..<position], changeCount: session.tally.changes.values.reduce(0, +))
  }

  /// Is told how many statements have run again, and of how many, while a session
  /// is put together; nil at the end.
  package var hearProgress: @Sendable (_ progress: Progress?) -> Void = { _ in }

  /// How far a session is that is put together again.
  package struct Progress: Sendable {
    package let done: Int
    package let all: Int
    /// How far the statement is that runs again; nil if it runs on another thread.
    package let statement: StatementProgress?
  }

  /// How many statements ran again for the last way that was gone.
  package var repeatedCount: Int { checkpoints.repeatedCount }

  /// Waits until the checkpoints are ready; for tests.
  package func awaitCheckpoints() { checkpoints.wait() }

  /// Whether statements can be tried: they have no effects outside, and neither have the hooks
  /// and callbacks that may run.
  package func canTry(_ script: ParsedScript) -> Bool {
    canGoBack && script.isSafeToTry(after: points[..<position])
  }

  /// Runs statements in a copy of the session, which then goes.
  ///
  /// - Parameter limit: How long it may take.
  /// - Returns: What they would do; nil if it would take too long, or if they cannot be tried.
  package func trial(of script: ParsedScript, within limit: Duration) -> TrialOutcome? {
    guard canTry(script) else { return nil }
    return Trial(plan, points[..<position]).outcome(of: script, within: limit)
  }
}
