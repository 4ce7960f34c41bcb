package import TableViews

/// The callbacks of one turn, between `controllerWillChangeContent` and
/// `controllerDidChangeContent`, with what else the log says about it.
package struct LogBatch: Sendable {
  package let controller: String
  /// The line of `controllerWillChangeContent`; of the first callback if there was none.
  package let firstLine: Int
  package var lastLine: Int
  package var callbacks: [Callback] = []
  package var operations: [Operation] = []
  /// The sections before, as the log has them or as callbacks before it imply them.
  package var before: LoggedSections?
  /// Whether nothing can have changed between those sections and the batch.
  ///
  /// A fetch leaves no line
  /// in the output of `frc run`.
  package var isCertain = false
  /// The sections after, as the log has them.
  package var after: LoggedSections?
  package var exception: LoggedException?
  package var exceptionLine: Int?
  /// Whether `controllerDidChangeContent` was called.
  package var isFinished = false
  /// Whether the log says that the app's delegate came back from it; nil if the log says that of
  /// no batch.
  package var hasReturned: Bool?
  /// Whether another batch came in the midst of it.
  package var enclosesBatch = false
  /// Whether the sections changed since the batch before, without a callback.
  package var followsSilentChange = false
  /// Whether the table could not follow an earlier batch, and was not reloaded since.
  package var tableIsBroken = false

  /// A callback about an object or a section, with its line.
  package struct Callback: Hashable, Sendable {
    package let line: Int
    package let change: Change

    package enum Change: Hashable, Sendable {
      case object(ObjectChange)
      case section(SectionChange)
    }
  }

  /// An operation of a table, with its line.
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
