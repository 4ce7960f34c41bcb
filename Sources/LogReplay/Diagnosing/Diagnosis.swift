package import FetchedResults
package import TableViews

/// The result of analyzing a log: its batches, the mistakes in them, and what the log does not
/// show.
package struct Diagnosis: Sendable {
  package let log: DelegateLog
  package private(set) var batches: [LogBatch]
  package let controllers: [LoggedController]
  /// The mistakes in the order of their lines.
  package private(set) var mistakes: [LogMistake]
  /// The notes in the order of their lines.
  package private(set) var notes: [Note] = []

  /// A fact about the log that is not a mistake, with the line that shows it.
  package enum Note: Hashable, Sendable {
    /// The log does not list the sections before a batch, so only the callbacks themselves were
    /// checked.
    case unknownSections(batches: Int)
    /// The log gives more rows than names.
    case unnamedRows
    /// The log does not show where turns begin.
    case noBeginnings
    /// The log shows where other turns of the controller begin, but not this one.
    case noBeginning(line: Int)
    case endsInBatch(line: Int)
    /// The log ends after `controllerDidChangeContent`, which still has to call `endUpdates`.
    case endsInUpdates(line: Int)
    /// Reading stopped in the middle of a batch, because the log is longer than the limit.
    case stoppedInBatch(line: Int)
    /// Reading stopped in the middle of an exception's text.
    case stoppedInException(line: Int)
    case endsInPart
    /// A batch began in the middle of another one.
    case nested(line: Int)
    case silentChange(line: Int, controller: String)
    /// A move to its own index path, as iOS 9 sent it.
    case samePathMove(line: Int)
    /// Operations were not checked, because the table could not follow an earlier batch.
    case tableUnknown(line: Int)
    /// Callbacks or operations do not fit the sections that are known, but a fetch that is not in
    /// the log may have changed them.
    case doubtful(line: Int)
    /// A possible mistake that a line explains that was not understood.
    case unread(line: Int, unread: Int)
    /// The sections were not followed from a line on, because there are too many.
    case stopped(line: Int)
    /// The log has no table operations.
    case noOperations
  }

  /// What the log shows about its callbacks.
  package enum Verdict: Hashable, Sendable {
    /// The callbacks lead from the sections before to those after.
    case consistent
    /// The same, but the log ends in the middle of a batch.
    case consistentSoFar
    /// There is a mistake.
    case inconsistent
    /// There is no mistake in what was read, and the log does not say enough to be sure.
    case notEnough
  }

  /// How many batches were compared with their sections.
  private var comparedBatches = 0

  package var verdict: Verdict {
    guard mistakes.isEmpty else { return .inconsistent }
    var isCut = false
    for note in notes {
      switch note {
      case .unknownSections, .unnamedRows, .noBeginnings, .noBeginning, .nested, .doubtful, .unread,
        .stopped:
        return .notEnough
      case .endsInBatch, .endsInUpdates, .endsInPart, .stoppedInBatch, .stoppedInException:
        isCut = true
      case .silentChange, .samePathMove, .tableUnknown, .noOperations: break
      }
    }
    guard comparedBatches > 0, log.stop == nil,
      !batches.contains(where: { !$0.unreadLines.isEmpty })
    else { return .notEnough }
    return isCut ? .consistentSoFar : .consistent
  }

  /// Analyzes a log.
  ///
  /// - Complexity: O(*b* · *n* + *k* log *k*) for *b* batches with their sections of *n* rows, and
  ///   *k* callbacks.
  package init(_ log: DelegateLog) {
    self.log = log
    let builder = BatchBuilder(log)
    batches = builder.batches
    controllers = builder.controllers
    mistakes = builder.mistakes
    let isPartial = Set(batches.indices.filter { !Self.hasBeginning(batches[$0], in: log) })
    let isCut = log.stop == nil ? [] : Self.last(of: batches)
    // Followed sections need more memory than the lines of the log.
    var examiner = BatchExaminer(
      builder.listings, openLine: log.openLine, following: log.limit / 4)
    let skipped = Self.neighbours(of: builder.mistakes, among: batches)
    for index in batches.indices {
      let found = examiner.examine(
        &batches[index], at: index, isPartial: isPartial.contains(index),
        isSkipped: skipped.contains(index), isCut: isCut.contains(index))
      mistakes += found
    }
    comparedBatches = examiner.comparedBatches
    examineExceptions(strays: builder.strayExceptions)
    addMissingReturns(isCut)
    mistakes.sort { $0.line < $1.line }
    addNotes(examiner, builder, isPartial)
  }

  private static func hasBeginning(_ batch: LogBatch, in log: DelegateLog) -> Bool {
    // Entries are in the order of their lines.
    var low = 0
    var high = log.entries.count
    while low < high {
      let middle = (low + high) / 2
      if log.entries[middle].line < batch.firstLine { low = middle + 1 } else { high = middle }
    }
    guard low < log.entries.count else { return false }
    if case .willChange = log.entries[low].event { return true }
    return false
  }

  /// Returns the batches next to those with mistakes, in which a callback may be missing because it
  /// was sent outside of the batch.
  private static func neighbours(of mistakes: [LogMistake], among batches: [LogBatch]) -> Set<Int> {
    var places: Set<Int> = []
    var outside: Set<Int> = []
    for mistake in mistakes {
      guard let batch = mistake.batch else { continue }
      places.insert(batch)
      if mistake.kind == .outsideBatch { outside.insert(batch) }
    }
    // The next batch of the same controller.
    var last: [String: Int] = [:]
    for (place, batch) in batches.enumerated() {
      if let earlier = last.updateValue(place, forKey: batch.controller), outside.contains(earlier)
      {
        places.insert(place)
      }
    }
    return places
  }

  /// Returns the last batch of each controller, of which more may follow in an unread part.
  private static func last(of batches: [LogBatch]) -> Set<Int> {
    var last: [String: Int] = [:]
    for (place, batch) in batches.enumerated() { last[batch.controller] = place }
    return Set(last.values)
  }

  /// Explains each exception, with a mistake of its batch if there is one.
  private mutating func examineExceptions(
    strays: [(line: Int, exception: LoggedException)]
  ) {
    let explained = Set(mistakes.compactMap(\.batch))
    var work = 0
    for (index, batch) in batches.enumerated() where !explained.contains(index) {
      guard let exception = batch.exception, let line = batch.exceptionLine else { continue }
      let cause =
        work <= Self.mostWork ? cause(of: exception, in: batch, &work) : .exception(exception)
      mistakes.append(
        LogMistake(line: line, controller: batch.controller, cause: cause, batch: index))
    }
    for (line, exception) in strays {
      mistakes.append(
        LogMistake(
          line: line, controller: CallbackGrammar.unnamed, cause: .exception(exception), batch: nil)
      )
    }
  }

  /// For how many sections and callbacks reactions are searched that raise the exceptions.
  ///
  /// A search takes long, and only the first mistakes are described.
  private static let mostWork = 50_000

  private func cause(
    of exception: LoggedException, in batch: LogBatch, _ work: inout Int
  ) -> LogMistake.Cause {
    guard let error = exception.error, !batch.callbacks.isEmpty,
      !batch.enclosesBatch, batch.unreadLines.isEmpty,
      let counts = BatchExaminer.counts(of: batch, error)
    else { return .exception(exception) }
    work += counts.before.count + counts.after.count + batch.callbacks.count
    let suspects = ReactionSearch.reactions(to: batch.callbacks, counts, raising: error)
    return suspects.isEmpty ? .exception(exception) : .reactions(exception, suspects)
  }

  /// If the log continues but a delegate call never returned, it raised an exception.
  ///
  /// - Parameter cut: The batches of which a part was not read.
  private mutating func addMissingReturns(_ cut: Set<Int>) {
    let explained = Set(mistakes.compactMap(\.batch))
    for (index, batch) in batches.enumerated().dropLast()
    where !cut.contains(index) && batch.hasReturned == false && batch.exception == nil
      && !explained.contains(index)
    {
      mistakes.append(
        LogMistake(
          line: batch.lastLine, controller: batch.controller, cause: .noReturn, batch: index))
    }
  }

  private mutating func addNotes(
    _ examiner: BatchExaminer, _ builder: BatchBuilder, _ isPartial: Set<Int>
  ) {
    let begun = Set(
      batches.indices.filter { !isPartial.contains($0) }.map { batches[$0].controller })
    let partial = isPartial.sorted().map { batches[$0] }
    if partial.contains(where: { !begun.contains($0.controller) }) { notes.append(.noBeginnings) }
    for batch in partial where begun.contains(batch.controller) {
      notes.append(.noBeginning(line: batch.firstLine))
    }
    if examiner.unknownBatches > 0 {
      notes.append(.unknownSections(batches: examiner.unknownBatches))
    }
    if examiner.hasUnnamedRows { notes.append(.unnamedRows) }
    for batch in batches {
      if batch.endsInUpdates { notes.append(.endsInUpdates(line: batch.lastLine)) }
      if batch.enclosesBatch { notes.append(.nested(line: batch.firstLine)) }
      if batch.followsSilentChange {
        notes.append(.silentChange(line: batch.firstLine, controller: batch.controller))
      }
      for (line, change) in batch.objectChanges
      where change.type == .move && change.old == change.new && batch.sectionChanges.isEmpty {
        notes.append(.samePathMove(line: line))
      }
    }
    if let line = examiner.stoppedLine { notes.append(.stopped(line: line)) }
    notes += examiner.doubtful.map { .doubtful(line: $0) }
    notes += examiner.unread.map { .unread(line: $0.line, unread: $0.unread) }
    notes += examiner.unknownTables.map { .tableUnknown(line: $0) }
    if builder.endsInBatch, let last = batches.last, !batches.isEmpty,
      !isPartial.contains(batches.count - 1)
    {
      let line = last.lastLine
      notes.append(log.stop == nil ? .endsInBatch(line: line) : .stoppedInBatch(line: line))
    }
    if let line = log.stop?.exceptionLine { notes.append(.stoppedInException(line: line)) }
    if log.endsInPart { notes.append(.endsInPart) }
    if mistakes.isEmpty, !batches.isEmpty, !batches.contains(where: { !$0.operations.isEmpty }) {
      notes.append(.noOperations)
    }
  }
}

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
