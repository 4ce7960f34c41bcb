package import FetchedResults
import GoldenTesting
import PromptTools
import ScriptPages
package import ScriptRuntime
import ScriptSyntax
import Synchronization

/// What a session of the playground needs of the process that it runs in.
package struct SessionHost {
  /// Makes an environment whose files are temporary.
  package let environment: () -> any ScriptEnvironment
  /// The clock and the locale at the start, and whether to stop.
  package let evaluation: EvaluationEnvironment
  package let limit: any StatementLimit
  /// Sets what counts for the limit to zero.
  package let beginLimit: () -> Void
  /// Whether the page asked to stop what it has requested so far.
  package let isStopped: () -> Bool

  package init(
    environment: @escaping () -> any ScriptEnvironment, evaluation: EvaluationEnvironment,
    limit: any StatementLimit, beginLimit: @escaping () -> Void,
    isStopped: @escaping () -> Bool = { false }
  ) {
    self.environment = environment
    self.evaluation = evaluation
    self.limit = limit
    self.beginLimit = beginLimit
    self.isStopped = isStopped
  }
}

/// A script that runs while it is written.
///
/// The page sends the whole script, and how far it should have run. Statements at the start that
/// are as they were stay as they are. The session goes back to the first one that differs, and runs
/// the rest.
package final class LiveSession {
  private let host: SessionHost
  private let emit: (JSON) -> Void
  private var timeline: SessionTimeline?
  private let recorder = StepRecorder()
  /// The statements that have run.
  private var ran: [Ran] = []
  /// The script of the last request; other threads run its statements again.
  private let script = LatestScript()
  /// Whether events of the current statement are recorded.
  private var isRecording = false

  private struct Ran {
    let text: String
    /// The position of the timeline after it.
    let position: Int
    let hasFailed: Bool
    /// The entities of the script that it uses, also before their definitions.
    let entities: Set<String>
  }

  /// The name of the script in messages.
  package static let scriptName = "script.frc"

  /// The size of a statement's record above which only its beginning is sent, in bytes.
  static let mostStepBytes = 1 << 20
  /// The number of events that are sent of such a statement.
  static let fewEvents = 200

  package init(_ host: SessionHost, emit: @escaping (JSON) -> Void) {
    self.host = host
    self.emit = emit
  }

  // MARK: Running

  /// Runs a script as far as a line.
  ///
  /// - Parameters:
  ///   - line: The last line on which a statement may begin; nil for all.
  ///   - isStale: Returns whether the page has sent a newer script.
  package func run(_ text: String, upTo line: Int?, id: Int, isStale: () -> Bool) {
    let source = SourceText(name: Self.scriptName, text: text)
    let parsed = ScriptParser.parse(source)
    script.parsed = parsed
    let total = parsed.statements.count
    // Going back may run statements again, which would be stopped.
    if host.isStopped() { return sendDone(id, of: total, stoppedBy: Self.stopped) }
    let error = parsed.diagnostics.first { $0.severity == .error }?.range.lowerBound ?? .max
    let wanted = parsed.statements.prefix { statement in
      statement.range.upperBound <= error
        && source.line(of: statement.range.lowerBound) <= line ?? .max
    }
    let entities = Self.entities(of: parsed)
    let same = zip(ran, wanted).prefix {
      $0.text == source.text(in: $1.range) && $0.entities == Self.types(in: $1, among: entities)
    }.count
    let kept = goBack(to: same)
    let lines = wanted.prefix(kept).map { JSON.lines(Self.lines(of: $0, in: source)) }
    send("back", id, [("count", .number("\(kept)")), ("lines", .array(lines))])
    let session = timeline ?? begin()
    // An entity may be used above its definition.
    session.interpreter.prepare(for: parsed, isWhole: true)
    session.interpreter.keepReasons()
    var stop: String?
    for statement in wanted.dropFirst(kept) where ran.last?.hasFailed != true {
      if isStale() { break }
      stop = host.isStopped() ? Self.stopped : run(statement, source, entities, id)
      if stop != nil { break }
    }
    sendDone(id, of: total, stoppedBy: stop)
  }

  /// Why no further statement ran when the page asked to stop between two.
  private static let stopped = "the script was stopped"

  private func sendDone(_ id: Int, of total: Int, stoppedBy stop: String?) {
    var fields: [(String, JSON)] = [
      ("ran", .number("\(ran.count)")), ("of", .number("\(total)")),
      ("failed", .boolean(ran.last?.hasFailed == true)),
    ]
    if let stop { fields.append(("stopped", .string(stop))) }
    send("done", id, fields)
  }

  /// - Returns: Why the statement was stopped; nil if it ran to its end or failed.
  private func run(
    _ statement: Statement, _ source: SourceText, _ entities: Set<String>, _ id: Int
  ) -> String? {
    guard let timeline else { return nil }
    let lines = Self.lines(of: statement, in: source)
    host.beginLimit()
    host.limit.beginStatement()
    recorder.begin(lines: lines)
    isRecording = true
    defer { isRecording = false }
    let start = ContinuousClock.now
    var failed = false
    do throws(ScriptError) {
      try timeline.run(statement, in: source)
    } catch {
      if error.kind == .interrupted {
        let reason = host.limit.excess.map { "the statement \($0)" } ?? "the statement was stopped"
        // A change of a file is not undone.
        if timeline.wasRestored {
          adopt(timeline)
        } else {
          end()
          send("back", id, [("count", .number("0")), ("lines", .array([]))])
        }
        host.beginLimit()
        return reason
      }
      recorder.note(.error(error.diagnostic, in: error.source))
      failed = true
    }
    let time = start.duration(to: .now)
    ran.append(
      Ran(
        text: source.text(in: statement.range), position: timeline.position, hasFailed: failed,
        entities: Self.types(in: statement, among: entities)))
    let step = recorder.end(in: timeline.session)
    let milliseconds = time / .milliseconds(1)
    send(
      "step", id,
      [
        ("index", .number("\(ran.count - 1)")),
        ("ms", .number("\((milliseconds * 10).rounded() / 10)")),
        ("step", bounded(step, in: timeline.session)),
      ])
    return nil
  }

  /// Returns a statement's record.
  ///
  /// If it is very large, it has only the first events, and then all rows.
  private func bounded(_ step: PlayRecording.Step, in session: Session) -> JSON {
    let text = step.json
    guard step.frames.count > Self.fewEvents, text.description.utf8.count > Self.mostStepBytes
    else { return text }
    let short = recorder.shortened(
      to: Self.fewEvents,
      noting: "\(step.frames.count - Self.fewEvents) more events are not shown here", in: session)
    return short.json
  }

  private static func lines(of statement: Statement, in source: SourceText) -> ClosedRange<Int> {
    let start = statement.range.lowerBound
    return source.line(of: start)...source.line(of: max(start, statement.range.upperBound - 1))
  }

  private static func entities(of script: ParsedScript) -> Set<String> {
    var names: Set<String> = []
    for case .entity(let declaration) in script.statements.map(\.kind) {
      names.insert(declaration.name.text)
    }
    return names
  }

  /// Returns the types of a statement's properties that the script defines as entities: whether a
  /// type is one depends on the statements below.
  private static func types(in statement: Statement, among entities: Set<String>) -> Set<String> {
    var types: Set<String> = []
    if case .entity(let declaration) = statement.kind {
      types = entities.intersection(declaration.properties.map(\.type.text))
    }
    return statement.inner.reduce(types) { $0.union(Self.types(in: $1, among: entities)) }
  }

  // MARK: Going back

  /// Goes back until a number of statements has run.
  ///
  /// - Returns: The number of statements that are in force then: fewer if there is no way back.
  private func goBack(to count: Int) -> Int {
    guard count < ran.count, let timeline else { return ran.count }
    timeline.interpreter.onExplanations = nil
    do throws(SessionTimeline.Obstacle) {
      try timeline.go(to: count == 0 ? 0 : ran[count - 1].position)
      ran.removeSubrange(count...)
      adopt(timeline)
    } catch {
      // A file was changed, so everything runs again in a new folder.
      end()
    }
    return ran.count
  }

  private func begin() -> SessionTimeline {
    let timeline = SessionTimeline(
      environment: host.environment(), evaluation: host.evaluation,
      prepare: { [script] interpreter in
        if let parsed = script.parsed { interpreter.prepare(for: parsed) }
      },
      warn: { _, _ in },
      emit: { [unowned self] event in receive(event) })
    self.timeline = timeline
    adopt(timeline)
    return timeline
  }

  /// Follows the session that is current now.
  private func adopt(_ timeline: SessionTimeline) {
    timeline.interpreter.onExplanations = { [unowned self] explanations in
      if isRecording { recorder.add(explanations) }
    }
    recorder.resample(timeline.session)
  }

  private func receive(_ event: Event) {
    guard isRecording, let timeline else { return }
    host.limit.note(event)
    recorder.take(event, in: timeline.session)
  }

  /// Ends the session; the next run begins another one.
  private func end() {
    timeline?.close()
    timeline = nil
    ran = []
    recorder.forgetSession()
  }

  // MARK: Asking

  /// Tells what the statement at a line would do now.
  ///
  /// Nothing changes.
  package func tryStatement(_ text: String, at line: Int, id: Int) {
    let source = SourceText(name: Self.scriptName, text: text)
    let parsed = ScriptParser.parse(source)
    script.parsed = parsed
    let statement = parsed.statements.first { Self.lines(of: $0, in: source).contains(line) }
    guard let statement else {
      return answer("try", id, failure: "there is no complete statement on line \(line)")
    }
    let timeline = timeline ?? begin()
    timeline.interpreter.prepare(for: parsed, isWhole: true)
    host.beginLimit()
    let alone = ScriptParser.parse(
      SourceText(name: Self.scriptName, text: source.text(in: statement.range)))
    let lines = JSON.lines(Self.lines(of: statement, in: source))
    guard let outcome = timeline.trial(of: alone, within: .seconds(2)) else {
      return answer(
        "try", id,
        failure: "this statement cannot be tried: it could change something outside the session, "
          + "or takes too long")
    }
    var fields: [(String, JSON)] = [
      ("lines", lines), ("events", .array(outcome.events.prefix(Self.fewEvents).map(JSON.event))),
    ]
    if let failure = outcome.failure { fields.append(("failure", .string(failure))) }
    send("try", id, fields)
  }

  /// Makes a page that plays the script, without a server.
  package func makePage(_ text: String, title: String, id: Int) {
    let source = SourceText(name: Self.scriptName, text: text)
    let parsed = ScriptParser.parse(source)
    guard !parsed.hasErrors else {
      return answer("page", id, failure: "the script has errors; correct them first")
    }
    let directives = TestDirectives(parsed)
    if let skip = directives.skip {
      return answer("page", id, failure: "tests skip the script: \(skip.text)")
    }
    host.beginLimit()
    let recorder = PlayRecorder(
      title: title, environment: host.environment(), evaluation: host.evaluation,
      limit: host.limit
    ) { interpreter in
      if directives.stores == [.sqlite] { interpreter.useStore(at: "matrix.sqlite") }
    }
    let skipped = directives.skippedLines(in: parsed)
    let recording = recorder.record(parsed, shownAs: source, skipping: skipped)
    if let excess = host.limit.excess {
      return answer("page", id, failure: "the script \(excess)")
    }
    send("page", id, [("text", .string(PlayPage(recording).html))])
  }

  /// Writes what each statement prints under it, if a second run prints the same.
  package func makeGolden(_ text: String, id: Int) {
    let source = SourceText(name: Self.scriptName, text: text)
    let test = PreparedTest(GoldenTest(source: source))
    host.beginLimit()
    let isCancelled = host.evaluation.isCancelled
    let runner = GoldenRunner(
      environment: host.environment(), timeout: nil, limits: [],
      isStopped: { isCancelled?() ?? false })
    let runs = runner.runs(of: test)
    var again: [GoldenRun] = []
    if host.limit.excess == nil {
      host.beginLimit()
      again = runner.runs(of: test)
    }
    let outcome = test.outcome(of: runs, again: again)
    let update = GoldenUpdate(outcome)
    let others = update.outcome.failures.filter {
      if case .uncaught = $0.kind { false } else { true }
    }
    guard host.limit.excess == nil, others.isEmpty else {
      // Its line is that of the script in the page, and not that of the updated one.
      let unstable = outcome.failures.first {
        if case .unstable = $0.kind { true } else { false }
      }
      return answer(
        "golden", id,
        failure: host.limit.excess.map { "the script \($0)" } ?? unstable.map {
          "a second run prints something else at line \($0.lines.lowerBound); "
            + "write the expected lines with a pattern, such as '#> [..]'"
        } ?? "the script has errors; correct them first")
    }
    send(
      "golden", id,
      [("text", .string(String(decoding: update.file?.bytes ?? update.original, as: UTF8.self)))])
  }

  private func answer(_ op: String, _ id: Int, failure: String) {
    send(op, id, [("failure", .string(failure))])
  }

  private func send(_ op: String, _ id: Int, _ fields: [(String, JSON)]) {
    emit(.object([("op", .string(op)), ("id", .number("\(id)"))] + fields))
  }
}

/// The script that the page sent last.
private final class LatestScript: Sendable {
  private let script = Mutex<ParsedScript?>(nil)

  var parsed: ParsedScript? {
    get { script.withLock(\.self) }
    set { script.withLock { $0 = newValue } }
  }
}

extension JSON {
  fileprivate static func lines(_ lines: ClosedRange<Int>) -> JSON {
    .array([.number("\(lines.lowerBound)"), .number("\(lines.upperBound)")])
  }
}

/// The first letter of a message, which says what the rest is for.
///
/// The server reads only this letter, and passes the rest on without a look at it.
package enum PlaygroundChannel: UInt8, Sendable {
  /// The script and its statements.
  case run = 0x72  // r
  /// The language service, by the messages of its protocol.
  case editor = 0x6C  // l
  /// The course.
  case course = 0x63  // c
  /// From a process: the results of a learner, which stay with the server.
  case results = 0x70  // p
  /// From a student's page: the script that the teacher may look at.
  case share = 0x73  // s
  /// From the server: what it says of the session itself.
  case server = 0x78  // x

  package init?(_ letter: UInt8) { self.init(rawValue: letter) }

  /// Whether a page may send it to its process.
  package var isForProcess: Bool {
    switch self {
    case .run, .editor, .course: true
    case .results, .share, .server: false
    }
  }

  /// Whether a process may send it to its page.
  package var isForPage: Bool {
    switch self {
    case .run, .editor, .course: true
    case .results, .share, .server: false
    }
  }
}

/// A message between the server and the process of a session: its length, then its bytes.
package struct PlaygroundFrame {
  private var bytes: [UInt8]

  package init(_ channel: PlaygroundChannel) { bytes = [0, 0, 0, 0, channel.rawValue] }

  /// Creates a message from one that has its letter already.
  package init(message: some Sequence<UInt8>) { bytes = [0, 0, 0, 0] + message }

  package mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  /// The message with its length before it.
  package var framed: [UInt8] {
    var framed = bytes
    let count = UInt32(bytes.count - 4)
    for place in 0..<4 { framed[place] = UInt8(truncatingIfNeeded: count >> UInt32(8 * place)) }
    return framed
  }
}
