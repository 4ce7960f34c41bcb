import Glibc

/// A reader for a pipe or a file, and for a terminal at which nothing can be
/// edited by us.
///
/// Lines end with `\n` or `\r\n`; the last one need not. NUL bytes are kept,
/// bytes that are no UTF-8 become U+FFFD. There is no history and no
/// completion. Prompts are written where input and output are terminals.
///
/// An unfinished statement at the end of a file is given as it is, so that
/// whoever reads it can say what is missing; at a terminal it is dropped.
package final class PlainReader: LineReader {
  private let fileDescriptor: Int32
  private let isInteractive: Bool
  private var buffer: [UInt8] = []
  /// Where the unread part of `buffer` begins.
  private var start = 0
  private var isAtEnd = false

  /// Creates a reader.
  ///
  /// At a terminal, SIGINT raises `InterruptFlag` from now on.
  ///
  /// - Parameter fileDescriptor: What to read; it stays the caller's to close.
  package init(fileDescriptor: Int32 = 0) {
    self.fileDescriptor = fileDescriptor
    isInteractive = isTerminal(fileDescriptor)
    if isInteractive { InterruptFlag.install() }
  }

  /// Reads a statement; see `LineReader`.
  ///
  /// `.interrupted` is given when Ctrl-C ends the waiting and `InterruptFlag`
  /// is installed.
  package func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult {
    InterruptFlag.lower()
    var text: String?
    while true {
      write(Prompt(text == nil ? prompt : continuationPrompt).text)
      switch nextLine() {
      case .text(let line):
        let joined = text.map { $0 + "\n" + line } ?? line
        if isComplete(joined) { return .text(joined) }
        text = joined
      case .interrupted:
        write("\n")
        return .interrupted
      case .endOfInput:
        write("\n")
        guard let text, !isInteractive else { return .endOfInput }
        return .text(text)
      }
    }
  }

  private func nextLine() -> ReadResult {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let hasReturn = end > start && buffer[end - 1] == UInt8(ascii: "\r")
        let line = String(decoding: buffer[start..<(hasReturn ? end - 1 : end)], as: UTF8.self)
        start = end + 1
        return .text(line)
      }
      if isAtEnd {
        guard start < buffer.count else { return .endOfInput }
        let line = String(decoding: buffer[start...], as: UTF8.self)
        start = buffer.count
        return .text(line)
      }
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      guard fill() else { return .interrupted }
    }
  }

  /// Reads some more bytes.
  ///
  /// - Returns: Whether to go on; false after Ctrl-C.
  private func fill() -> Bool {
    while true {
      if InterruptFlag.isRaised {
        buffer.removeAll()
        return false
      }
      // A signal may come to another thread, so a read might not end.
      var requests = [
        pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: SignalInbox.wakeDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&requests, 2, -1) > 0 else { continue }
      if requests[1].revents != 0 { SignalInbox.drainWakePipe() }
      guard requests[0].revents != 0 else { continue }

      let room = 65_536
      var count = 0
      var code: Int32 = 0
      buffer += [UInt8](unsafeUninitializedCapacity: room) { bytes, size in
        count = read(fileDescriptor, bytes.baseAddress, room)
        code = errno
        size = max(count, 0)
      }
      if count < 0, code == EINTR || code == EAGAIN { continue }
      isAtEnd = count <= 0
      // At Ctrl-C the system forgets what was typed before it, so this was typed
      // behind it and stays.
      return !InterruptFlag.isRaised
    }
  }

  /// Writes to the person, if there is one.
  private func write(_ text: String) {
    guard isInteractive, isTerminal(1) else { return }
    print(text, terminator: "")
    fflush(nil)
  }
}
