import Glibc

/// A reader for input that is no terminal.
///
/// Lines end with `\n` or `\r\n`; the last one need not. NUL bytes are kept,
/// bytes that are no UTF-8 become U+FFFD. There are no prompts and there is no
/// history. An unfinished statement at the end of the input is given as it is,
/// so that whoever reads it can say what is missing.
package final class PipeReader: LineReader {
  private let fileDescriptor: Int32
  private var buffer: [UInt8] = []
  /// Where the unread part of `buffer` begins.
  private var start = 0
  private var isAtEnd = false

  /// Creates a reader; `fileDescriptor` stays the caller's to close.
  package init(fileDescriptor: Int32 = 0) {
    self.fileDescriptor = fileDescriptor
  }

  /// Reads a statement; see `LineReader`. The prompts are not used.
  ///
  /// `.interrupted` is given when Ctrl-C ends the waiting and
  /// `InterruptFlag` is installed.
  package func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult {
    InterruptFlag.lower()
    var text: String?
    while true {
      switch nextLine() {
      case .text(let line):
        let joined = text.map { $0 + "\n" + line } ?? line
        if isComplete(joined) { return .text(joined) }
        text = joined
      case .interrupted:
        return .interrupted
      case .endOfInput:
        return text.map(ReadResult.text) ?? .endOfInput
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
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return .endOfInput }
        let line = String(decoding: buffer[start...], as: UTF8.self)
        start = buffer.count
        return .text(line)
      }
      if start > 0 {
        buffer.removeFirst(start)
        searched -= start
        start = 0
      }
      guard fill() else { return .interrupted }
    }
  }

  /// Reads some more bytes.
  ///
  /// - Returns: Whether to go on; false after Ctrl-C.
  private func fill() -> Bool {
    let room = 65_536
    while true {
      var count = 0
      var code: Int32 = 0
      let more = [UInt8](unsafeUninitializedCapacity: room) { bytes, size in
        count = read(fileDescriptor, bytes.baseAddress, room)
        code = errno
        size = max(count, 0)
      }
      if count > 0 {
        buffer += more
        return true
      }
      if count < 0, code == EINTR {
        if InterruptFlag.isRaised { return false }
        continue
      }
      if count < 0, code == EAGAIN {
        // Somebody made the descriptor non-blocking; wait by hand.
        var request = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, -1)
        continue
      }
      isAtEnd = true
      return true
    }
  }
}
