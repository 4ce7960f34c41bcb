import Foundation
import GoldenTesting
import Platform
import ScriptSyntax
import Synchronization

/// A worker process, seen from the parent process.
final class WorkerProcess {
  /// The result of a wait.
  enum Event {
    case answer(WorkerAnswer)
    case nothing
    /// The stream has ended.
    case end
  }

  /// The reason why a process ended without being asked to.
  struct Cause {
    let end: ChildProcess.End
    /// The last message that it wrote to standard error.
    let message: String

    /// Whether it ended itself because it used too much memory.
    var isOfMemory: Bool { end == .status(MemoryMonitor.status) }

    /// The reason in words: `SIGSEGV, Segmentation fault; Fatal error: …`.
    var words: String {
      let how =
        switch end {
        case .status(let status): "it ended with status \(status)"
        case .signal(let signal): signal.words
        }
      return message.isEmpty ? how : "\(how); \(message)"
    }
  }

  /// The start of the names of its temporary folders.
  private let scratchName = ScratchFolder.newName
  private let input: FileDescriptor
  private let output: FileDescriptor
  private let errors: FileDescriptor
  private var child: ChildProcess?
  private var frames = FrameBuffer()
  /// The last part of its standard error.
  private var said: [UInt8] = []
  private var isOutputOpen = true
  private var areErrorsOpen = true

  /// The largest part of standard error that is kept, in bytes.
  private static let mostSaid = 4096

  /// Starts a process.
  ///
  /// - Throws: The system's error, for example if there are too many open files.
  init(_ settings: WorkerSettings) throws(SystemError) {
    let child = try ChildProcess(Self.program, ["test-worker"])
    (input, output, errors) = (child.input, child.output, child.errors)
    self.child = consume child
    var writer = WireWriter()
    settings.write(scratchName: scratchName, to: &writer)
    try? input.write(writer.framed())
  }

  /// The path of the running program.
  static let program: String = {
    let link = "/proc/self/exe"
    let isThere = FileStatus.exists(link)
    return isThere ? link : Bundle.main.executablePath ?? CommandLine.arguments[0]
  }()

  deinit { end() }

  /// Sends tests.
  func write(_ tests: [(number: Int, test: GoldenTest)]) {
    var bytes: [UInt8] = []
    for (number, test) in tests {
      var writer = WireWriter()
      WorkerTask(number: number, test: test).write(to: &writer)
      bytes += writer.framed()
    }
    // A process that has died is noticed when it is read.
    try? input.write(bytes)
  }

  /// Waits for the next answer and returns it.
  ///
  /// - Parameter milliseconds: How long to wait.
  func next(waiting milliseconds: Int32, script: (Int) -> SourceText?) -> Event {
    while true {
      if let frame = frames.next() {
        var reader = WireReader(frame)
        guard let answer = try? WorkerAnswer(&reader, script: script) else { return .end }
        return .answer(answer)
      }
      guard isOutputOpen else {
        guard let rest = frames.takeRest() else { return .end }
        var reader = WireReader(rest)
        guard let answer = try? WorkerAnswer(&reader, script: script) else { return .end }
        return .answer(answer)
      }
      let descriptors = [output] + (areErrorsOpen ? [errors] : [])
      switch FileDescriptor.wait(for: descriptors, milliseconds: milliseconds) {
      case .ready(let places):
        if places.contains(1) { readErrors() }
        if places.contains(0) { readOutput() }
      case .timeout: return .nothing
      case .interrupted: return .nothing
      case .failed: return .end
      }
    }
  }

  private func readOutput() {
    let piece = (try? output.read(upTo: 1 << 16)) ?? []
    if piece.isEmpty { isOutputOpen = false } else { frames.append(piece) }
  }

  private func readErrors() {
    let piece = (try? errors.read(upTo: 1 << 12)) ?? []
    if piece.isEmpty { areErrorsOpen = false }
    said = Array((said + piece).suffix(Self.mostSaid))
  }

  /// Makes the process write how far it came, and end.
  func abort() { child?.send(.abort) }

  /// Kills the process.
  ///
  /// - Returns: Why it ended; nil if it ended normally by itself, or at the end of its input.
  @discardableResult
  func end() -> Cause? {
    guard let child = child.take() else { return nil }
    if isOutputOpen { child.send(.kill) }
    while areErrorsOpen, errors.isReady { readErrors() }
    let end = child.end()
    TemporaryFolder.removeAll(ofProcessNaming: scratchName)
    return end == .status(0) ? nil : Cause(end: end, message: message)
  }

  /// The most useful line of standard error: that of a failed check of Swift, or else the last one.
  private var message: String {
    let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
    return lines.last { $0.contains("Fatal error") } ?? lines.last ?? ""
  }
}

/// Runs the tests of one thread in another process, and starts a new process if that one dies.
///
/// Many tests are sent ahead at a time. Their results come back one by one, in the same order.
final class WorkerExecutor: TestExecutor {
  private let tests: [PreparedTest]
  private let settings: WorkerSettings
  private let failure: StartFailure
  private var process: WorkerProcess?
  /// The tests that the thread will ask for, and that were not sent yet.
  private var expected: [Int] = []
  /// The tests that were sent and have no result yet, in order.
  private var sent: [Int] = []
  private var finished: [Int: [GoldenRun]] = [:]
  /// The latest possible start of the first of the sent tests.
  private var began = ContinuousClock.now

  /// How much longer than its limit a test may take before its process is killed.
  private static let grace = Duration.seconds(2)
  /// The time between two checks whether the run was cancelled, in milliseconds.
  private static let pause: Int32 = 50

  /// - Parameter failure: Receives the reason if no process can be started, which stops the run.
  init(_ tests: [PreparedTest], _ settings: WorkerSettings, _ failure: StartFailure) {
    self.failure = failure
    self.tests = tests
    self.settings = settings
    // A process may die at any time, even while it is written to.
    Signal.brokenPipe.block()
  }

  deinit { process?.end() }

  func prepare(for tests: [Int]) { expected = tests.filter(mayRun) }

  private func mayRun(_ test: Int) -> Bool {
    !tests[test].runnableStores(unlessNamed: settings.stores).isEmpty
  }

  func runs(of test: Int, isStopped: @escaping @Sendable () -> Bool) -> [GoldenRun] {
    guard mayRun(test) else { return [] }
    if !sent.contains(test), finished[test] == nil {
      if !expected.contains(test) { expected.insert(test, at: 0) }
      send()
    }
    while finished[test] == nil {
      if isStopped() { return giveUp() }
      take(from: test)
    }
    return finished.removeValue(forKey: test) ?? []
  }

  /// Sends the tests that the thread will ask for.
  private func send() {
    if sent.isEmpty { began = .now }
    sent += expected
    let process = process ?? start()
    self.process = process
    process?.write(expected.map { (number: $0, test: tests[$0].test) })
    expected = []
  }

  private func start() -> WorkerProcess? {
    do throws(SystemError) {
      return try WorkerProcess(settings)
    } catch {
      failure.note(error)
      return nil
    }
  }

  /// Waits for an answer of the process and handles it.
  private func take(from test: Int) {
    guard let process else { return finish(test, giveUp()) }
    switch process.next(waiting: Self.pause, script: { [tests] in tests[$0].test.source }) {
    case .nothing:
      guard let first = sent.first, ContinuousClock.now - began > limit(of: first) else { return }
      end(by: .timedOut(limitOfOneRun(of: first)))
    case .answer(.result(let number, let runs)): finish(number, runs)
    case .answer(.crash(let number, let runs)): partial = (number, runs)
    case .end: end(by: nil)
    }
  }

  /// The output of a test in which the process crashed.
  private var partial: (number: Int, runs: [GoldenRun])?

  /// Handles the end of the process as the failure of the test that it ran.
  ///
  /// Sends the tests after it to another process.
  private func end(by cause: GoldenRun.End?) {
    guard let process else { return }
    if cause != nil {
      // The process writes how far the test came, if it still can.
      process.abort()
      while case .answer(let answer) = process.next(
        waiting: 200, script: { [tests] in tests[$0].test.source })
      {
        switch answer {
        case .result(let number, let runs): finish(number, runs)
        case .crash(let number, let runs): partial = (number, runs)
        }
      }
    }
    let reason = process.end()
    self.process = nil
    expected = sent
    sent = []
    guard let test = expected.first else { return }
    defer { partial = nil }
    // A process that uses much memory is replaced between two tests.
    if reason == nil, partial == nil, cause == nil { return send() }
    expected.removeFirst()
    var runs = partial.map { $0.number == test ? $0.runs : [] } ?? []
    if runs.isEmpty {
      // A process that was killed could not say in which block.
      runs = [GoldenRun(store: store(of: test))]
    } else if runs[runs.count - 1].blocks.isEmpty {
      runs[runs.count - 1].blocks = [GoldenRun.Block()]
    }
    let end =
      cause
      ?? (reason?.isOfMemory == true ? memoryLimit.map { .exceeded($0) } : nil)
      ?? .crashed(reason?.words ?? "it ended without a word")
    for index in runs.indices { runs[index].limit = limitOfOneRun(of: test) }
    runs[runs.count - 1].end = end
    finished[test] = runs
    if !expected.isEmpty { send() }
  }

  private func finish(_ number: Int, _ runs: [GoldenRun]) {
    sent.removeAll { $0 == number }
    finished[number] = runs
    began = .now
  }

  /// Kills the process.
  private func giveUp() -> [GoldenRun] {
    process?.end()
    process = nil
    sent = []
    var run = GoldenRun(store: .memory)
    run.end = .stopped
    return [run]
  }

  // MARK: Limits

  private func store(of test: Int) -> TestStore {
    tests[test].runnableStores(unlessNamed: settings.stores).first ?? .memory
  }

  private func limitOfOneRun(of test: Int) -> TimeLimit {
    tests[test].directives.timeout(atMost: settings.timeout)
  }

  /// Returns how long a process may take for a test without an answer.
  private func limit(of test: Int) -> Duration {
    let stores = tests[test].runnableStores(unlessNamed: settings.stores).count
    return limitOfOneRun(of: test).duration * stores + Self.grace
  }

  private var memoryLimit: ByteLimit? { settings.limits.first { $0.resource == .memory } }
}

/// Why a process for tests could not be started, which is the fault of no test.
final class StartFailure: Sendable {
  private let error = Mutex<SystemError?>(nil)

  /// The first reason; nil if every process was started.
  var reason: SystemError? { error.withLock(\.self) }

  func note(_ reason: SystemError) { error.withLock { $0 = $0 ?? reason } }
}
