package import FetchedResults
package import TableViews

/// Something that a log shows to be wrong.
package struct LogMistake: Sendable {
  /// The line that shows it.
  package let line: Int
  package let controller: String
  package let cause: Cause
  /// The batch that it is in, by its place in the diagnosis; nil if it is in none.
  package let batch: Int?
  /// What the table raises because of it, if that can be told.
  package var consequence: TableUpdateError?

  package enum Cause: Sendable {
    // What the callbacks say
    /// A callback names a place where another row is, or none.
    case stale(ObjectChange, path: ResultsIndexPath, found: String?, actual: ResultsIndexPath?)
    /// A section callback names another section than it should.
    case staleSection(SectionChange, actual: Int?)
    /// A row came, went or moved, and no callback says so.
    case missing(object: String, from: ResultsIndexPath?, to: ResultsIndexPath?)
    case missingSection(FetchedResultsChangeType, index: Int, name: String)
    /// A section came or left, and no row came into it or left it.
    case emptySection(SectionChange)
    case `repeated`(LogBatch.Callback, firstLine: Int)
    /// A row moved, and the callback is an update.
    case moveAsUpdate(ObjectChange, from: ResultsIndexPath, to: ResultsIndexPath, isSection: Bool)
    case wrongPaths(ObjectChange)
    case outsideBatch(LogBatch.Callback)
    case unfinishedBatch
    /// The callbacks break the replay law in another way.
    case breach(ReplayBreach<String>)
    /// The callbacks do not lead from the numbers of rows before to those after.
    case numbers(TableUpdateError)

    // What the table was asked
    /// A callback was not performed.
    case missingOperation(LogBatch.Callback, expected: [TableOperation])
    /// An operation has another index path than its callback.
    case staleOperation(TableOperation, expected: TableOperation, LogBatch.Callback)
    case repeatedOperation(TableOperation, firstLine: Int)
    /// No callback asks for the operation.
    case unaskedOperation(TableOperation)
    case reloadForMove(TableOperation, LogBatch.Callback)
    case operationOutside(TableOperation)
    case unfinishedUpdates
    /// Operations that do not go together, though each one answers a callback.
    case clash(TableUpdateError)
    /// The table shows another object than its controller has there.
    case wrongRow(ResultsIndexPath, shown: String, actual: String)

    // What was raised
    /// Only the exception is known.
    case exception(LoggedException)
    /// The callbacks are right, and these reactions to them raise exactly what was raised.
    case reactions(LoggedException, [SuspectedReactions])
    /// The delegate never came back, so it raised something.
    case noReturn
  }
}

extension LogMistake {
  /// The names of mistakes, which tests and readers can rely on.
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
    case reaction
    case noReturn = "no-return"
  }

  package var kind: Kind {
    switch cause {
    case .stale: .staleIndexPath
    case .staleSection: .staleSection
    case .missing, .emptySection: .missingCallback
    case .missingSection: .missingSectionCallback
    case .repeated: .repeatedCallback
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
    case .exception: .exception
    case .reactions: .reaction
    case .noReturn: .noReturn
    }
  }
}
