import Basics
package import Platform

/// A source of statements, which a person types or which come through a pipe.
///
/// It does not know what a statement means: the caller decides when a text is complete.
package protocol LineReader: AnyObject {
  /// Reads lines until they form a complete statement.
  ///
  /// - Parameters:
  ///   - prompt: The prompt before the first line.
  ///   - continuationPrompt: The prompt before each further line.
  ///   - isComplete: Returns whether the lines so far, joined by `\n`, need no further one. Called
  ///     at the end of each line.
  /// - Returns: The statement without its last line end, or the reason why there is none.
  func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult
}

/// The result of reading a statement.
package enum ReadResult: Equatable, Sendable {
  /// A complete text. Its lines are joined by `\n`. It ends with a line end only if one was pasted
  /// or typed there.
  case text(String)

  /// Ctrl-C was pressed; all lines of the statement are dropped.
  case interrupted

  /// The input has ended.
  case endOfInput
}

/// A reader for a pipe or a file, and for a terminal where no line can be edited.
///
/// Lines end with `\n` or `\r\n`; the last line need not end with either. NUL bytes are kept, and
/// bytes that are not UTF-8 become U+FFFD. There is no history and no completion. Prompts are
/// written if input and output are terminals.
///
/// An incomplete statement at the end of a file is returned as it is, so that the caller can report
/// what is missing. At a terminal it is dropped.
package final class PlainReader: LineReader {
  private let descriptor: FileDescriptor
  private let isInteractive: Bool
  private var buffer: [UInt8] = []
  /// The start of the unread part of `buffer`.
  private var start = 0
  private var isAtEnd = false

  /// Creates a reader.
  ///
  /// If the input is a terminal, SIGINT raises `InterruptFlag` from now on.
  ///
  /// - Parameter descriptor: The input; the caller closes it.
  package init(_ descriptor: FileDescriptor = .standardInput) {
    self.descriptor = descriptor
    isInteractive = descriptor.isTerminal
    if isInteractive { InterruptFlag.install() }
  }

  /// Reads a statement; see `LineReader`.
  ///
  /// Returns `.interrupted` if Ctrl-C ends the waiting and `InterruptFlag` is installed.
  package func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult {
    InterruptFlag.beginReading()
    let result = readLines(prompt, continuationPrompt, isComplete)
    if case .text = result { InterruptFlag.beginWork() }
    return result
  }

  private func readLines(
    _ prompt: String, _ continuationPrompt: String, _ isComplete: (String) -> Bool
  ) -> ReadResult {
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

  /// Reads more bytes.
  ///
  /// - Returns: Whether to continue; false after Ctrl-C.
  private func fill() -> Bool {
    while true {
      if InterruptFlag.isRaised {
        buffer.removeAll()
        return false
      }
      // Another thread may receive the signal, so a plain read might not end.
      let waited = FileDescriptor.wait(for: [descriptor, PendingSignals.wakeDescriptor])
      guard case .ready(let places) = waited else { continue }
      if places.contains(1) { PendingSignals.drainWakePipe() }
      guard places.contains(0) else { continue }

      do throws(SystemError) {
        let bytes = try descriptor.readOnce(upTo: 65_536)
        buffer += bytes
        isAtEnd = bytes.isEmpty
      } catch {
        if error.mayPass { continue }
        isAtEnd = true
      }
      // At Ctrl-C the system discards what was typed before, so these bytes were typed after it and
      // stay.
      return !InterruptFlag.isRaised
    }
  }

  /// Writes to the terminal, if there is one.
  private func write(_ text: String) {
    guard isInteractive, FileDescriptor.standardOutput.isTerminal else { return }
    // If this fails, there is no other place for the text.
    try? FileDescriptor.standardOutput.write(text.utf8)
  }
}

/// The text before a line.
///
/// Each escape sequence, such as a colour, is enclosed in `\u{1}`, so that it is not counted as
/// visible.
package struct Prompt {
  /// The visible characters, each with the sequences before it.
  ///
  /// Sequences at the end belong to the last character.
  let cells: [Frame.Cell]

  /// The visible characters.
  let text: String

  package init(_ text: String) {
    var cells: [Frame.Cell] = []
    var visible = ""
    var sequences = ""
    let parts = text.split(separator: "\u{1}", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index % 2 == 1 {
        sequences += part
        continue
      }
      visible += part
      for character in part {
        cells.append(
          Frame.Cell(text: sequences + String(character), width: DisplayWidth.width(of: character)))
        sequences = ""
      }
    }
    if let last = cells.indices.last { cells[last].text += sequences }
    self.cells = cells
    self.text = visible
  }

  private init(cells: [Frame.Cell], text: String) {
    self.cells = cells
    self.text = text
  }

  /// Returns this prompt with visible characters in front.
  func following(_ sign: String) -> Prompt {
    let start = Prompt(sign)
    return Prompt(cells: start.cells + cells, text: start.text + text)
  }
}
