import Foundation
import GoldenTesting
import Platform
import ScriptSyntax
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
  private let memory = MemoryWatch()

  /// The stack size of the thread that runs tests, which is the same as in `frc test`.
  private static let stackSize = 64 << 20

  /// Reads tests until the input ends, and then ends the process.
  func read() -> Never {
    CrashReport.install(writingTo: .standardOutput)
    let thread = Thread { self.work() }
    thread.stackSize = Self.stackSize
    thread.start()
    Thread { self.memory.run() }.start()
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
    runner.hearOutput = { log.add($0) }
    let runs = runner.runs(of: test)
    memory.endTest()
    var writer = WireWriter()
    WorkerAnswer.write(result: runs, of: task.number, script: test.test.source, to: &writer)
    return writer.framed()
  }
}

/// Keeps the output of a test so far where the crash handler finds it.
private final class CrashLog {
  private var count = 0

  /// The largest size of output that is kept, in bytes.
  private static let mostKept = 1 << 20

  init(of number: Int, after answers: [UInt8]) {
    var writer = WireWriter()
    writer.write(WorkerAnswer.Kind.crash.rawValue)
    writer.write(number)
    // Its length is unknown, so it extends to the end of the stream.
    CrashReport.begin(with: answers + [UInt8](repeating: 0xFF, count: 4) + writer.bytes)
  }

  func add(_ step: GoldenRunner.Step) {
    guard count < Self.mostKept else { return }
    var writer = WireWriter()
    switch step {
    case .run(let store):
      writer.write(WorkerAnswer.Step.run.rawValue)
      writer.write(store.rawValue)
    case .block: writer.write(WorkerAnswer.Step.block.rawValue)
    case .lines(let lines):
      writer.write(WorkerAnswer.Step.lines.rawValue)
      writer.write(lines) { $0.write($1) }
    }
    count += writer.bytes.count
    CrashReport.append(writer.bytes)
  }
}
