import Foundation
import GoldenTesting
import Platform
import ScriptSyntax
import Synchronization

/// Runs the tests of one thread in another process, and starts a new process if that one dies.
///
/// Many tests are sent ahead at a time. Their results come back one by one, in the same order.
final class WorkerHand: TestHand {
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
    if runs.isEmpty { runs = [GoldenRun(store: store(of: test))] }
    if runs[runs.count - 1].blocks.isEmpty { runs[runs.count - 1].blocks = [GoldenRun.Block()] }
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
