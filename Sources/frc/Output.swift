import Foundation
import Glibc

/// Standard output, written in large pieces, and standard error.
///
/// What stands in the buffer is written before anything goes to standard
/// error, so that the two keep their order on a terminal. A reader that goes
/// away ends the program quietly.
final class Output {
  private var buffer: [UInt8] = []

  init() { signal(SIGPIPE, SIG_DFL) }

  /// Writes a line to standard output.
  func write(_ line: String) {
    write(bytes: Array(line.utf8) + [UInt8(ascii: "\n")])
  }

  func write(bytes: [UInt8]) {
    buffer += bytes
    if buffer.count > 1 << 16 { flush() }
  }

  func flush() {
    Self.write(buffer, to: 1)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes a line to standard error.
  func writeError(_ line: String) {
    flush()
    Self.write(Array((line + "\n").utf8), to: 2)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let count = Glibc.write(
          descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
        if count < 0 && errno != EINTR { return }
        written += max(0, count)
      }
    }
  }
}
