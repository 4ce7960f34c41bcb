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
