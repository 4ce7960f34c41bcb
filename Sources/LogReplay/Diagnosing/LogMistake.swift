package import FetchedResults
package import TableViews

/// A mistake that a log shows.
package struct LogMistake: Sendable {
  /// The line that shows it.
  package let line: Int
  package let controller: String
  package let cause: Cause
  /// The index of its batch in the diagnosis; nil if it is in none.
  package let batch: Int?
  /// The exception that the table raises because of it, if that is known.
  package var consequence: TableUpdateError?

  package enum Cause: Sendable {
    // Mistakes in callbacks
    /// A callback names a place with another row or no row.
    case stale(ObjectChange, path: ResultsIndexPath, found: String?, actual: ResultsIndexPath?)
    /// A section callback names the wrong section.
    case staleSection(SectionChange, actual: Int?)
    /// A row was inserted, deleted or moved without a callback.
    case missing(object: String, from: ResultsIndexPath?, to: ResultsIndexPath?)
    case missingSection(FetchedResultsChangeType, index: Int, name: String)
    /// A section was inserted or deleted, although no row was inserted into it or deleted from it.
    case emptySection(SectionChange)
    case `repeated`(LogBatch.Callback, firstLine: Int)
    /// Another callback already puts a row at the place.
    case samePlace(ObjectChange, ResultsIndexPath, firstLine: Int)
    /// A row moved, but the callback is an update.
    case moveAsUpdate(ObjectChange, from: ResultsIndexPath, to: ResultsIndexPath, isSection: Bool)
    case wrongPaths(ObjectChange)
    case outsideBatch(LogBatch.Callback)
    case unfinishedBatch
    /// The callbacks violate the replay law in another way.
    case breach(ReplayBreach<String>)
    /// Applied to the numbers of rows before, the callbacks do not give the numbers after.
    case numbers(TableUpdateError)

    // Mistakes in table operations
    /// No operation carries out a callback.
    case missingOperation(LogBatch.Callback, expected: [TableOperation])
    /// An operation has another index path than its callback.
    case staleOperation(TableOperation, expected: TableOperation, LogBatch.Callback)
    case repeatedOperation(TableOperation, firstLine: Int)
    /// No callback requires the operation.
    case unaskedOperation(TableOperation)
    case reloadForMove(TableOperation, LogBatch.Callback)
    case operationOutside(TableOperation)
    case unfinishedUpdates
    /// Operations that cannot be combined, although each one carries out a callback.
    case clash(TableUpdateError)
    /// The table shows another object than its controller has at the index path.
    case wrongRow(ResultsIndexPath, shown: String, actual: String)

    // Exceptions
    /// Only the exception is known.
    case exception(LoggedException)
    /// The callbacks are correct, and these reactions to them raise exactly the logged exception.
    case reactions(LoggedException, [SuspectedReactions])
    /// The delegate call never returned, so it raised an exception.
    case noReturn
  }
}

extension LogMistake.Cause {
  /// Whether something is missing that a line may have that was not understood.
  var isAbsence: Bool {
    switch self {
    case .missing, .missingSection, .emptySection, .moveAsUpdate, .breach, .numbers,
      .missingOperation, .unaskedOperation, .wrongRow, .clash, .unfinishedUpdates:
      true
    case .stale, .staleSection, .repeated, .samePlace, .wrongPaths, .outsideBatch,
      .unfinishedBatch, .staleOperation, .repeatedOperation, .reloadForMove, .operationOutside,
      .exception, .reactions, .noReturn:
      false
    }
  }
}

extension LogMistake {
  /// The names of mistakes, which do not change between versions.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case staleIndexPath = "stale-index-path"
    case staleSection = "stale-section"
    case missingCallback = "missing-callback"
    case missingSectionCallback = "missing-section-callback"
    case repeatedCallback = "repeated-callback"
    case moveAsUpdate = "move-as-update"
    case wrongPaths = "wrong-paths"
    case outsideBatch = "outside-batch"
    case unfinishedBatch = "unfinished-batch"
    case brokenReplay = "broken-replay"
    case wrongNumbers = "wrong-numbers"
    case missingOperation = "missing-operation"
    case missingSectionOperation = "missing-section-operation"
    case staleOperation = "stale-operation"
    case repeatedOperation = "repeated-operation"
    case unaskedOperation = "unasked-operation"
    case reloadForMove = "reload-for-move"
    case operationOutsideUpdates = "operation-outside-updates"
    case unfinishedUpdates = "unfinished-updates"
    case clashingOperations = "clashing-operations"
    case wrongRow = "wrong-row"
    case exception
    case warning
    case reaction
    case noReturn = "no-return"
  }

  package var kind: Kind {
    switch cause {
    case .stale: .staleIndexPath
    case .staleSection: .staleSection
    case .missing, .emptySection: .missingCallback
    case .missingSection: .missingSectionCallback
    case .repeated, .samePlace: .repeatedCallback
    case .moveAsUpdate: .moveAsUpdate
    case .wrongPaths: .wrongPaths
    case .outsideBatch: .outsideBatch
    case .unfinishedBatch: .unfinishedBatch
    case .breach: .brokenReplay
    case .numbers: .wrongNumbers
    case .missingOperation(let callback, _):
      if case .section = callback.change { .missingSectionOperation } else { .missingOperation }
    case .staleOperation: .staleOperation
    case .repeatedOperation: .repeatedOperation
    case .unaskedOperation: .unaskedOperation
    case .reloadForMove: .reloadForMove
    case .operationOutside: .operationOutsideUpdates
    case .unfinishedUpdates: .unfinishedUpdates
    case .clash: .clashingOperations
    case .wrongRow: .wrongRow
    case .exception(let exception): exception.isWarning ? .warning : .exception
    case .reactions: .reaction
    case .noReturn: .noReturn
    }
  }
}
