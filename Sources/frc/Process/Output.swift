import Platform
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

  init() { Signal.brokenPipe.useDefault() }

  /// Writes a line to standard output.
  func write(_ line: String) {
    write(bytes: Array(line.utf8) + [UInt8(ascii: "\n")])
  }

  func write(bytes: [UInt8]) {
    buffer += bytes
    if buffer.count > 1 << 16 { flush() }
  }

  func flush() {
    do throws(SystemError) {
      try FileDescriptor.standardOutput.write(buffer)
    } catch {
      if error != .brokenPipe { Self.failure.store(error.code, ordering: .relaxed) }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes a line to standard error.
  func writeError(_ line: String) {
    flush()
    // There is no other place to tell of a failure.
    try? FileDescriptor.standardError.write((line + "\n").utf8)
  }

  /// Tells on standard error where standard output did not take all that was
  /// written to it, on a full disk for one.
  ///
  /// - Returns: Whether it took all.
  static func confirm() -> Bool {
    let number = failure.load(ordering: .relaxed)
    guard number != 0 else { return true }
    let reason = SystemError(code: number).words
    Output().writeError("frc: error: cannot write standard output: \(reason)")
    return false
  }
}
