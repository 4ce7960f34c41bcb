import Foundation
import GoldenTesting
import Platform
import ScriptSyntax

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
    var isOfMemory: Bool { end == .status(MemoryWatch.status) }

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
  private static let program: String = {
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
