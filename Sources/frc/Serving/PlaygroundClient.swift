import GoldenTesting
import Platform
import PlaygroundServer

/// A connection to a browser.
final class PlaygroundClient {
  enum Phase {
    /// It sends a request, which must be complete in time.
    case request
    /// It has a WebSocket.
    case session(Admission.Role)
    /// It only receives the rest of what is kept for it.
    case ending
  }

  let connection: Connection
  var phase = Phase.request
  /// What was received of a request.
  var head: [UInt8] = []
  var reader = WebSocketReader()
  var process: PlaygroundProcess?
  /// The student's number in the class; nil outside of one.
  var student: Int?
  /// How many messages it may send.
  var pacing: Pacing
  /// Messages that wait until they may be sent on.
  var isPaced = false
  /// When the present phase began, or the last message came.
  var last: Double
  /// When it last read something of what is kept for it.
  var lastRead: Double
  private var output: [UInt8] = []
  private var sent = 0
  var isClosed = false

  init(_ connection: Connection, now: Double) {
    self.connection = connection
    last = now
    lastRead = now
    pacing = Pacing(burst: 400, rate: 100, now: now)
  }

  /// The bytes that are kept for it.
  var waiting: Int { output.count - sent }

  func send(_ bytes: [UInt8], now: Double) {
    guard !isClosed else { return }
    if waiting == 0 { lastRead = now }
    output += bytes
    writeSome(now)
  }

  /// Sends a text on its WebSocket.
  func send(text: some Collection<UInt8>, now: Double) {
    send(WebSocketFrame.text(text), now: now)
  }

  /// Sends the last bytes; the connection ends when they are sent.
  func finish(with bytes: [UInt8], now: Double) {
    phase = .ending
    last = now
    send(bytes, now: now)
    if waiting == 0 { connection.endOutput() }
  }

  func writeSome(_ now: Double) {
    guard waiting > 0 else { return }
    do throws(SystemError) {
      let count = try connection.descriptor.writeSome(output[sent...])
      sent += count
      if count > 0 { lastRead = now }
    } catch {
      isClosed = true
      return
    }
    if waiting == 0 {
      output.removeAll(keepingCapacity: output.count < 1 << 16)
      sent = 0
      if case .ending = phase { connection.endOutput() }
    } else if sent > 1 << 20 {
      output.removeFirst(sent)
      sent = 0
    }
  }
}

/// The process of one session, seen from the server.
///
/// No call waits.
final class PlaygroundProcess {
  let input: FileDescriptor
  let output: FileDescriptor
  let errors: FileDescriptor
  private var child: ChildProcess?
  private let scratchName: String
  private var frames = FrameBuffer()
  private var pending: [UInt8] = []
  private var sent = 0
  private(set) var areErrorsOpen = true
  /// Whether it was told to end.
  private(set) var isEnding = false

  /// - Throws: The system's error, for example if there are too many processes.
  init(_ settings: PlaygroundSettings) throws(SystemError) {
    let child = try ChildProcess(WorkerProcess.program, ["serve-worker"])
    (input, output, errors) = (child.input, child.output, child.errors)
    self.child = consume child
    scratchName = settings.scratchName
    for descriptor in [input, output, errors] { descriptor.neverWaits() }
    pending = settings.framed()
    writeSome()
  }

  deinit {
    kill()
    _ = end()
  }

  /// The bytes that wait until the process reads.
  var waiting: Int { pending.count - sent }

  func send(_ message: [UInt8]) {
    pending += PlaygroundFrame(message: message).framed
    writeSome()
  }

  /// Writes what is possible now.
  func writeSome() {
    guard waiting > 0, !isEnding else { return }
    do throws(SystemError) {
      sent += try input.writeSome(pending[sent...])
    } catch {
      // The process is gone, which its output will say.
      sent = pending.count
    }
    if sent == pending.count {
      pending.removeAll(keepingCapacity: pending.count < 1 << 16)
      sent = 0
    } else if sent > 1 << 20 {
      pending.removeFirst(sent)
      sent = 0
    }
  }

  /// Reads what is there.
  ///
  /// - Returns: False at the end of its output: the process has ended.
  func readSome() -> Bool {
    do throws(SystemError) {
      let piece = try output.readOnce(upTo: 1 << 16)
      frames.append(piece)
      return !piece.isEmpty
    } catch {
      return error.mayPass
    }
  }

  /// Reads standard error and ignores it, because a full pipe would stop the process.
  func skipErrors() {
    guard areErrorsOpen else { return }
    do throws(SystemError) {
      if try errors.readOnce(upTo: 1 << 12).isEmpty { areErrorsOpen = false }
    } catch {
      if !error.mayPass { areErrorsOpen = false }
    }
  }

  /// Returns the next message of the process; nil if it is not complete.
  func next() -> ArraySlice<UInt8>? { frames.next() }

  /// Kills the process.
  ///
  /// Its output ends soon.
  func kill() {
    isEnding = true
    pending = []
    sent = 0
    child?.send(.kill)
  }

  /// Waits until the process has ended, and removes its temporary files.
  ///
  /// - Returns: How it ended; nil if that was known before.
  func end() -> ChildProcess.End? {
    guard let child = child.take() else { return nil }
    isEnding = true
    areErrorsOpen = false
    let end = child.end()
    TemporaryFolder.removeAll(ofProcessNaming: scratchName)
    return end
  }
}
