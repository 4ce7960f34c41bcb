package import FetchedResults
import Platform
package import ScriptRuntime
package import ScriptSyntax

/// A session whose statements are points to go back to.
///
/// To go back, a new session runs the statements up to the point again. Each gets the same clock,
/// random numbers and files as before. In this way all of a session's state is restored, and
/// nothing has to be copied while statements run. The current session stays in use until the new
/// one is ready.
///
/// If the statements took long, checkpoints make this faster. A second session is brought to the
/// point before the last change while nobody waits, and the session that was left is kept for the
/// way forward. See ``Checkpoints``.
///
/// A save to a file cannot be undone, so there is no way back from it.
package final class SessionTimeline {
  /// A statement that ran.
  package struct Point: Sendable {
    package let statement: Statement
    package let source: SourceText
    package let inputs: StatementInputs
    /// The printed output, or what it would be if nothing is measured.
    package internal(set) var output: KeptOutput
    /// The message of the error that it failed with; nil if it did not fail.
    package let failure: String?
    /// Whether it changes something, so that there is something to revert.
    package let isStep: Bool
    /// The number of its saved result, as in `_3`; nil if it has none.
    package let result: Int?
    /// The processor time of the statement.
    ///
    /// What it waited for, such as a busy machine or a slow terminal, need not happen again when it
    /// runs again.
    package let processorTime: Duration
    /// The processor time of this and all earlier statements.
    let timeSoFar: Duration
    /// What the controllers showed afterwards.
    package let seen: [SeenController]

    /// The statement as a script writes it, where a value alone is written as a `print`.
    package var text: String {
      let start = tried.range.lowerBound
      return source.text(in: statement.range.lowerBound..<start)
        + (tried.bareValue == nil ? "" : "print ")
        + source.text(in: start..<statement.range.upperBound)
    }

    /// The statement after any `try`.
    package var tried: Statement {
      var tried = statement
      while case .try(let inner) = tried.kind { tried = inner }
      return tried
    }
  }

  /// The reason why the session cannot go to another point.
  package enum Obstacle: Error, Equatable, CustomStringConvertible {
    case storeInFile(String)
    case noPoint(Int, last: Int)
    case nothingToUndo
    case nothingToRedo
    case interrupted
    /// A statement did something else than the first time.
    case differs(Int)

    package var description: String {
      switch self {
      case .storeInFile(let name):
        "the objects are in '\(name)', and what was saved there cannot be undone; "
          + "going back needs the store in memory"
      case .noPoint(let point, let last):
        "there is no point \(point); :timeline lists those from 0 to \(last)"
      case .nothingToUndo: "nothing to undo: this is the beginning"
      case .nothingToRedo: "nothing to redo: this is the last point"
      case .interrupted: "interrupted; the session is as it was"
      case .differs(let point):
        "statement \(point) did something else when it ran again; the session is as it was"
      }
    }
  }

  /// The interpreter of the current session.
  package var interpreter: Interpreter { wired.interpreter }
  /// The statements, including those that were undone.
  package private(set) var points: [Point] = []
  /// The number of statements that have run in the current session.
  package private(set) var position = 0
  /// The fetches, and statements with a result that only read, that ran in the past.
  ///
  /// They become points as soon as a later statement, which may use their results, does.
  private var looks: [Point] = []
  /// The number of bytes that the outputs of all points have.
  private var outputSize = 0
  /// How many outputs, from the first on, are dropped.
  private var droppedOutputs = 0

  private var wired: WiredSession
  private let plan: WiredSession.Plan
  private var checkpoints: Checkpoints

  /// Starts a session.
  ///
  /// - Parameters:
  ///   - environment: Provides files, and reports Ctrl-C.
  ///   - evaluation: The clock and the locale at the start.
  ///   - prepare: Called with each session before its first statement.
  ///   - warn: Receives warnings.
  ///   - emit: Called with each event of a statement that runs for the first time.
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

  /// Ends the session, and stops building others in the background.
  package func close() { checkpoints.close() }

  package var session: Session { interpreter.session }

  /// Whether the state before a statement can be restored.
  package var canGoBack: Bool { session.openedFile == nil }

  /// Runs a statement and appends it as a point.
  ///
  /// If a statement only reads and runs in the past, it is not a point, so that `redo` still works;
  /// if it has a result, it becomes one when another statement takes the place of what was undone.
  /// An interrupted statement is not a point either, and leaves the session as it was; see
  /// `wasRestored`.
  package func run(_ statement: Statement, in source: SourceText) throws(ScriptError) {
    let isLook = statement.traits.onlyLooks
    wired.environment.record()
    wired.clock.record()
    wired.output = KeptOutput()
    wasRestored = true
    interpreter.dropsInterrupted = canGoBack && !isLook
    let results = session.resultCount
    let tally = session.tally
    let running = Running(statement, in: source, interpreter.progress)
    // An import reports its progress itself.
    if case .importRows = statement.kind {
    } else {
      wired.clock.setOnTick { [onRunning] in onRunning(running) }
    }
    if !isLook { interpreter.onStop = { [onStop] in onStop($0, running) } }
    defer { interpreter.onStop = nil }
    let clock = wired.clock
    defer { clock.setOnTick(nil) }
    let start = ProcessLimits.threadTime
    do {
      try interpreter.run(statement, in: source)
    } catch {
      clock.setOnTick(nil)
      onRunning(nil)
      if error.kind == .interrupted {
        let isAsBefore = isLook || interpreter.wasReverted
        onInterruption(canGoBack || isAsBefore)
        if !isAsBefore { wasRestored = restore() }
      } else {
        add(
          statement, source, failure: error.message(afterTrying: statement, in: source), isLook,
          since: tally, ProcessLimits.threadTime - start)
      }
      throw error
    }
    onRunning(nil)
    add(
      statement, source, failure: nil, isLook, since: tally, ProcessLimits.threadTime - start,
      result: session.resultCount > results ? session.resultCount : nil)
  }

  /// The statement that is running.
  package struct Running: Sendable {
    /// Its first word, and the second one of `batch delete`.
    package let word: String
    package let progress: StatementProgress
    /// When it began.
    let start = ContinuousClock.now

    init(_ statement: Statement, in source: SourceText, _ progress: StatementProgress) {
      let words = source.text(in: statement.range).split(maxSplits: 2) { !$0.isLetter }
      var count = 1
      if case .batch = statement.kind { count = 2 }
      word = words.prefix(count).joined(separator: " ")
      self.progress = progress
    }

    /// About how long it still takes; nil if the number of all is unknown, or if too little is
    /// finished to tell.
    package var timeLeft: Duration? {
      let done = progress.done
      guard let total = progress.total, done > 0, done < total, done >= total / 1000 else {
        return nil
      }
      return (ContinuousClock.now - start) * (Double(total - done) / Double(done))
    }
  }

  /// Called again and again while a statement runs, and with nil at its end.
  package var onRunning: @Sendable (Running?) -> Void = { _ in }

  /// Called when a statement that changes something is to stop, before that is undone, with what it
  /// has done.
  package var onStop: (_ done: SessionTally, _ running: Running) -> Void = { _, _ in }

  /// Called after a statement was interrupted and before the session is restored; the argument says
  /// whether it will be.
  package var onInterruption: (_ willBeRestored: Bool) -> Void = { _ in }

  /// Whether the session was restored after the last interrupted statement.
  package private(set) var wasRestored = true

  private func add(
    _ statement: Statement, _ source: SourceText, failure: String?, _ isLook: Bool,
    since tally: SessionTally, _ time: Duration, result: Int? = nil
  ) {
    defer { wired.output = KeptOutput() }
    let isInPast = position < points.count
    if isLook, isInPast, result == nil { return }
    var inputs = wired.clock.inputs
    inputs.answers = wired.environment.answers
    let isStep =
      !isLook
      && (session.tally != tally || hasOtherEffect(statement, hasFailed: failure != nil))
    // A statement that only reads leaves the rows unchanged.
    let seen = isLook ? self.seen(at: position) : interpreter.seenControllers
    let point = Point(
      statement: statement, source: source, inputs: inputs, output: wired.output,
      failure: failure, isStep: isStep, result: result,
      processorTime: time, timeSoFar: statementsSoFar.processorTime + time, seen: seen)
    if !isStep, isInPast { return looks.append(point) }
    checkpoints.forget(after: position)
    for point in points[position...] { outputSize -= point.output.byteCount }
    points.removeSubrange(position...)
    droppedOutputs = min(droppedOutputs, position)
    let added = looks + [point]
    looks = []
    points += added
    position += added.count
    for point in added { outputSize += point.output.byteCount }
    boundOutputs()
    if canGoBack { prepareCheckpoints() }
  }

  /// The statements that the current session consists of.
  private var statementsSoFar: ArraySlice<Point> {
    looks.isEmpty ? points[..<position] : points[..<position] + looks
  }

  /// Whether a statement may have changed something that the tally does not show.
  ///
  /// The tally has all changes of objects.
  private func hasOtherEffect(_ statement: Statement, hasFailed: Bool = false) -> Bool {
    let traits = statement.traits
    if traits.parts.contains(where: { $0.values.contains(where: fetchesMore) })
      || statement.inner.contains(where: { hasOtherEffect($0) })
    {
      return true
    }
    return switch traits.effect {
    case .looks, .inserts, .changesObjects, .changesMatches: false
    case .fetches:
      if case .fetch(let request) = statement.kind { !onlyListsRows(request) } else { true }
    case .runs: if case .include = statement.kind { true } else { false }
    // A model may have defined some of its entities before it failed.
    case .defines: !hasFailed || traits.definitions.contains { $0.name == nil }
    case .saves, .rollsBack, .resets, .undoes, .redoes, .changesRequest, .stopsTracking,
      .suspends, .resumes, .changes:
      true
    }
  }

  /// Whether computing a value fetches more than rows that are listed.
  private func fetchesMore(_ value: ExpressionSyntax) -> Bool {
    value.contains { if case .fetch(let request) = $0 { !onlyListsRows(request) } else { false } }
  }

  /// Whether a fetch is of the rows of a request or an entity, which changes only which objects the
  /// context has read.
  private func onlyListsRows(_ request: RequestSyntax) -> Bool {
    guard session.controllers[request.source.text] == nil else { return false }
    // A refresh changes the objects that the context has.
    let option = request.clauses.options.last { $0.option == .shouldRefreshRefetchedObjects }
    let isNamed = session.requests[request.source.text]?.request.shouldRefreshRefetchedObjects
    return !(option?.isOn ?? isNamed ?? false)
  }

  /// Returns what the controllers showed at a point.
  package func seen(at position: Int) -> [SeenController] {
    position > 0 && position <= points.count ? points[position - 1].seen : []
  }

  /// Drops the oldest outputs if all of them together take too much memory.
  private func boundOutputs() {
    while outputSize > KeptOutput.largestOfAll, droppedOutputs < points.count {
      outputSize -= points[droppedOutputs].output.byteCount
      points[droppedOutputs].output.forget()
      droppedOutputs += 1
    }
  }

  /// Returns the output of the statements in force.
  ///
  /// Statements whose output was too large to keep run again.
  ///
  /// - Returns: The lines of each point; nil for a point whose output is lost, because there is no
  ///   way back.
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

  /// Goes back by a number of statements.
  ///
  /// Those that only read are not counted.
  package func undo(_ count: Int = 1) throws(Obstacle) {
    let steps = points.indices[..<position].filter { points[$0].isStep }
    guard !steps.isEmpty else { throw .nothingToUndo }
    try go(to: steps[max(0, steps.count - count)])
  }

  /// Goes forward by a number of undone statements.
  ///
  /// Those that only read are not counted.
  package func redo(_ count: Int = 1) throws(Obstacle) {
    guard position < points.count else { throw .nothingToRedo }
    let steps = points.indices[position...].filter { points[$0].isStep }
    try go(to: count < steps.count ? steps[count - 1] + 1 : points.count)
  }

  /// Goes to the point where this number of statements has run.
  ///
  /// - Complexity: The time of the statements between the point and the nearest checkpoint before
  ///   it.
  package func go(to target: Int) throws(Obstacle) {
    guard 0...points.count ~= target else { throw .noPoint(target, last: points.count) }
    guard canGoBack else { throw .storeInFile(session.openedFile ?? "") }
    guard target != position else { return }
    let other = try checkpoints.session(at: target, of: points, onProgress: onProgress)
    let old = wired
    wired = other
    if looks.isEmpty {
      checkpoints.leave(old, at: position, of: points)
    } else {
      // The points that follow must not find the results of the looks in it.
      Checkpoints.release(old)
      looks = []
    }
    position = target
    prepareCheckpoints()
  }

  /// Restores the session after a statement was interrupted.
  private func restore() -> Bool {
    guard canGoBack else { return false }
    let same = try? checkpoints.session(
      at: position, of: points, isInterruptible: false, onProgress: onProgress)
    guard let same, (try? same.repeatPoints(looks[...], isInterruptible: false)) != nil else {
      return false
    }
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

  /// Called with the number of statements that have run again, and of all of them, while a session
  /// is built; with nil at the end.
  package var onProgress: @Sendable (_ progress: Progress?) -> Void = { _ in }

  /// The progress of a session that is being built.
  package struct Progress: Sendable {
    package let done: Int
    package let all: Int
    /// The progress of the statement that runs again; nil if it runs on another thread.
    package let statement: StatementProgress?
  }

  /// The number of statements that ran again for the last move.
  package var repeatedCount: Int { checkpoints.repeatedCount }

  /// Waits until the checkpoints are ready; for tests.
  package func awaitCheckpoints() { checkpoints.wait() }

  /// Whether statements can be tried: neither they, nor the hooks and callbacks that may run, have
  /// effects outside the session.
  package func canTry(_ script: ParsedScript) -> Bool {
    canGoBack && script.isSafeToTry(after: statementsSoFar)
  }

  /// Runs statements in a copy of the session, which is then dropped.
  ///
  /// - Parameter limit: The longest time that this thread may have a processor for it.
  /// - Returns: What they would do; nil if this takes too long, or if they cannot be tried.
  package func trial(of script: ParsedScript, within limit: Duration) -> TrialOutcome? {
    guard canTry(script) else { return nil }
    return Trial(plan, statementsSoFar).outcome(of: script, within: limit)
  }
}

extension ArraySlice<SessionTimeline.Point> {
  /// The processor time of the statements.
  ///
  /// - Complexity: O(1).
  var processorTime: Duration {
    guard let first, let last else { return .zero }
    return last.timeSoFar - first.timeSoFar + first.processorTime
  }
}

/// The output of a statement in compact form, if it is not too large.
package struct KeptOutput {
  /// The largest number of bytes that are kept of one statement.
  static let largest = 1 << 20
  /// The largest number of bytes that are kept of all statements.
  static let largestOfAll = 16 << 20

  private enum Content {
    /// The lines, each with its line end.
    case bytes([UInt8])
    /// The output was not wanted, or was too large.
    case nothing
  }

  private var content = Content.bytes([])
  private let isBound: Bool

  /// - Parameter isBound: Whether output that is too large is dropped.
  init(isBound: Bool = true) { self.isBound = isBound }

  /// An output that keeps nothing.
  static var none: KeptOutput {
    var output = KeptOutput()
    output.forget()
    return output
  }

  var byteCount: Int {
    switch content {
    case .bytes(let bytes): bytes.count
    case .nothing: 0
    }
  }

  /// The lines; nil if they were too large to keep.
  package var lines: [String]? {
    switch content {
    case .bytes(let bytes):
      bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
    case .nothing: nil
    }
  }

  mutating func forget() { content = .nothing }

  /// Adds the lines that an event prints.
  mutating func add(_ event: Event) {
    guard case .bytes(var bytes) = content else { return }
    content = .nothing
    for lines in event.unmeasured.textPieces {
      for line in lines {
        bytes += line.utf8
        bytes.append(UInt8(ascii: "\n"))
      }
      // The output is too large, so the other lines are not needed.
      if isBound, bytes.count > Self.largest { return }
    }
    content = .bytes(bytes)
  }
}
