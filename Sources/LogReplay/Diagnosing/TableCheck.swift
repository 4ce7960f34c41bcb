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
    if batch.isUpdating, batch.isFinished { return (batch.lastLine, .unfinishedUpdates, nil) }
    if operations.last?.operation == .reloadData { return nil }
    let performed = operations.map(\.operation)
    if before == nil || after == nil {
      return TableOutcome.error(of: performed, before: counts.before, after: counts.after).map {
        error in
        let found = blame
        return (found?.line ?? batch.lastLine, found?.cause ?? .clash(error), error)
      }
    }
    do throws(TableUpdateError) {
      let outcome = try TableOutcome(of: performed, before: counts.before, after: counts.after)
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

  /// - Complexity: O(*k* log *k*) for *k* callbacks and operations.
  private var blame: (line: Int, cause: LogMistake.Cause)? {
    var left = OperationsLeft(operations.filter { $0.operation != .reloadData })
    var waiting: [LogBatch.Callback] = []
    var unanswered: [LogBatch.Callback] = []
    let nextLines = Self.nextLines(batch.callbacks)
    for (callback, next) in zip(batch.callbacks, nextLines)
    where !left.take(Self.answers(callback), in: callback.line..<next) {
      waiting.append(callback)
    }
    // Apps may collect changes and perform them at the end.
    for callback in waiting where !left.take(Self.answers(callback), in: nil) {
      unanswered.append(callback)
    }
    let rest = left.rest
    if let found = Self.unansweredMove(unanswered, rest)
      ?? staleOperation(unanswered, rest, nextLines)
    {
      return found
    }
    if let callback = unanswered.first {
      let expected = Self.answers(callback).first ?? []
      return (callback.line, .missingOperation(callback, expected: expected))
    }
    guard let extra = rest.first else { return nil }
    if let first = left.carriedOut[extra.operation] {
      return (extra.line, .repeatedOperation(extra.operation, firstLine: first))
    }
    return (extra.line, .unaskedOperation(extra.operation))
  }

  /// Returns for each callback the line of the next one.
  private static func nextLines(_ callbacks: [LogBatch.Callback]) -> [Int] {
    var next = Int.max
    var last = Int.max
    return callbacks.reversed().map { callback in
      if callback.line < last { next = last }
      last = callback.line
      return next
    }.reversed()
  }

  /// Finds a move that was carried out as a reload.
  private static func unansweredMove(
    _ callbacks: [LogBatch.Callback], _ left: [LogBatch.Operation]
  ) -> (line: Int, cause: LogMistake.Cause)? {
    var reloads: [ResultsIndexPath: LogBatch.Operation] = [:]
    for operation in left {
      guard case .reloadRows(let path) = operation.operation, reloads[path] == nil else { continue }
      reloads[path] = operation
    }
    for callback in callbacks {
      guard case .object(let change) = callback.change, change.type == .move else { continue }
      let found = [change.old, change.new].compactMap { $0 }.compactMap { reloads[$0] }
      guard let operation = found.min(by: { $0.line < $1.line }) else { continue }
      return (operation.line, .reloadForMove(operation.operation, callback))
    }
    return nil
  }

  /// Finds an operation of the right kind after a callback that has another index path.
  private func staleOperation(
    _ callbacks: [LogBatch.Callback], _ left: [LogBatch.Operation], _ nextLines: [Int]
  ) -> (line: Int, cause: LogMistake.Cause)? {
    let next = Dictionary(zip(batch.callbacks.map(\.line), nextLines)) { first, _ in first }
    var start = 0
    for callback in callbacks {
      while start < left.count, left[start].line <= callback.line { start += 1 }
      let following = left[start...].prefix { $0.line < next[callback.line] ?? Int.max }
      for wanted in Self.answers(callback).joined() {
        for operation in following
        where operation.operation.name == wanted.name && operation.operation != wanted {
          return (
            operation.line, .staleOperation(operation.operation, expected: wanted, callback)
          )
        }
      }
    }
    return nil
  }
}

/// The operations of a batch that carry out no callback yet.
private struct OperationsLeft {
  private let operations: [LogBatch.Operation]
  private var isTaken: [Bool]
  private var places: [TableOperation: Places] = [:]

  /// The places of one operation, in order.
  private struct Places {
    var all: [Int] = []
    /// How many of them come before the lines that are looked at.
    var passed = 0
    /// How many of them, from the first one on, are taken.
    var taken = 0
  }

  /// The lines of operations that carry out a callback.
  private(set) var carriedOut: [TableOperation: Int] = [:]

  init(_ operations: [LogBatch.Operation]) {
    self.operations = operations
    isTaken = Array(repeating: false, count: operations.count)
    for (place, operation) in operations.enumerated() {
      places[operation.operation, default: Places()].all.append(place)
    }
  }

  var rest: [LogBatch.Operation] {
    zip(operations, isTaken).compactMap { $1 ? nil : $0 }
  }

  /// Takes the operations that carry out a callback.
  ///
  /// - Parameters:
  ///   - answers: The operations that can do it.
  ///   - lines: The lines to look at, which come after those of the last call; nil for all.
  /// - Returns: Whether there are such operations.
  mutating func take(_ answers: [[TableOperation]], in lines: Range<Int>?) -> Bool {
    for answer in answers {
      let found = answer.map { place(of: $0, in: lines) }
      guard !found.contains(nil) else { continue }
      for place in found.compactMap({ $0 }) {
        isTaken[place] = true
        carriedOut[operations[place].operation] = operations[place].line
      }
      return true
    }
    return false
  }

  private mutating func place(of operation: TableOperation, in lines: Range<Int>?) -> Int? {
    guard var found = places[operation] else { return nil }
    defer { places[operation] = found }
    guard let lines else {
      while found.taken < found.all.count, isTaken[found.all[found.taken]] { found.taken += 1 }
      return found.taken < found.all.count ? found.all[found.taken] : nil
    }
    while found.passed < found.all.count,
      isTaken[found.all[found.passed]]
        || operations[found.all[found.passed]].line < lines.lowerBound
    {
      found.passed += 1
    }
    guard found.passed < found.all.count,
      lines.contains(operations[found.all[found.passed]].line)
    else { return nil }
    return found.all[found.passed]
  }
}
