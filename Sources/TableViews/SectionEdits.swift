import FetchedResults

/// What a batch of updates does to the rows of a section that stays.
struct SectionEdits {
  /// The section's index before the batch.
  let section: Int
  /// The numbers of rows before and after the batch.
  let before: Int
  let after: Int
  /// The rows before the batch that are deleted or moved away.
  let leaving: Set<Int>
  /// The rows before the batch that are asked for again.
  let reloaded: Set<Int>
  /// Where the rows after the batch come from that did not stay.
  var entering: [Int: TableUpdatePlan.Row] = [:]

  /// How many rows come, go or are asked for again.
  var count: Int { leaving.count + reloaded.count + entering.count }

  /// Where each row after the batch comes from.
  ///
  /// - Complexity: O(*n*) in the rows.
  var rows: [TableUpdatePlan.Row] {
    var staying = (0..<before).lazy.filter { !leaving.contains($0) }.makeIterator()
    return (0..<after).map { row in
      if let source = entering[row] { return source }
      // The numbers add up, so a row stays for each place.
      let old = staying.next() ?? 0
      let path = ResultsIndexPath(section: section, row: old)
      return reloaded.contains(old) ? .reloaded(path) : .kept(path)
    }
  }

  /// The row that a row before the batch has after it, or the next one that stays; the number of
  /// rows if none does.
  ///
  /// - Complexity: O(*k* log *k*) in the edits.
  func newRow(ofOldRow old: Int) -> Int {
    var old = old
    while leaving.contains(old) { old += 1 }
    guard old < before else { return after }
    var row = old - leaving.count { $0 < old }
    for new in entering.keys.sorted() {
      if new > row { break }
      row += 1
    }
    return row
  }
}
