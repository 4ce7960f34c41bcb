import FetchedResults
package import Foundation
import ScriptRuntime
import ScriptSyntax
import Synchronization

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

/// Everything that one statement read from its environment, so that it does the same when it runs
/// again.
package struct StatementInputs: Sendable {
  /// The time of the clock; nil if the statement did not read it.
  package var instant: Date?
  var randomNumbers: [Double] = []
  var answers: [Answer] = []

  /// The answers of an environment, in order.
  enum Answer: Sendable {
    case source(Result<SourceText, UnreadableSource>)
    case contents(Result<[UInt8], UnreadableSource>)
    case pieces(Result<RecordedPieces, UnreadableSource>)
    case names([String]?)
  }
}

/// The pieces that were read from a file.
final class RecordedPieces: Sendable {
  let results = Mutex<[Result<[UInt8]?, UnreadableSource>]>([])
}

/// A clock that shows one time while a statement runs, with random numbers that can be repeated.
///
/// Each statement has one instant, so that a script can set the clock to the time that a statement
/// shows.
final class StatementClock: Sendable {
  private struct State {
    var recorded = StatementInputs()
    var isReplaying = false
    var nextNumber = 0
  }

  /// A function that is called very often while a statement runs.
  ///
  /// The struct avoids a cost: a mutex directly around a function would wrap it at each access.
  private struct Listener {
    var onTick: (@Sendable () -> Void)?
  }

  private let listener = Mutex(Listener())

  /// Sets a function to call again and again while statements run; nil for none.
  func setOnTick(_ function: (@Sendable () -> Void)?) { listener.withLock { $0.onTick = function } }

  /// Calls that function; a running statement does so whenever it asks whether to continue.
  func tick() { listener.withLock(\.onTick)?() }

  private let state = Mutex(State())
  /// Whether Ctrl-C is ignored.
  private let ignoring = Atomic(false)

  var ignoresInterrupts: Bool {
    get { ignoring.load(ordering: .relaxed) }
    set { ignoring.store(newValue, ordering: .relaxed) }
  }

  /// Whether the session must stop for good.
  private let stop = Atomic(false)

  var isStopped: Bool {
    get { stop.load(ordering: .relaxed) }
    set { stop.store(newValue, ordering: .relaxed) }
  }

  private let baseNow: @Sendable () -> Date
  private let baseRandom: @Sendable () -> Double

  init(now: @escaping @Sendable () -> Date, random: @escaping @Sendable () -> Double) {
    baseNow = now
    baseRandom = random
  }

  func record() { state.withLock { $0 = State() } }

  func replay(_ inputs: StatementInputs) {
    state.withLock { $0 = State(recorded: inputs, isReplaying: true) }
  }

  /// What was read since `record()`.
  var inputs: StatementInputs { state.withLock { $0.recorded } }

  func now() -> Date {
    state.withLock { state in
      if let instant = state.recorded.instant { return instant }
      // Whole milliseconds, which a script can write.
      let seconds = (baseNow().timeIntervalSince1970 * 1000).rounded(.down) / 1000
      let instant = Date(timeIntervalSince1970: seconds)
      state.recorded.instant = instant
      return instant
    }
  }

  func random() -> Double {
    state.withLock { state in
      if state.isReplaying, state.nextNumber < state.recorded.randomNumbers.count {
        state.nextNumber += 1
        return state.recorded.randomNumbers[state.nextNumber - 1]
      }
      let number = baseRandom()
      state.recorded.randomNumbers.append(number)
      return number
    }
  }
}

/// An environment that records its answers, or repeats recorded ones.
///
/// The contents of a store in a file cannot be restored, so nothing of it is recorded.
final class RecordingEnvironment: FilesOfAnother {
  let base: any ScriptEnvironment
  /// The answers since `record()`.
  private(set) var answers: [StatementInputs.Answer] = []
  private var replayed: ArraySlice<StatementInputs.Answer>?

  /// Whether the session must stop, even without Ctrl-C.
  private let isStopped: () -> Bool

  init(_ base: any ScriptEnvironment, isStopped: @escaping () -> Bool = { false }) {
    self.base = base
    self.isStopped = isStopped
  }

  func record() {
    answers = []
    replayed = nil
  }

  func replay(_ inputs: StatementInputs) {
    answers = []
    replayed = inputs.answers[...]
  }

  /// Whether Ctrl-C is ignored, as it is while a state is restored.
  var ignoresInterrupts = false

  var isInterrupted: Bool { isStopped() || !ignoresInterrupts && base.isInterrupted }

  /// A turn that runs again waits for no key press.
  func awaitStep(_ step: Int) -> Bool { replayed == nil && base.awaitStep(step) }

  var measuresTime: Bool { base.measuresTime }

  var memoryInUse: Int? { base.memoryInUse }

  func showProgress(_ progress: ImportProgress) {
    if replayed == nil { base.showProgress(progress) }
  }

  func endProgress() {
    if replayed == nil { base.endProgress() }
  }

  func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
    if case .source(let result)? = replayed?.popFirst() { return try result.get() }
    let result = Result { () throws(UnreadableSource) in
      try base.source(at: path, from: includer)
    }
    answers.append(.source(result))
    return try result.get()
  }

  func contents(at path: String, from includer: String) throws(UnreadableSource) -> [UInt8] {
    if case .contents(let result)? = replayed?.popFirst() { return try result.get() }
    let result = Result { () throws(UnreadableSource) in
      try base.contents(at: path, from: includer)
    }
    answers.append(.contents(result))
    return try result.get()
  }

  func reader(at path: String, from includer: String) throws(UnreadableSource) -> any PieceReader {
    if case .pieces(let result)? = replayed?.popFirst() {
      return ReplayedPieces(try result.get())
    }
    let reader: any PieceReader
    do {
      reader = try base.reader(at: path, from: includer)
    } catch {
      answers.append(.pieces(.failure(error)))
      throw error
    }
    let pieces = RecordedPieces()
    answers.append(.pieces(.success(pieces)))
    return PieceRecorder(reader, pieces)
  }

  func names(inFolder path: String, from includer: String) -> [String]? {
    if case .names(let names)? = replayed?.popFirst() { return names }
    let names = base.names(inFolder: path, from: includer)
    answers.append(.names(names))
    return names
  }
}

private final class PieceRecorder: PieceReader {
  private let base: any PieceReader
  private let pieces: RecordedPieces

  init(_ base: any PieceReader, _ pieces: RecordedPieces) {
    self.base = base
    self.pieces = pieces
  }

  var byteCount: Int? { base.byteCount }

  func read() throws(UnreadableSource) -> [UInt8]? {
    let result = Result { () throws(UnreadableSource) in try base.read() }
    pieces.results.withLock { $0.append(result) }
    return try result.get()
  }
}

private final class ReplayedPieces: PieceReader {
  private var rest: ArraySlice<Result<[UInt8]?, UnreadableSource>>

  init(_ pieces: RecordedPieces) { rest = pieces.results.withLock { $0[...] } }

  func read() throws(UnreadableSource) -> [UInt8]? { try rest.popFirst()?.get() }
}
