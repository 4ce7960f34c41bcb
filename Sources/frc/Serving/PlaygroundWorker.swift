import FetchedResults
import Foundation
import GoldenTesting
import LanguageServer
import Lessons
import Platform
import PlaygroundServer
import ScriptRuntime
import ScriptSyntax
import Synchronization

/// What the process of a session receives before its first message.
struct PlaygroundSettings: Sendable {
  /// The start of the names of its temporary folders.
  let scratchName: String
  let locale: String
  let timeout: TimeLimit
  let memory: ByteLimit
  let output: ByteLimit
  /// The files of the course, by the names of the lessons.
  let lessons: [(name: String, text: String)]
  /// The path of the course's folder.
  let course: String
  /// The learner's name; empty outside of a class.
  let learner: String

  init(
    scratchName: String, limits: LimitOptions, lessons: [(name: String, text: String)],
    course: String, learner: String
  ) {
    self.scratchName = scratchName
    locale = SessionSettings().locale
    timeout = limits.time
    memory = limits.memory
    output = limits.output
    self.lessons = lessons
    self.course = course
    self.learner = learner
  }

  init(_ reader: inout WireReader) throws(WireReader.Malformed) {
    scratchName = try reader.text()
    locale = try reader.text()
    timeout = try reader.timeLimit()
    memory = try reader.byteLimit()
    output = try reader.byteLimit()
    lessons = try reader.list { reader throws(WireReader.Malformed) in
      (name: try reader.text(), text: try reader.text())
    }
    course = try reader.text()
    learner = try reader.text()
  }

  func framed() -> [UInt8] {
    var writer = WireWriter()
    writer.write(scratchName)
    writer.write(locale)
    writer.write(timeout)
    writer.write(memory)
    writer.write(output)
    writer.write(lessons) {
      $0.write($1.name)
      $0.write($1.text)
    }
    writer.write(course)
    writer.write(learner)
    return writer.framed()
  }
}

/// A message of the page to its session, after the letter of its channel.
private struct PageRequest: Decodable {
  let op: String
  let id: Int
  let text: String?
  let line: Int?
  let title: String?
  let progress: String?
}

/// `frc serve-worker`: runs one session of `frc serve`, which communicates with it through pipes.
///
/// A session has a script, a course, and the language service of its editor.
///
/// One thread reads, so that the end of the input ends the process at once. One thread after the
/// other, each with a large stack, runs the statements of a request. Another one answers the editor,
/// also while a statement runs. A fourth one watches time and memory.
final class PlaygroundWorker: Sendable {
  /// The version of the program.
  private let version: String
  private struct Queue {
    var requests: [(channel: PlaygroundChannel, request: PageRequest, place: Int)] = []
    /// The number of requests that have arrived.
    var arrived = 0
    /// The number of the latest request to run a script.
    var latestRun = 0
  }

  private let queue = Mutex(Queue())
  private let arrived = DispatchSemaphore(value: 0)
  private let editor = MessageQueue()
  private let writing = Mutex(())
  private let memory = MemoryMonitor()
  /// The place of the running request among all that have arrived, counted from 1.
  private let running = Atomic(1)
  /// The place of the last request that had arrived when the page asked to stop.
  private let stopped = Atomic(0)
  /// When the process ends because the running request has not.
  private struct Deadline {
    let processorTime: Duration
    let instant: ContinuousClock.Instant
  }

  private let deadline = Mutex<Deadline?>(nil)

  private static let start = ContinuousClock.now
  /// How many times its limit, which is one of processor time, a statement may take by the clock: on
  /// a busy computer it waits for the statements of others, and a long one gives way to them.
  private static let patience = 30
  /// How much longer a statement may take to stop before the process ends.
  private static let grace = Duration.seconds(2)
  private static let stackSize = 64 << 20
  /// The number of requests that may wait.
  private static let mostRequests = 64

  init(version: String) { self.version = version }

  func read() -> Never {
    var frames = FrameBuffer()
    var reader = MessageReader()
    var isReady = false
    while let piece = try? FileDescriptor.standardInput.read(upTo: 1 << 16), !piece.isEmpty {
      frames.append(piece)
      while let frame = frames.next() {
        if isReady {
          take(frame, &reader)
        } else {
          var settings = WireReader(frame)
          guard let settings = try? PlaygroundSettings(&settings) else {
            ProcessCalls.endAtOnce(status: 2)
          }
          begin(settings)
          isReady = true
        }
      }
    }
    TemporaryFolder.removeAll()
    ProcessCalls.endAtOnce(status: 0)
  }

  private func begin(_ settings: PlaygroundSettings) {
    ScratchFolder.use(name: settings.scratchName)
    memory.begin(limit: settings.memory.bytes)
    memory.beginTest()
    ProcessCalls.startThread(stackSize: Self.stackSize) { self.work(settings) }
    ProcessCalls.startThread(stackSize: Self.stackSize) { self.serveEditor() }
    ProcessCalls.startThread(stackSize: 1 << 18) { self.memory.run() }
    ProcessCalls.startThread(stackSize: 1 << 18) { self.watchTime() }
  }

  private func take(_ frame: ArraySlice<UInt8>, _ reader: inout MessageReader) {
    guard let first = frame.first, let channel = PlaygroundChannel(first) else { return }
    let body = Array(frame.dropFirst())
    if channel == .editor {
      reader.append(MessageFrames.framed(body))
      while let message = reader.next() { editor.add(.message(message)) }
      return
    }
    guard let request = try? JSONDecoder().decode(PageRequest.self, from: Data(body)) else {
      let reason = "the session cannot read the request; reload the page"
      return refuse(channel, "unreadable", 0, reason)
    }
    if request.op == "stop" {
      return stopped.store(queue.withLock(\.arrived), ordering: .relaxed)
    }
    let isTaken = queue.withLock { queue in
      if channel == .run, request.op == "run" {
        queue.latestRun = request.id
        // The page wants to know of the newest script only.
        queue.requests.removeAll { $0.channel == .run && $0.request.op == "run" }
      } else if queue.requests.count >= Self.mostRequests {
        return false
      }
      queue.arrived += 1
      queue.requests.append((channel, request, queue.arrived))
      return true
    }
    guard !isTaken else {
      arrived.signal()
      return
    }
    refuse(
      channel, request.op, request.id, "too many requests wait; try again when they are answered")
  }

  private func refuse(_ channel: PlaygroundChannel, _ op: String, _ id: Int, _ reason: String) {
    write(
      channel,
      .object([("op", .string(op)), ("id", .number("\(id)")), ("failure", .string(reason))]))
  }

  private func write(_ channel: PlaygroundChannel, _ text: some Sequence<UInt8>) {
    var writer = PlaygroundFrame(channel)
    writer.append(text)
    let bytes = writer.framed
    writing.withLock { _ in
      // The parent is gone.
      if (try? FileDescriptor.standardOutput.write(bytes)) == nil {
        TemporaryFolder.removeAll()
        ProcessCalls.endAtOnce(status: 1)
      }
    }
  }

  private func write(_ channel: PlaygroundChannel, _ json: JSON) {
    write(channel, json.description.utf8)
  }

  // MARK: Statements

  private func work(_ settings: PlaygroundSettings) {
    let clockLimit = TimeLimit(
      settings.timeout.duration * Self.patience, setBy: settings.timeout.setting)
    let limit = SessionLimit(
      processorTime: settings.timeout, time: clockLimit, memory: settings.memory,
      output: settings.output)
    let beginLimit = { [self] in
      limit.begin()
      // Meanwhile the editor's thread may compute as long, and what stops waits for others as well.
      let end = Deadline(
        processorTime: Self.processorTime + settings.timeout.duration * 2 + Self.grace,
        instant: .now + clockLimit.duration * 2 + Self.grace)
      deadline.withLock { $0 = end }
    }
    var evaluation = EvaluationEnvironment(
      now: { GoldenRunner.clock }, locale: settings.locale)
    evaluation.random = { 0.5 }
    let politeness = PriorityLowering()
    evaluation.isCancelled = { [self] in
      politeness.tick()
      return isStopped || limit.excess != nil
    }
    let environment = {
      FileEnvironment(
        permissions: Permissions(roots: []), storeFolder: ScratchFolder(), limit: limit,
        texts: PlaygroundFiles.included)
    }
    // Only the thread of a request uses these, and this thread waits for its end.
    nonisolated(unsafe) let session = LiveSession(
      SessionHost(
        environment: environment, evaluation: evaluation, limit: limit, beginLimit: beginLimit,
        isStopped: { self.isStopped })
    ) { self.write(.run, $0) }
    let examiner = LessonExaminer(
      environment: environment, evaluation: evaluation, limit: limit)
    nonisolated(unsafe) let course = CourseSession(
      Self.course(settings), examiner: examiner, beginLimit: beginLimit,
      excess: { limit.excess },
      now: { Self.start.duration(to: .now) / .seconds(1) },
      emit: { self.write(.course, $0) })
    while true {
      arrived.wait()
      let next = queue.withLock { $0.requests.isEmpty ? nil : $0.requests.removeFirst() }
      guard let (channel, request, place) = next else { continue }
      running.store(place, ordering: .relaxed)
      let done = DispatchSemaphore(value: 0)
      ProcessCalls.startThread(stackSize: Self.stackSize) { [self] in
        politeness.begin()
        answer(request, channel, session, course)
        politeness.end()
        done.signal()
      }
      done.wait()
      deadline.withLock { $0 = nil }
      if channel == .course, !settings.learner.isEmpty,
        let report = course.report(of: settings.learner),
        let data = try? JSONEncoder().encode(report)
      {
        write(.results, data)
      }
    }
  }

  /// Whether the page asked to stop, after the running request or a later one.
  private var isStopped: Bool {
    running.load(ordering: .relaxed) <= stopped.load(ordering: .relaxed)
  }

  private static func course(_ settings: PlaygroundSettings) -> Course {
    guard !settings.lessons.isEmpty else { return .builtIn }
    return Course(
      name: settings.course,
      lessons: settings.lessons.compactMap { name, text in
        LessonReader.read(SourceText(name: name + ".frc", text: text), named: name).lesson
      })
  }

  private func answer(
    _ request: PageRequest, _ channel: PlaygroundChannel, _ session: LiveSession,
    _ course: CourseSession
  ) {
    let text = request.text ?? ""
    switch (channel, request.op) {
    case (.run, "run"):
      session.run(
        text, upTo: request.line, id: request.id,
        isStale: { self.queue.withLock { $0.latestRun } != request.id })
    case (.run, "try"): session.tryStatement(text, at: request.line ?? 1, id: request.id)
    case (.run, "page"): session.makePage(text, title: request.title ?? "Script", id: request.id)
    case (.run, "golden"): session.makeGolden(text, id: request.id)
    case (.course, "course"): course.tellKey(id: request.id)
    case (.course, "open"):
      course.open(
        progress: request.progress.map { Data($0.utf8) }, lesson: request.line, id: request.id)
    case (.course, "entry"): course.take(text, id: request.id)
    // A page of another version asks for something else.
    case (.run, _), (.course, _), (.editor, _), (.results, _), (.share, _), (.server, _): break
    }
  }

  // MARK: The editor

  private func serveEditor() {
    let server = LanguageServer(
      host: PlaygroundEditorHost(), version: version,
      isCancelled: { self.editor.begin($0) }, output: { self.write(.editor, $0) })
    while true {
      switch editor.next(whenEmpty: server.idle) {
      case .message(let message): server.receive(message)
      case .result(let result): server.take(result)
      case .page(let result): server.take(page: result)
      case .end: return
      }
    }
  }

  // MARK: Time

  /// The time for which the threads of the process have had a processor.
  private static var processorTime: Duration {
    // POSIX counts in microseconds on every system.
    .microseconds(Int64(truncatingIfNeeded: clock()))
  }

  /// Ends the process if a statement does not stop at its limit.
  private func watchTime() {
    while true {
      Thread.sleep(forTimeInterval: 0.25)
      guard let end = deadline.withLock({ $0 }),
        Self.processorTime > end.processorTime || .now > end.instant
      else { continue }
      TemporaryFolder.removeAll()
      ProcessCalls.endAtOnce(status: PlaygroundEnd.time)
    }
  }
}

/// Gives long statements less of the processor, so that the short ones of others stay fast.
///
/// Only the time counts for which a statement has had a processor, because on a busy machine a short
/// statement waits for long. A session earns credit for its next statements. No thread can take back
/// its priority, so each request needs a thread of its own.
private final class PriorityLowering: Sendable {
  private struct State {
    /// The time for which the session may use a processor like everybody.
    var credit = mostCredit
    var counted = ContinuousClock.now
    var courtesy = ProcessLimits.Courtesy.none
  }

  private let state = Mutex(State())
  private let ticks = Atomic(0)

  private static let mostCredit = Duration.milliseconds(50)
  /// The part of the time that becomes credit.
  private static let earning = 0.01
  /// The time after the credit that a statement has before it gives way to all others.
  private static let patience = Duration.milliseconds(350)

  /// Called by the thread of a request at its beginning.
  func begin() {
    state.withLock { state in
      let now = ContinuousClock.now
      state.credit = min(
        Self.mostCredit, state.credit + (now - state.counted) * Self.earning)
      state.counted = now
      state.courtesy = .none
    }
  }

  /// Called again and again by the thread that runs statements.
  func tick() {
    guard ticks.wrappingAdd(1, ordering: .relaxed).newValue & 0xFF == 0 else { return }
    let used = ProcessLimits.threadTime
    state.withLock { state in
      let wanted: ProcessLimits.Courtesy =
        used > state.credit + Self.patience ? .much : used > state.credit ? .some : .none
      guard wanted > state.courtesy else { return }
      ProcessLimits.giveWay(wanted, before: state.courtesy)
      state.courtesy = wanted
    }
  }

  /// Called by the thread of a request at its end.
  func end() {
    let used = ProcessLimits.threadTime
    state.withLock { $0.credit = max(.zero, $0.credit - used) }
  }
}

/// Gives the editor's language service the files of the examples alone, and runs nothing for it.
private final class PlaygroundEditorHost: ServerHost {
  func environment(ofScriptAt path: String) -> any ScriptEnvironment {
    FileEnvironment(permissions: Permissions(roots: []), texts: PlaygroundFiles.included)
  }

  func test(of source: SourceText) -> GoldenTest { GoldenTest(source: source) }
  func scripts(around path: String) -> [SourceText]? { [] }
  func realPath(of path: String) -> String { path }
  func settingsProblem(around path: String) -> SettingsProblem? { nil }
  func rulesPage(around path: String) -> String? { nil }
  func startRun(_ request: RunRequest) {}
  func cancelRun(of uri: String) {}
  func startPage(of uri: String, path: String) {}
}

/// Why the process of a session ended.
enum PlaygroundEnd {
  /// The exit status after a statement that did not stop at its limit.
  static let time: Int32 = 78

  /// The reason in words for the page.
  static func words(_ end: ChildProcess.End) -> String {
    switch end {
    case .status(time): "a statement did not stop in time"
    case .status(MemoryMonitor.status): "the session used too much memory"
    case .status(let status): "the session's process ended with status \(status)"
    case .signal(let signal): "the session's process ended: \(signal.words)"
    }
  }
}
