import Glibc
import Synchronization

/// Standard output, written in large pieces, and standard error.
///
/// What stands in the buffer is written before anything goes to standard
/// error, so that the two keep their order on a terminal. A reader that goes
/// away ends the program quietly.
final class Output {
  private var buffer: [UInt8] = []
  /// The system's number for what kept standard output from taking all; 0 where
  /// nothing did.
  private static let failure = Atomic<Int32>(0)

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
    if let number = FileBytes.failure(writing: buffer, to: 1), number != EPIPE {
      Self.failure.store(number, ordering: .relaxed)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes a line to standard error.
  func writeError(_ line: String) {
    flush()
    _ = FileBytes.failure(writing: Array((line + "\n").utf8), to: 2)
  }

  /// Tells on standard error where standard output did not take all that was
  /// written to it, on a full disk for one.
  ///
  /// - Returns: Whether it took all.
  static func confirm() -> Bool {
    let number = failure.load(ordering: .relaxed)
    guard number != 0 else { return true }
    let reason = SystemReason.words(for: number)
    Output().writeError("frc: error: cannot write standard output: \(reason)")
    return false
  }
}
