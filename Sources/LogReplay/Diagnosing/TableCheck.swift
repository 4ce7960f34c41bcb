import FetchedResults
import TableViews

/// Compares the operations of a table with the callbacks of their batch.
///
/// UIKit's rules, and the objects that the table then shows, decide whether there is a mistake.
/// Only then is the operation determined that caused it.
struct TableCheck {
  private let batch: LogBatch
  private let counts: CountedSections
  private let before: [ReplayLaw<String>.Section]?
  private let after: [ReplayLaw<String>.Section]?
  /// The operations of the batch that UIKit performs at its end.
  private let operations: [LogBatch.Operation]

  init(
    _ batch: LogBatch, _ counts: CountedSections, before: [ReplayLaw<String>.Section]?,
    after: [ReplayLaw<String>.Section]?
  ) {
    self.batch = batch
    self.counts = counts
    self.before = before
    self.after = after
    operations = batch.operations.filter { operation in
      switch operation.operation {
      case .beginUpdates, .endUpdates, .configureCell: false
      case .insertRows, .deleteRows, .reloadRows, .moveRow, .insertSections, .deleteSections,
        .reloadData:
        true
      }
    }
  }

  /// A mistake, with the exception that it causes, if any.
  typealias Finding = (line: Int, cause: LogMistake.Cause, consequence: TableUpdateError?)

  /// The first mistake; nil if the table shows its controller's sections.
  ///
  /// - Complexity: O(*n* + *k* log *k*) for *n* rows and *k* operations.
  var finding: Finding? {
    if let stray { return (stray.line, .operationOutside(stray.operation), nil) }
    if isUnfinished { return (batch.lastLine, .unfinishedUpdates, nil) }
    if operations.last?.operation == .reloadData { return nil }
    do throws(TableUpdateError) {
      let outcome = try TableOutcome(
        of: operations.map(\.operation), before: counts.before, after: counts.after)
      guard let wrong = wrongRow(outcome) else { return nil }
      let found = blame
      return (
        found?.line ?? batch.lastLine,
        found?.cause ?? .wrongRow(wrong.path, shown: wrong.shown, actual: wrong.actual), nil
      )
    } catch {
      let found = blame
      return (found?.line ?? batch.lastLine, found?.cause ?? .clash(error), error)
    }
  }

  /// The first operation that is not between `beginUpdates` and `endUpdates`, if the log has these
  /// calls.
  private var stray: LogBatch.Operation? {
    guard batch.operations.contains(where: { $0.operation == .beginUpdates }) else { return nil }
    var depth = 0
    for operation in batch.operations {
      switch operation.operation {
      case .beginUpdates: depth += 1
      case .endUpdates: depth -= 1
      case .insertRows, .deleteRows, .reloadRows, .moveRow, .insertSections, .deleteSections:
        if depth < 1 { return operation }
      case .configureCell, .reloadData: break
      }
    }
    return nil
  }

  private var isUnfinished: Bool {
    let begins = batch.operations.count { $0.operation == .beginUpdates }
    let ends = batch.operations.count { $0.operation == .endUpdates }
    return begins > ends && batch.isFinished
  }

  private func wrongRow(
    _ outcome: TableOutcome
  ) -> (path: ResultsIndexPath, shown: String, actual: String)? {
    guard let before, let after else { return nil }
    for (section, rows) in outcome.sources.enumerated() {
      for (row, source) in rows.enumerated() {
        guard let source else { continue }
        let shown = before[source.section].rows[source.row]
        let actual = after[section].rows[row]
        if shown != actual {
          return (ResultsIndexPath(section: section, row: row), shown, actual)
        }
      }
    }
    return nil
  }

  // MARK: Which operation is to blame

  /// Returns the operations that can carry out a callback.
  private static func answers(_ callback: LogBatch.Callback) -> [[TableOperation]] {
    switch callback.change {
    case .section(let change):
      switch change.type {
      case .insert: [[.insertSections(change.index)]]
      case .delete: [[.deleteSections(change.index)]]
      case .move, .update: [[]]
      }
    case .object(let change):
      switch (change.type, change.old, change.new) {
      case (.insert, _, let new?): [[.insertRows(new)]]
      case (.delete, let old?, _): [[.deleteRows(old)]]
      case (.move, let old?, let new?):
        [[.deleteRows(old), .insertRows(new)], [.moveRow(old, to: new)]]
      case (.update, let old?, let new):
        [[.reloadRows(old)], [], [.deleteRows(old), .insertRows(new ?? old)]]
      case (.insert, _, nil), (.delete, nil, _), (.move, _, _), (.update, nil, _): [[]]
      }
    }
  }

  private var blame: (line: Int, cause: LogMistake.Cause)? {
    var left = operations.filter { $0.operation != .reloadData }
    var carriedOut: [TableOperation: Int] = [:]
    var waiting: [LogBatch.Callback] = []
    var unanswered: [LogBatch.Callback] = []
    for callback in batch.callbacks {
      let next = batch.callbacks.first { $0.line > callback.line }?.line ?? Int.max
      if !Self.take(callback, callback.line..<next, from: &left, &carriedOut) {
        waiting.append(callback)
      }
    }
    // Apps may collect changes and perform them at the end.
    for callback in waiting where !Self.take(callback, 0..<Int.max, from: &left, &carriedOut) {
      unanswered.append(callback)
    }
    if let found = unansweredMove(unanswered, left) ?? staleOperation(unanswered, left) {
      return found
    }
    if let callback = unanswered.first {
      let expected = Self.answers(callback).first ?? []
      return (callback.line, .missingOperation(callback, expected: expected))
    }
    guard let extra = left.first else { return nil }
    if let first = carriedOut[extra.operation] {
      return (extra.line, .repeatedOperation(extra.operation, firstLine: first))
    }
    return (extra.line, .unaskedOperation(extra.operation))
  }

  /// Removes the operations that carry out a callback.
  ///
  /// - Returns: Whether there are such operations in the lines.
  private static func take(
    _ callback: LogBatch.Callback, _ lines: Range<Int>, from left: inout [LogBatch.Operation],
    _ carriedOut: inout [TableOperation: Int]
  ) -> Bool {
    for answer in answers(callback) {
      let places = answer.map { wanted in
        left.firstIndex { $0.operation == wanted && lines.contains($0.line) }
      }
      guard !places.contains(nil) else { continue }
      for place in places.compactMap({ $0 }).sorted(by: >) {
        carriedOut[left[place].operation] = left[place].line
        left.remove(at: place)
      }
      return true
    }
    return false
  }

  /// Finds a move that was carried out as a reload.
  private func unansweredMove(
    _ callbacks: [LogBatch.Callback], _ left: [LogBatch.Operation]
  ) -> (line: Int, cause: LogMistake.Cause)? {
    for callback in callbacks {
      guard case .object(let change) = callback.change, change.type == .move else { continue }
      for operation in left {
        guard case .reloadRows(let path) = operation.operation,
          path == change.old || path == change.new
        else { continue }
        return (operation.line, .reloadForMove(operation.operation, callback))
      }
    }
    return nil
  }

  /// Finds an operation of the right kind after a callback that has another index path.
  private func staleOperation(
    _ callbacks: [LogBatch.Callback], _ left: [LogBatch.Operation]
  ) -> (line: Int, cause: LogMistake.Cause)? {
    for callback in callbacks {
      let next = batch.callbacks.first { $0.line > callback.line }?.line ?? Int.max
      for wanted in Self.answers(callback).joined() {
        for operation in left
        where operation.operation.name == wanted.name && operation.operation != wanted
          && operation.line > callback.line && operation.line < next
        {
          return (
            operation.line, .staleOperation(operation.operation, expected: wanted, callback)
          )
        }
      }
    }
    return nil
  }
}
