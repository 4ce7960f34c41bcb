package import TableViews

/// The callbacks of one turn, from `controllerWillChangeContent` to `controllerDidChangeContent`,
/// and everything else that the log shows about it.
package struct LogBatch: Sendable {
  package let controller: String
  /// The line of `controllerWillChangeContent`, or of the first callback if there is none.
  package let firstLine: Int
  package var lastLine: Int
  package var callbacks: [Callback] = []
  package var operations: [Operation] = []
  /// The sections before the batch, from the log or from earlier callbacks.
  package var before: LoggedSections?
  /// Whether nothing can have changed between those sections and the batch.
  ///
  /// A fetch leaves no line in the output of `frc run`.
  package var isCertain = false
  /// The sections after the batch, from the log.
  package var after: LoggedSections?
  package var exception: LoggedException?
  package var exceptionLine: Int?
  /// Whether `controllerDidChangeContent` was called.
  package var isFinished = false
  /// Whether the log shows that the app's delegate returned from it; nil if it does so for no
  /// batch.
  package var hasReturned: Bool?
  /// Whether another batch began in the middle of it.
  package var enclosesBatch = false
  /// Whether the sections changed since the previous batch without a callback.
  package var followsSilentChange = false
  /// Whether the table could not follow an earlier batch, and has not been reloaded since.
  package var tableIsBroken = false
  /// Whether the next batch began before it ended, and it never ends.
  package var isAbandoned = false
  /// The lines in it that were not understood.
  ///
  /// Any of them may be a callback.
  package var unreadLines: [Int] = []

  /// A callback about an object or a section, with its line.
  package struct Callback: Hashable, Sendable {
    package let line: Int
    package let change: Change

    package enum Change: Hashable, Sendable {
      case object(ObjectChange)
      case section(SectionChange)
    }
  }

  /// A table operation, with its line.
  package struct Operation: Hashable, Sendable {
    package let line: Int
    package let operation: TableOperation
  }

  package var objectChanges: [(line: Int, change: ObjectChange)] {
    callbacks.compactMap { callback in
      if case .object(let change) = callback.change { (callback.line, change) } else { nil }
    }
  }

  package var sectionChanges: [(line: Int, change: SectionChange)] {
    callbacks.compactMap { callback in
      if case .section(let change) = callback.change { (callback.line, change) } else { nil }
    }
  }
}
