import Platform
import Synchronization

/// Standard output, written in large pieces, and standard error.
///
/// What is in the buffer is written before anything goes to standard error, so that the two keep
/// their order on a terminal. A reader that goes away ends the program quietly.
///
/// Here alone it is decided what a terminal, or a system that reads a job's log, gets of a text:
/// control characters are shown by their codes (``ShownText``), and commands for such a system
/// are quoted (``WorkflowCommands``).
final class Output {
  /// What was printed since the last commands of our own.
  private var quoted = ""
  private var buffer: [UInt8] = []
  /// Whether texts are printed as they are.
  private let isRaw: Bool
  private var commands = WorkflowCommands.ofEnvironment
  /// The system's number for what kept standard output from taking all; 0 if nothing did.
  private static let failure = Atomic<Int32>(0)

  /// - Parameter isRaw: Whether someone wants texts as they are, who does not look on at a
  ///   terminal.
  init(isRaw: Bool = false) {
    self.isRaw = isRaw && !FileDescriptor.standardOutput.isTerminal
    Signal.brokenPipe.useDefault()
  }

  /// Takes commands of a system for continuous integration for such, whatever the environment
  /// says.
  func quoteCommands() { commands.isRead = true }

  // MARK: Standard output

  /// Writes a line.
  func write(_ line: String) {
    let shown = isRaw ? line : ShownText.line(line)
    guard isRaw || !commands.isRead else { return add(shown + "\n") }
    closeQuotation()
    buffer.append(contentsOf: shown.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count > 1 << 16 { flush() }
  }

  /// Writes a row of data, whose fields may have line ends.
  func write(fields row: String) {
    add((isRaw ? row : ShownText.lines(row)) + "\n")
  }

  /// Writes lines that may have the program's own colours, between which everything was escaped.
  func write(painted text: String, isColored: Bool = true) {
    let shown = isColored ? ShownText.painted(text) : ShownText.lines(text)
    add((isRaw ? text : shown) + "\n")
  }

  /// Writes a text as it is to a file or a pipe.
  func write(document bytes: [UInt8]) {
    guard FileDescriptor.standardOutput.isTerminal else { return write(bytes: bytes) }
    add(ShownText.lines(String(decoding: bytes, as: UTF8.self)))
  }

  /// Writes what the program says to a terminal by itself.
  func write(bytes: [UInt8]) {
    closeQuotation()
    buffer += bytes
    if buffer.count > 1 << 16 { flush() }
  }

  /// Writes a command for a system for continuous integration.
  func write(command: String) { write(bytes: Array((ShownText.line(command) + "\n").utf8)) }

  private func add(_ text: String) {
    guard !isRaw, commands.isRead else { return write(bytes: Array(text.utf8)) }
    quoted += commands.withoutInnerCommands(text)
    if quoted.utf8.count > 1 << 16 { flush() }
  }

  private func closeQuotation() {
    guard !quoted.isEmpty else { return }
    buffer += commands.quoted(quoted).utf8
    quoted = ""
  }

  func flush() {
    closeQuotation()
    do throws(SystemError) {
      try FileDescriptor.standardOutput.write(buffer)
    } catch {
      if error != .brokenPipe { Self.failure.store(error.code, ordering: .relaxed) }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: Standard error

  /// Writes lines to standard error.
  func writeError(_ text: String) { writeError(shown: ShownText.lines(text)) }

  /// Writes lines to standard error that may have the program's own colours.
  func writeError(painted text: String) { writeError(shown: ShownText.painted(text)) }

  private func writeError(shown text: String) {
    flush()
    // Standard output is read at another time, so no command there tells how to read this.
    let text = commands.withoutCommands(text)
    // There is no other place to tell about a failure.
    try? FileDescriptor.standardError.write((text + "\n").utf8)
  }

  /// Moves to the start of the terminal's row.
  func writeErrorStart() {
    flush()
    try? FileDescriptor.standardError.write("\r".utf8)
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
