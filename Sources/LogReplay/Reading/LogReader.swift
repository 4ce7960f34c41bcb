import FetchedResults
import Foundation

/// The reason why a file is not a log.
package struct UnreadableLog: Error, Hashable, Sendable {
  /// What is wrong, and what was expected.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// Reads logs: lines of JSON, console output, and both mixed.
package struct LogReader {
  private let patterns: [CallbackPattern]
  private var log: DelegateLog
  /// Lines without a callback, which may form a long exception.
  private var pending: [(number: Int, text: String)] = []
  /// The line of the last exception, and its sentence.
  private var lastException: (line: Int, exception: LoggedException)?
  private var otherJSON: Int?
  /// A line with the beginning of UIKit's sentence, whose numbers may be missing.
  private var cutSentence: (line: Int, words: String)?

  /// How many lines one exception may take.
  private static let mostLines = 40

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - name: Its name for messages.
  ///   - patterns: The formats in which the app prints its callbacks, in addition to the usual
  ///     ones.
  /// - Throws: ``UnreadableLog`` if the file is not text, or does not concern a controller.
  /// - Complexity: O(*n*) for *n* bytes.
  package static func read(
    _ bytes: [UInt8], named name: String, patterns: [CallbackPattern] = []
  ) throws(UnreadableLog) -> DelegateLog {
    var reader = LogReader(patterns: patterns, log: DelegateLog(name: name))
    try reader.read(bytes)
    return reader.log
  }

  private init(patterns: [CallbackPattern], log: DelegateLog) {
    self.patterns = patterns
    self.log = log
  }

  private mutating func read(_ bytes: [UInt8]) throws(UnreadableLog) {
    guard bytes.contains(where: { $0 > 0x20 }) else { throw UnreadableLog(reason: "it is empty") }
    guard !bytes.contains(0) else { throw UnreadableLog(reason: "it is not a text") }
    // Lines may end with CR, LF or both.
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    log.lineCount = lines.count - (lines.last?.isEmpty == true ? 1 : 0)
    for (index, line) in lines.enumerated() {
      guard let text = String(validating: line, as: UTF8.self) else {
        throw UnreadableLog(reason: "line \(index + 1) is not UTF-8")
      }
      try read(text.trimmed, number: index + 1, isLast: index + 1 >= log.lineCount)
    }
    findException()
    try requireEvents()
  }

  private mutating func read(
    _ line: Substring, number: Int, isLast: Bool
  ) throws(UnreadableLog) {
    guard !line.isEmpty else { return }
    if cutSentence == nil, let words = Self.beginnings.first(where: { line.contains($0) }) {
      cutSentence = (number, words)
    }
    if line.first == "{", try readJSON(String(line), number, isLast: isLast) { return }
    let text = String(line)
    let matched = patterns.lazy.compactMap { $0.event(in: text) }.first
    if matched == nil, mayBelongToException(text) {
      pending.append((number, text))
      if pending.count > Self.mostLines { findException() }
      return
    }
    guard let event = matched ?? CallbackText.event(in: text) else {
      pending.append((number, text))
      if pending.count > Self.mostLines { findException() }
      return
    }
    findException()
    log.entries.append(DelegateLog.Entry(line: number, event: event))
  }

  /// - Returns: Whether the line was an object.
  private mutating func readJSON(
    _ line: String, _ number: Int, isLast: Bool
  ) throws(UnreadableLog) -> Bool {
    guard let object = EventObject(line) else {
      guard line.hasPrefix("{\"") else { return false }
      if isLast, !log.entries.isEmpty {
        log.endsInPart = true
        return true
      }
      throw UnreadableLog(
        reason: "line \(number) begins as a JSON object and is none; a part of it may be missing")
    }
    findException()
    guard object.name != nil else {
      otherJSON = otherJSON ?? number
      return true
    }
    let events = object.events
    if events.isEmpty { log.ignoredLines += 1 }
    log.entries += events.map { DelegateLog.Entry(line: number, event: $0) }
    return true
  }

  /// A UIKit message may name callbacks that it does not report.
  private func mayBelongToException(_ text: String) -> Bool {
    [
      "Exception", "exception", "Assertion failure", "Invalid update", "must be equal to",
      "Serious application error",
    ].contains { text.contains($0) }
  }

  /// Looks for an exception in the lines that are not callbacks.
  private mutating func findException() {
    defer { pending = [] }
    var start = 0
    while start < pending.count {
      guard let (exception, end) = exception(from: start) else {
        log.ignoredLines += 1
        start += 1
        continue
      }
      add(exception, line: pending[start].number)
      start = end
    }
  }

  /// Returns the exception that begins in a line, with as few of the following lines as it needs.
  private func exception(from start: Int) -> (LoggedException, end: Int)? {
    guard beginsException(pending[start].text) else { return nil }
    var unknown: (LoggedException, Int)?
    for end in start + 1...min(pending.count, start + 12) {
      // The next report begins a new exception.
      if end > start + 1, pending[end - 1].text.contains("An exception was caught") { break }
      let text = pending[start..<end].map(\.text).joined(separator: " ")
      guard let exception = LoggedException(in: text) else { continue }
      if exception.meaning != .unknown { return (exception, end) }
      unknown = unknown ?? (exception, end)
    }
    return unknown
  }

  private func beginsException(_ text: String) -> Bool {
    mayBelongToException(text)
      || [
        "attempt to", "cannot move", "beyond bounds", "no object at index", "no section at",
        "identifiers", "CoreData", "deadlock", "parameter not satisfying", "Cell animation",
        "NSFetchedResultsController", "fetched object",
      ].contains { text.contains($0) }
  }

  /// The console often prints the same exception twice.
  private mutating func add(_ exception: LoggedException, line: Int) {
    if let last = lastException, last.exception.isSame(as: exception), line - last.line < 60,
      case .exception? = log.entries.last?.event
    {
      log.ignoredLines += 1
      return
    }
    lastException = (line, exception)
    log.entries.append(DelegateLog.Entry(line: line, event: .exception(exception)))
  }

  /// How UIKit's sentences about numbers begin.
  private static let beginnings = [
    "invalid number of sections", "invalid number of rows", "invalid number of items",
    "Invalid batch updates detected",
  ]

  private func requireEvents() throws(UnreadableLog) {
    guard log.entries.isEmpty else { return }
    if let otherJSON {
      throw UnreadableLog(
        reason: "line \(otherJSON) is JSON, but not an event: it has no \"event\"")
    }
    if let cutSentence {
      throw UnreadableLog(
        reason:
          "line \(cutSentence.line) says '\(cutSentence.words)' without the numbers after it; "
          + "copy the whole sentence from the console or the crash report. For the callback that "
          + "went wrong, record the callbacks, too: frc swift --recorder")
    }
    throw UnreadableLog(
      reason: "no callback and no exception was found in "
        + "\(log.lineCount == 1 ? "its one line" : "its \(log.lineCount) lines")"
        + "; --pattern says how the app prints callbacks")
  }
}
