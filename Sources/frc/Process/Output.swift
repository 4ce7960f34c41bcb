import ArgumentParser
import Basics
import Foundation
import LineEditor
import Platform
import PredicateSyntax
import ScriptRuntime
import Synchronization

/// Standard output, written in large pieces, and standard error.
///
/// The buffer is written before anything goes to standard error, so that both keep their order on a
/// terminal. If the reader goes away, the program ends without a message.
///
/// All text for a terminal, or for a system that reads a job's log, is made safe here and nowhere
/// else. Control characters are shown as codes (``ShownText``), and commands for such a system are
/// quoted (``WorkflowCommands``).
final class Output {
  /// The text that was printed since the program's own last commands.
  private var quoted = ""
  private var buffer: [UInt8] = []
  /// Whether texts are printed without escaping.
  private let isRaw: Bool
  private var commands = WorkflowCommands.ofEnvironment
  /// The system's error number if standard output did not accept everything; otherwise 0.
  private static let failure = Atomic<Int32>(0)

  /// - Parameter isRaw: Whether texts are printed without escaping, which is for output that is not
  ///   a terminal.
  init(isRaw: Bool = false) {
    self.isRaw = isRaw && !FileDescriptor.standardOutput.isTerminal
  }

  /// Makes texts safe for a system that reads commands in a log, whatever the environment says.
  func quoteCommands() { commands.isRead = true }

  // MARK: Standard output

  /// Writes a line.
  func write(_ line: String) {
    let shown = isRaw ? line : ShownText.line(line)
    guard isRaw || !commands.isRead else { return add(shown + "\n") }
    closeQuotation()
    buffer.append(utf8: shown)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count > 1 << 16 { flush() }
  }

  /// Writes lines of UTF-8, each with its line end.
  func write(lines: [UInt8]) {
    if isRaw || !commands.isRead && ShownText.isPlain(lines) { return write(bytes: lines) }
    for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .dropLast()
    {
      write(String(decoding: line, as: UTF8.self))
    }
  }

  /// Writes a row of data, whose fields may contain line ends.
  func write(fields row: String) {
    add((isRaw ? row : ShownText.lines(row)) + "\n")
  }

  /// Writes lines that may contain the program's own colours.
  ///
  /// The text between these is already escaped.
  func write(painted text: String, isColored: Bool = true) {
    let shown = isColored ? ShownText.painted(text) : ShownText.lines(text)
    add((isRaw ? text : shown) + "\n")
  }

  /// Writes a text unchanged to a file or a pipe.
  func write(document bytes: [UInt8]) {
    guard FileDescriptor.standardOutput.isTerminal else { return write(bytes: bytes) }
    add(ShownText.lines(String(decoding: bytes, as: UTF8.self)))
  }

  /// Writes the program's own messages to a terminal.
  func write(bytes: [UInt8]) {
    closeQuotation()
    buffer += bytes
    if buffer.count > 1 << 16 { flush() }
  }

  /// Writes a command for a continuous integration system.
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
      try EndingSignals.writing { () throws(SystemError) in
        try FileDescriptor.standardOutput.write(buffer)
      }
    } catch {
      if error != .brokenPipe { Self.failure.store(error.code, ordering: .relaxed) }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: Standard error

  /// Writes a line to standard error.
  ///
  /// A line end in it is shown as a code, because a file name in it must not look like a message.
  func writeError(_ line: String) { writeError(shown: ShownText.line(line)) }

  /// Writes an error of a command, and returns how the command ends.
  func failure(_ message: String, status: Int32) -> ExitCode {
    writeError("frc: error: \(message)")
    return ExitCode(status)
  }

  /// Writes lines to standard error, such as the usage, or a failure with a quoted line.
  func writeError(lines: String) { writeError(shown: ShownText.lines(lines)) }

  /// Writes lines to standard error that may contain the program's own colours.
  func writeError(painted text: String) { writeError(shown: ShownText.painted(text)) }

  private func writeError(shown text: String) {
    flush()
    // Standard output is read separately, so commands there do not affect this text.
    let text = commands.withoutCommands(text)
    // If this fails, there is no other place for a message.
    EndingSignals.writing { try? FileDescriptor.standardError.write((text + "\n").utf8) }
  }

  /// Moves to the start of the terminal's row.
  ///
  /// - Parameter erases: Whether the row is erased, by a sequence that the terminal must know.
  func writeErrorStart(erases: Bool) {
    flush()
    EndingSignals.writing {
      try? FileDescriptor.standardError.write((erases ? "\r\u{1B}[K" : "\r").utf8)
    }
  }

  /// Whether standard output did not accept everything.
  ///
  /// A command that runs until it is stopped then ends, because its output would be lost.
  static var hasFailed: Bool { failure.load(ordering: .relaxed) != 0 }

  /// Reports on standard error if standard output did not accept everything, for example on a full
  /// disk.
  ///
  /// - Returns: Whether it accepted everything.
  static func confirm() -> Bool {
    let number = failure.load(ordering: .relaxed)
    guard number != 0 else { return true }
    let reason = SystemError(code: number).words
    Output().writeError("frc: error: cannot write standard output: \(reason)")
    return false
  }
}

/// A command that writes, and then ends.
protocol WritingCommand: ParsableCommand {
  func run(writingTo output: Output) throws
}

extension WritingCommand {
  func run() throws {
    let output = Output()
    defer { output.flush() }
    try run(writingTo: output)
  }
}

/// Keeps a continuous integration system from running commands in quoted text.
///
/// GitHub Actions and other systems read commands in a job's output: lines that begin with `::`,
/// and `##[` anywhere in a line. Scripts must not be able to print them.
struct WorkflowCommands {
  /// Whether such a system reads the output.
  var isRead: Bool

  /// The setting for the present environment.
  static var ofEnvironment: WorkflowCommands {
    func isSet(_ name: String) -> Bool { !ProcessEnvironment[name, default: ""].isEmpty }
    // A search of a list would make the runtime look for a conformance among all of the program's.
    return WorkflowCommands(
      isRead: isSet("GITHUB_ACTIONS") || isSet("TF_BUILD") || isSet("TEAMCITY_VERSION"))
  }

  /// Texts that begin a command within a line.
  private static let starts = ["##[", "##vso[", "##teamcity["]

  /// Returns a text without commands within lines.
  ///
  /// The second `#` of each becomes `\u0023`, which JSON reads as `#`.
  func withoutInnerCommands(_ text: String) -> String {
    guard isRead, text.utf8.contains(UInt8(ascii: "#")) else { return text }
    return Self.starts.reduce(text) { text, start in
      guard text.contains(start) else { return text }
      return text.replacing(start, with: "#\\u0023" + start.dropFirst(2))
    }
  }

  /// Returns lines without any commands, for output where no command can come before them.
  func withoutCommands(_ text: String) -> String {
    guard isRead else { return text }
    return withoutInnerCommands(text).split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.isCommand($0) ? $0.replacing("::", with: "\\u003A:", maxReplacements: 1) : $0 }
      .joined(separator: "\n")
  }

  /// Returns the lines.
  ///
  /// If one could be a command, they are enclosed in two commands that turn command processing off
  /// and on.
  ///
  /// The word that turns it on again cannot be guessed.
  func quoted(_ text: String) -> String {
    guard isRead, text.utf8.contains(UInt8(ascii: ":")),
      text.split(separator: "\n").contains(where: Self.isCommand)
    else { return text }
    var generator = SystemRandomNumberGenerator()
    let word = (0..<2).map { _ in String(generator.next(), radix: 16) }.joined()
    let end = text.hasSuffix("\n") ? "" : "\n"
    return "::stop-commands::\(word)\n\(text)\(end)::\(word)::\n"
  }

  private static func isCommand(_ line: Substring) -> Bool {
    line.drop { !$0.isLetter && !$0.isNumber && !$0.isPunctuation && !$0.isSymbol }.hasPrefix("::")
  }
}

/// One line on standard error that is redrawn, and erased at the end.
///
/// It is only shown on a terminal.
final class StatusLine {
  private let isSeen: Bool
  private let patience: Duration
  private var start: ContinuousClock.Instant?
  private var lastShown: ContinuousClock.Instant?

  /// Creates a line.
  ///
  /// - Parameter patience: How long nothing is shown, because most work is done by then.
  init(patience: Duration) {
    self.patience = patience
    // Some continuous integration systems give a job a terminal, but keep everything that was
    // drawn.
    isSeen =
      FileDescriptor.standardError.isTerminal && TerminalSettings.obeysSequences
      && !ProcessEnvironment.isContinuousIntegration
  }

  /// Draws the line, at most ten times a second.
  func show(_ text: () -> String) {
    guard isSeen else { return }
    let now = ContinuousClock.now
    guard let start else {
      start = now
      return
    }
    guard now - start >= patience else { return }
    if let lastShown, now - lastShown < .milliseconds(100) { return }
    lastShown = now
    // Only one row can be erased, and a `^C` may follow the text.
    let width = max(0, (TerminalSize(of: .standardError)?.columns ?? 80) - 3)
    write("\r\u{1B}[K" + ShownText.line(text()).prefix(width))
  }

  /// Erases the line, which may be drawn again.
  func erase() {
    guard lastShown != nil else { return }
    write("\r\u{1B}[K")
    lastShown = nil
  }

  /// Erases the line.
  ///
  /// The next one is shown only after some time.
  func end() {
    erase()
    start = nil
  }

  private func write(_ text: String) {
    EndingSignals.writing { try? FileDescriptor.standardError.write(text.utf8) }
  }
}

/// Shows the progress of work that takes longer than a second.
final class ProgressBar {
  private let line = StatusLine(patience: .seconds(1))

  func show(_ progress: ImportProgress) { line.show { Self.line(progress) } }

  func end() { line.end() }

  /// Returns a line such as `[########## ] 33 % of books.csv, 12000 objects`.
  static func line(_ progress: ImportProgress) -> String {
    let objects = "\(progress.objects) object\(progress.objects == 1 ? "" : "s")"
    let name = progress.file.suffix(24)
    guard let count = progress.byteCount, count > 0 else { return "\(name): \(objects)" }
    let part = min(1, Double(progress.bytesRead) / Double(count))
    let filled = Int(part * 30)
    let bar = String(repeating: "#", count: filled).padded(toColumns: 30)
    let percent = String(Int(part * 100)).rightAligned(toColumns: 3)
    return "[\(bar)] \(percent) % of \(name), \(objects)"
  }
}
