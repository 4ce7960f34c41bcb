/// What the reader took a line for.
package enum LineReading: Hashable, Sendable {
  /// The line has an event: a callback, sections, or an operation.
  case event
  /// An exception begins.
  case exception
  /// The line continues an exception or a description.
  case part(of: Int)
  /// The exception of an earlier line is printed again.
  case repeated(Int)
  case ignored(Reason)
  /// The line names a change, a callback or an index path, and was not read.
  case notUnderstood(String)

  /// Why a line does not count.
  package enum Reason: Hashable, Sendable {
    case blank
    case otherText
    case otherJSON
    case otherEvent
    case callStack
    /// A sign of a crash; another line names the exception.
    case trace
    /// A callback's method returns.
    case returning
    /// A message about a change, outside of a batch or beside callbacks that name their method.
    case message
    /// A message that repeats a callback of the same batch.
    case echo(of: Int)
  }
}

/// How many lines the reader took for what.
package struct LineCounts: Hashable, Sendable {
  package internal(set) var read = 0
  package internal(set) var ignored = 0
  package internal(set) var notUnderstood = 0

  mutating func add(_ reading: LineReading, _ number: Int = 1) {
    switch reading {
    case .event, .exception, .part: read += number
    case .repeated, .ignored: ignored += number
    case .notUnderstood: notUnderstood += number
    }
  }
}
