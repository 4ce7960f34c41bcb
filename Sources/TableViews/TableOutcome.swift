package import FetchedResults

/// The cells that a table shows after a batch of updates, computed without a table.
package struct TableOutcome: Hashable, Sendable {
  /// The index path that each cell had before the batch, for each section and row after it; nil if
  /// the table requests a new cell from its data source.
  package let sources: [[ResultsIndexPath?]]

  /// Returns the first rule of UIKit that a batch breaks; nil if it breaks none.
  ///
  /// - Complexity: O(*s* + *k* log *k*) for *s* sections and *k* operations, whatever the numbers
  ///   of rows.
  package static func error(
    of operations: [TableOperation], before: [Int], after: [Int]
  ) -> TableUpdateError? {
    do throws(TableUpdateError) {
      _ = try plan(of: operations, before: before, after: after)
      return nil
    } catch {
      return error
    }
  }

  private static func plan(
    of operations: [TableOperation], before: [Int], after: [Int]
  ) throws(TableUpdateError) -> TableUpdatePlan {
    var update = TableUpdate()
    var before = before
    for operation in operations {
      update.record(operation)
      guard case .reloadData = operation else { continue }
      update = TableUpdate()
      before = after
    }
    return try update.plan(before: before, after: after)
  }

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
    let plan = try Self.plan(of: operations, before: before, after: after)
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
