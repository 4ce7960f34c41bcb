import ArgumentParser
import GoldenTesting
import LineEditor
import Platform
import ScriptRuntime
import Synchronization

/// Options that limit what a script may take.
struct LimitOptions: ParsableArguments {
  @Option(
    help: .value(
      "time", "The longest time for a script, such as 500ms, 5s or 2min; 10s by default."))
  var timeout: String?

  @Option(help: .value("size", "The most memory for a script, such as 500MB; 1GB by default."))
  var maxMemory: String?

  @Option(help: .value("size", "The most output for a script, such as 10MB; 100MB by default."))
  var maxOutput: String?

  func validate() throws {
    if let timeout, Duration(words: timeout) == nil {
      throw ValidationError("--timeout \(timeout): a time is needed, such as 500ms, 5s or 2min")
    }
    for (name, size) in [("--max-memory", maxMemory), ("--max-output", maxOutput)] {
      guard let size, Int(wordsOfBytes: size) == nil else { continue }
      throw ValidationError("\(name) \(size): a size is needed, such as 64kB, 500MB or 2GB")
    }
  }

  /// The limit on the time.
  var time: TimeLimit {
    TimeLimit(
      timeout.flatMap { Duration(words: $0) } ?? TestDirectives.defaultTimeout, setBy: "--timeout")
  }

  /// The limit on memory.
  var memory: ByteLimit {
    Self.limit(.memory, maxMemory, setBy: "--max-memory")
  }

  /// The limit on output.
  var output: ByteLimit {
    Self.limit(.output, maxOutput, setBy: "--max-output")
  }

  private static func limit(
    _ resource: ByteLimit.Resource, _ words: String?, setBy setting: String
  ) -> ByteLimit {
    ByteLimit(
      resource, bytes: words.flatMap { Int(wordsOfBytes: $0) } ?? resource.standard,
      setBy: setting)
  }
}

/// The limits of `frc test`, for other commands that run scripts of other people.
///
/// The memory is that of the whole process since ``begin()``, because what a command keeps of a run
/// counts as well. Once a limit is exceeded, nothing runs until the next ``begin()``.
final class SessionLimit: StatementLimit {
  private struct State {
    var start = ContinuousClock.now
    /// The time for which the thread had had a processor at the start.
    var processorStart = ProcessLimits.threadTime
    var base = 0
    var printed = 0
    /// When the memory is next looked at, because this takes system calls.
    var nextLook = ContinuousClock.now
    var excess: String?
  }

  private let state = Mutex(State())
  /// The limit on the time by the clock.
  private let time: TimeLimit
  /// The limit on the time for which the thread that runs statements has a processor; nil if there
  /// is none but that by the clock.
  private let processorTime: TimeLimit?
  private let memory: ByteLimit
  private let output: ByteLimit
  /// Whether each statement may take the time of the limit.
  private let isForStatements: Bool

  private static let pause = Duration.milliseconds(20)

  init(_ options: LimitOptions, forEachStatement: Bool = false) {
    (time, memory, output) = (options.time, options.memory, options.output)
    processorTime = nil
    isForStatements = forEachStatement
    begin()
  }

  /// Creates a limit for a process of many on one computer, each of which waits for the others.
  ///
  /// ``begin()`` and ``excess`` are called by the thread that runs the statements.
  ///
  /// - Parameters:
  ///   - processorTime: The limit on the time for which that thread has a processor.
  ///   - time: The limit on the time by the clock, which is longer.
  init(processorTime: TimeLimit, time: TimeLimit, memory: ByteLimit, output: ByteLimit) {
    (self.processorTime, self.time) = (processorTime, time)
    (self.memory, self.output) = (memory, output)
    isForStatements = false
    begin()
  }

  /// Starts to count for another script.
  func begin() {
    let base = OwnMemory.bytes ?? 0
    state.withLock {
      $0 = State()
      $0.base = base
    }
  }

  func beginStatement() {
    if isForStatements { state.withLock { $0.start = ContinuousClock.now } }
  }

  func note(_ event: Event) {
    let count = event.lines.reduce(0) { $0 + $1.utf8.count + 1 }
    state.withLock { $0.printed += count }
  }

  var excess: String? {
    let now = ContinuousClock.now
    return state.withLock { state in
      if state.excess == nil { state.excess = newExcess(&state, now) }
      return state.excess
    }
  }

  private func newExcess(_ state: inout State, _ now: ContinuousClock.Instant) -> String? {
    let elapsed = now - state.start
    if elapsed > time.duration { return time.words }
    // A thread has a processor for no longer than the clock says, which is asked faster.
    if let processorTime, elapsed > processorTime.duration,
      ProcessLimits.threadTime - state.processorStart > processorTime.duration
    {
      return processorTime.words
    }
    if state.printed > output.bytes { return output.words }
    guard now >= state.nextLook else { return nil }
    state.nextLook = now + Self.pause
    guard let bytes = OwnMemory.bytes, bytes - state.base > memory.bytes else { return nil }
    return memory.words
  }

  /// Whether running statements must stop: because of the limit, or because the user says so.
  static func isStopped(by limit: SessionLimit?) -> Bool {
    InterruptFlag.isRaised || limit?.excess != nil
  }
}
