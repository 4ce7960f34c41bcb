package import FetchedResults

/// Which cells a table shows after a batch of updates, worked out without a table.
package struct TableOutcome: Hashable, Sendable {
  /// For each section and row after the batch, the index path that the cell had before; nil if
  /// the table asks its data source for the cell again.
  package let sources: [[ResultsIndexPath?]]

  /// Works out a batch.
  ///
  /// - Parameters:
  ///   - operations: What the table was asked between `beginUpdates` and `endUpdates`. A
  ///     `reloadData` forgets what came before it.
  ///   - before: The numbers of rows in the sections that the table shows.
  ///   - after: Those that its data source gives now; none is negative.
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
      case .kept(_, let rows?):
        rows.map { row in
          switch row {
          case .inserted, .reloaded: nil
          case .moved(let path), .kept(let path): path
          }
        }
      }
    }
  }
}
