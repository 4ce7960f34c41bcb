import ArgumentParser
import Foundation
import GoldenTesting
import Platform
import Synchronization

/// Runs the tests that arrive on standard input, one after another, and answers on standard output.
///
/// One thread reads, so that the end of the input ends the process at once, whatever a test does.
/// Another thread, with a large stack, runs the tests. A third one watches the memory.
final class Worker: Sendable {
  private struct Queue {
    var settings: WorkerSettings?
    var tasks: [WorkerTask] = []
    var taken = 0
  }

  private let queue = Mutex(Queue())
  private let arrived = DispatchSemaphore(value: 0)
  private let memory = MemoryMonitor()

  /// The stack size of the thread that runs tests, which is the same as in `frc test`.
  private static let stackSize = 64 << 20

  /// Reads tests until the input ends, and then ends the process.
  func read() -> Never {
    CrashReport.install(writingTo: .standardOutput)
    ProcessCalls.startThread(stackSize: Self.stackSize) { self.work() }
    ProcessCalls.startThread(stackSize: 1 << 18) { self.memory.run() }
    var frames = FrameBuffer()
    while let piece = try? FileDescriptor.standardInput.read(upTo: 1 << 16), !piece.isEmpty {
      frames.append(piece)
      while let frame = frames.next() {
        var reader = WireReader(frame)
        guard (try? take(&reader)) != nil else { ProcessCalls.endAtOnce(status: 2) }
      }
    }
    TemporaryFolder.removeAll()
    ProcessCalls.endAtOnce(status: 0)
  }

  private func take(_ reader: inout WireReader) throws(WireReader.Malformed) {
    if queue.withLock({ $0.settings != nil }) {
      let task = try WorkerTask(&reader)
      queue.withLock { $0.tasks.append(task) }
      arrived.signal()
    } else {
      ScratchFolder.use(name: try reader.text())
      let settings = try WorkerSettings(&reader)
      memory.begin(limit: settings.limits.first { $0.resource == .memory }?.bytes)
      queue.withLock { $0.settings = settings }
    }
  }

  // MARK: Running

  private func work() {
    CrashReport.useOwnStack()
    var answers: [UInt8] = []
    var lastWrite = ContinuousClock.now
    while true {
      let (task, settings) = next()
      // Several answers are written together, but none is held back for long.
      if ContinuousClock.now - lastWrite > .milliseconds(2) {
        write(&answers)
        lastWrite = ContinuousClock.now
      }
      answers += run(task, settings, after: answers)
      if memory.isRetired {
        write(&answers)
        TemporaryFolder.removeAll()
        ProcessCalls.endAtOnce(status: 0)
      }
      if queue.withLock({ $0.tasks.isEmpty }) { write(&answers) }
    }
  }

  private func next() -> (WorkerTask, WorkerSettings) {
    while true {
      arrived.wait()
      let found = queue.withLock { queue -> (WorkerTask, WorkerSettings)? in
        guard let settings = queue.settings, queue.taken < queue.tasks.count else { return nil }
        let task = queue.tasks[queue.taken]
        queue.taken += 1
        if queue.taken == queue.tasks.count {
          queue.tasks.removeAll(keepingCapacity: true)
          queue.taken = 0
        }
        return (task, settings)
      }
      if let found { return found }
    }
  }

  private func write(_ answers: inout [UInt8]) {
    guard !answers.isEmpty else { return }
    guard (try? FileDescriptor.standardOutput.write(answers)) != nil else {
      // The reader is gone.
      ProcessCalls.endAtOnce(status: 1)
    }
    answers.removeAll(keepingCapacity: true)
  }

  /// Runs a test, and returns the answer.
  ///
  /// - Parameter answers: The answers that are not written yet. If the test crashes, they are
  ///   written too.
  private func run(
    _ task: WorkerTask, _ settings: WorkerSettings, after answers: [UInt8]
  ) -> [UInt8] {
    let log = CrashLog(of: task.number, after: answers)
    memory.beginTest()
    let test = PreparedTest(task.test)
    var runner = GoldenRunner(
      environment: FileEnvironment(permissions: settings.permissions, storeFolder: ScratchFolder()),
      locale: settings.locale,
      stores: settings.stores, timeout: settings.timeout, limits: settings.limits,
      takesTooMuch: { self.memory.isOver })
    runner.onOutput = { log.add($0) }
    let runs = runner.runs(of: test)
    memory.endTest()
    return WorkerAnswer.message(result: runs, of: task.number, script: test.test.source)
  }
}

/// Keeps the output of a test so far where the crash handler finds it.
private final class CrashLog {
  private var count = 0

  /// The largest size of output that is kept, in bytes.
  private static let mostKept = 1 << 20

  init(of number: Int, after answers: [UInt8]) {
    CrashReport.begin(with: answers + WorkerAnswer.crashMessage(of: number))
  }

  func add(_ step: GoldenRunner.Step) {
    guard count < Self.mostKept else { return }
    let bytes = WorkerAnswer.bytes(of: step)
    count += bytes.count
    CrashReport.append(bytes)
  }
}

/// `frc test-worker`: a process that runs tests for `frc test`, which communicates with it through
/// pipes.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test-worker", abstract: "Run tests for 'frc test'; nothing for people.",
    shouldDisplay: false)

  func run() throws {
    // The parent process decides when this one ends, by the end of the input or by SIGKILL.
    for signal in [Signal.interrupt, .terminate, .hangUp, .brokenPipe] { signal.ignore() }
    let worker = Worker()
    worker.read()
  }
}

/// Watches the memory of the process while it runs tests.
///
/// The interpreter only estimates the memory that scripts keep. This counts all memory of the
/// process, except pages of files, if the system reports it.
final class MemoryMonitor: Sendable {
  private let limit = Atomic(Int.max)
  /// The memory of the process before its first test, in bytes.
  private let start = Atomic(0)
  /// The memory of the process when the running test began, in bytes.
  ///
  /// It may include memory that earlier tests have freed.
  private let base = Atomic(0)
  /// The number of the running test.
  private let test = Atomic(0)
  /// The number of the last test that exceeded its limit.
  private let over = Atomic(0)
  private let retired = Atomic(false)

  /// The time between two checks, in seconds.
  private static let pause = 0.02
  /// The memory above which a process is replaced after the test, in bytes, because freed memory
  /// may still count.
  private static let mostKept = 256 << 20

  /// The exit status of a process that could not stop a test that exceeded its limit.
  static let status: Int32 = 77

  /// Starts with the memory of the process before its first test.
  func begin(limit: Int?) {
    let bytes = OwnMemory.bytes ?? 0
    start.store(bytes, ordering: .relaxed)
    base.store(bytes, ordering: .relaxed)
    self.limit.store(limit ?? .max, ordering: .relaxed)
  }

  func beginTest() { test.add(1, ordering: .releasing) }

  /// Checks once more, so that the next test is not blamed for this one.
  func endTest() {
    guard let bytes = OwnMemory.bytes else { return }
    check(bytes)
    base.store(bytes, ordering: .relaxed)
  }

  /// Whether the running test exceeds its limit.
  var isOver: Bool { over.load(ordering: .relaxed) == test.load(ordering: .relaxed) }

  /// Whether the process must end after the running test.
  var isRetired: Bool { retired.load(ordering: .relaxed) }

  /// Checks repeatedly, on a thread of its own.
  func run() {
    while true {
      Thread.sleep(forTimeInterval: Self.pause)
      // The measured memory belongs to this test. If a later test has started, the number makes
      // sure that it is not blamed.
      let number = test.load(ordering: .acquiring)
      let base = base.load(ordering: .relaxed)
      guard let bytes = OwnMemory.bytes else { return }
      check(bytes)
      let used = bytes - base
      let limit = limit.load(ordering: .relaxed)
      if used > limit { over.store(number, ordering: .relaxed) }
      guard used / 2 > limit, test.load(ordering: .acquiring) == number else { continue }
      // The test does not react, and the system would soon kill a process. Answers of earlier tests
      // may not be written yet, and without them the first of these would be blamed.
      CrashReport.write()
      ProcessCalls.endAtOnce(status: Self.status)
    }
  }

  /// Retires a process that uses too much memory to run another test.
  private func check(_ bytes: Int) {
    let used = bytes - start.load(ordering: .relaxed)
    if used > min(limit.load(ordering: .relaxed), Self.mostKept) {
      retired.store(true, ordering: .relaxed)
    }
  }
}

/// The settings that a worker receives before its first test.
struct WorkerSettings: Sendable {
  let locale: String
  let stores: [TestStore]
  let timeout: TimeLimit?
  let limits: [ByteLimit]
  /// The files that scripts may read.
  let permissions: Permissions

  init(_ options: GoldenSuite.Options, _ permissions: Permissions) {
    self.permissions = permissions
    locale = options.locale
    stores = options.stores
    timeout = options.timeout
    limits = options.limits
  }

  init(_ reader: inout WireReader) throws(WireReader.Malformed) {
    locale = try reader.text()
    stores = try reader.list { reader throws(WireReader.Malformed) in try reader.store() }
    timeout = try reader.optional { reader throws(WireReader.Malformed) in try reader.timeLimit() }
    limits = try reader.list { reader throws(WireReader.Malformed) in try reader.byteLimit() }
    permissions = Permissions(
      roots: try reader.texts(), reads: try reader.texts(), writes: try reader.texts())
  }

  /// - Parameter scratchName: The start of the names of the worker's temporary folders, so that
  ///   they can be removed after it.
  func write(scratchName: String, to writer: inout WireWriter) {
    writer.write(scratchName)
    writer.write(locale)
    writer.write(stores) { $0.write($1.rawValue) }
    writer.write(timeout) { $0.write($1) }
    writer.write(limits) { $0.write($1) }
    for paths in [permissions.roots, permissions.reads, permissions.writes] {
      writer.write(paths) { $0.write($1) }
    }
  }
}
