import Dispatch
import Foundation

/// What happens at a terminal.
public enum TerminalEvent: Sendable {
  case key(Key)
  /// The window has another size.
  case resize
  /// The program shall end: by a signal, or because the terminal is gone.
  case stop
}

/// Keys and signals, as events.
///
/// Signals are events too, so no code runs inside a signal handler. The program ends by leaving
/// its loop, and `Terminal.close()` runs in the ordinary way.
public final class TerminalEvents {
  private var sources: [any DispatchSourceProtocol] = []

  /// Begins to listen.
  ///
  /// - Parameter send: Receives the events, on a queue of this object's.
  public init(_ send: @escaping @Sendable (TerminalEvent) -> Void) {
    let queue = DispatchQueue(label: "TerminalEvents")
    for number in [SIGINT, SIGTERM, SIGHUP, SIGWINCH] {
      // The default action of a signal must not come first.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { send(number == SIGWINCH ? .resize : .stop) }
      sources.append(source)
    }
    let input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
    let reader = KeyReader(send)
    input.setEventHandler { reader.read() }
    sources.append(input)
    for source in sources { source.activate() }
  }

  /// Ends listening.
  public func cancel() {
    for source in sources { source.cancel() }
  }
}

/// Reads keys from standard input, on the queue of its source only.
private final class KeyReader {
  private var decoder = KeyDecoder()
  private let send: (TerminalEvent) -> Void

  init(_ send: @escaping (TerminalEvent) -> Void) { self.send = send }

  func read() {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
    guard count > 0 else {
      if count == 0 || errno != EINTR { send(.stop) }
      return
    }
    for key in decoder.keys(from: buffer.prefix(count)) { send(.key(key)) }
  }
}
