package import FetchedResults

/// The cells that a table shows after a batch of updates, computed without a table.
package struct TableOutcome: Hashable, Sendable {
  /// The index path that each cell had before the batch, for each section and row after it; nil if
  /// the table requests a new cell from its data source.
  package let sources: [[ResultsIndexPath?]]

  /// Computes the result of a batch.
  ///
  /// - Parameters:
  ///   - operations: The operations between `beginUpdates` and `endUpdates`. A `reloadData` drops
  ///     those before it.
  ///   - before: The numbers of rows in the sections that the table shows.
  ///   - after: The numbers that its data source returns now; none is negative.
  /// - Throws: The first rule of UIKit that the batch breaks.
  /// - Complexity: O(*n* + *k* log *k*) for *n* rows and *k* operations.
  package init(
    of operations: [TableOperation], before: [Int], after: [Int]
  ) throws(TableUpdateError) {
    var update = TableUpdate()
    var before = before
    for operation in operations {
      update.record(operation)
      guard case .reloadData = operation else { continue }
      update = TableUpdate()
      before = after
    }
    let plan = try update.plan(before: before, after: after)
    guard !operations.contains(.reloadData) else {
      sources = after.map { Array(repeating: nil, count: $0) }
      return
    }
    sources = plan.sections.enumerated().map { index, section in
      switch section {
      case .inserted: Array(repeating: nil, count: after[index])
      case .kept(let old, nil):
        (0..<before[old]).map { ResultsIndexPath(section: old, row: $0) }
      case .kept(_, let edits?):
        edits.rows.map { row in
          switch row {
          case .inserted, .reloaded: nil
          case .moved(let path), .kept(let path): path
          }
        }
      }
    }
  }
}
