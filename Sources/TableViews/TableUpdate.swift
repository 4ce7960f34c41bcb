import Basics
package import FetchedResults

/// The operations that a table has recorded since `beginUpdates`.
///
/// Repeated operations count once. A reload is a delete and an insert, and the new cell is where
/// the table finds the row after the batch.
struct TableUpdate {
  private(set) var deletedRows: Set<ResultsIndexPath> = []
  private(set) var reloadedRows: Set<ResultsIndexPath> = []
  private(set) var insertedRows: Set<ResultsIndexPath> = []
  private(set) var moves: [Move] = []
  private(set) var deletedSections: Set<Int> = []
  private(set) var insertedSections: Set<Int> = []

  struct Move {
    let from: ResultsIndexPath
    let to: ResultsIndexPath
  }

  /// The number of different operations.
  var count: Int {
    deletedRows.count + reloadedRows.count + insertedRows.count + moves.count
      + deletedSections.count + insertedSections.count
  }

  /// Records an operation that is performed at the end of the batch.
  ///
  /// Others are ignored.
  mutating func record(_ operation: TableOperation) {
    switch operation {
    case .deleteRows(let path): deletedRows.insert(path)
    case .reloadRows(let path): reloadedRows.insert(path)
    case .insertRows(let path): insertedRows.insert(path)
    case .moveRow(let from, let to): moves.append(Move(from: from, to: to))
    case .deleteSections(let section): deletedSections.insert(section)
    case .insertSections(let section): insertedSections.insert(section)
    case .beginUpdates, .endUpdates, .configureCell, .reloadData: break
    }
  }
}

/// The origin of each section and row after a batch.
struct TableUpdatePlan {
  /// The sections after the batch.
  var sections: [Section] = []

  enum Section {
    /// A section that is loaded from the data source.
    case inserted
    /// A section that stays, by its index before the batch, and what happens to its rows; nil if
    /// all are as they were.
    case kept(Int, edits: SectionEdits?)
  }

  enum Row {
    /// A row that is loaded from the data source.
    case inserted
    case reloaded(ResultsIndexPath)
    case moved(ResultsIndexPath)
    case kept(ResultsIndexPath)
  }
}

extension TableUpdate {
  /// Decides the result of a batch by UIKit's rules.
  ///
  /// Deletes and reloads use indices before the batch, and inserts use indices after it, whatever
  /// the order of the calls. The rows of a deleted section are deleted, and those of an inserted
  /// section are inserted. Then the numbers must add up.
  ///
  /// If several rules are broken, the first in this order is reported: what was there before, what
  /// is there after, the number of sections, the number of rows in each section. Within each, the
  /// lowest index path is reported.
  ///
  /// - Parameters:
  ///   - before: The numbers of rows that the table shows.
  ///   - after: Those that its data source gives now.
  /// - Complexity: O(*s* + *k* log *k*) for *s* sections and *k* operations.
  func plan(before: [Int], after: [Int]) throws(TableUpdateError) -> TableUpdatePlan {
    try checkSections(deletedSections, before.count) { .deletedSectionMissing($0, sections: $1) }
    try checkRowsBefore(before)
    try checkMovesBefore(before)
    try checkSections(insertedSections, after.count) { .insertedSectionMissing($0, sections: $1) }
    try checkRowsAfter(after)
    try checkMovesAfter(after)
    guard before.count + insertedSections.count - deletedSections.count == after.count else {
      throw .numberOfSections(
        before: before.count, after: after.count, inserted: insertedSections.count,
        deleted: deletedSections.count)
    }
    let kept = keptSections(before: before.count, after: after.count)
    try checkNumbers(kept, before: before, after: after)
    return plan(kept, before: before, after: after)
  }

  // MARK: Each operation by itself

  private func checkSections(
    _ sections: Set<Int>, _ count: Int, _ problem: (Int, Int) -> TableUpdateError
  ) throws(TableUpdateError) {
    if let missing = sections.filter({ $0 < 0 || $0 >= count }).min() {
      throw problem(missing, count)
    }
  }

  /// Checks deletes, and reloads, which count as deletes here.
  private func checkRowsBefore(_ before: [Int]) throws(TableUpdateError) {
    for path in deletedRows.union(reloadedRows).sorted() {
      guard before.indices.contains(path.section) else {
        throw .deletedRowWithoutSection(path, sections: before.count)
      }
      guard path.row >= 0, path.row < before[path.section] else {
        throw .deletedRowMissing(path, rows: before[path.section])
      }
      if deletedRows.contains(path), reloadedRows.contains(path) {
        throw .deletedAndReloaded(path)
      }
    }
  }

  private func checkMovesBefore(_ before: [Int]) throws(TableUpdateError) {
    var targets: [ResultsIndexPath: ResultsIndexPath] = [:]
    for move in moves {
      let path = move.from
      guard before.indices.contains(path.section) else {
        throw .movedRowWithoutSection(path, sections: before.count)
      }
      guard path.row >= 0, path.row < before[path.section] else {
        throw .movedRowMissing(path, rows: before[path.section])
      }
      if deletedSections.contains(path.section) { throw .movedFromDeletedSection(path.section) }
      if deletedRows.contains(path) || reloadedRows.contains(path) { throw .deletedAndMoved(path) }
      if let first = targets.updateValue(move.to, forKey: path) {
        throw .movedTwice(path, to: first, and: move.to)
      }
    }
  }

  private func checkRowsAfter(_ after: [Int]) throws(TableUpdateError) {
    for path in insertedRows.sorted() {
      guard after.indices.contains(path.section) else {
        throw .insertedRowWithoutSection(path, sections: after.count)
      }
      guard path.row >= 0, path.row < after[path.section] else {
        throw .insertedRowMissing(path, rows: after[path.section])
      }
    }
  }

  private func checkMovesAfter(_ after: [Int]) throws(TableUpdateError) {
    var sources: [ResultsIndexPath: ResultsIndexPath] = [:]
    for move in moves {
      let path = move.to
      if insertedRows.contains(path) { throw .insertedAndMoved(path) }
      guard after.indices.contains(path.section) else {
        throw .moveTargetWithoutSection(from: move.from, to: path, sections: after.count)
      }
      guard path.row >= 0, path.row < after[path.section] else {
        throw .moveTargetMissing(from: move.from, to: path, rows: after[path.section])
      }
      if insertedSections.contains(path.section) { throw .movedIntoInsertedSection(path.section) }
      if let first = sources.updateValue(move.from, forKey: path) {
        throw .movedToOneRow(first, and: move.from, to: path)
      }
    }
  }

  // MARK: All together

  /// Returns the sections that stay, as pairs of old and new indices.
  private func keptSections(before: Int, after: Int) -> [(old: Int, new: Int)] {
    let old = (0..<before).filter { !deletedSections.contains($0) }
    let new = (0..<after).filter { !insertedSections.contains($0) }
    return zip(old, new).map { (old: $0, new: $1) }
  }

  private func checkNumbers(
    _ kept: [(old: Int, new: Int)], before: [Int], after: [Int]
  ) throws(TableUpdateError) {
    var counts = kept.map {
      TableUpdateError.RowCounts(before: before[$0.old], after: after[$0.new])
    }
    let byOld = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.old, $0) })
    let byNew = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.new, $0) })
    for path in deletedRows { if let place = byOld[path.section] { counts[place].deleted += 1 } }
    for path in insertedRows { if let place = byNew[path.section] { counts[place].inserted += 1 } }
    for path in reloadedRows {
      guard let place = byOld[path.section] else { continue }
      counts[place].deleted += 1
      counts[place].inserted += 1
    }
    for move in moves {
      if let place = byOld[move.from.section] { counts[place].movedOut += 1 }
      if let place = byNew[move.to.section] { counts[place].movedIn += 1 }
    }
    if let place = counts.firstIndex(where: { !$0.addUp }) {
      throw .numberOfRows(section: kept[place].old, counts[place])
    }
  }

  private func plan(
    _ kept: [(old: Int, new: Int)], before: [Int], after: [Int]
  ) -> TableUpdatePlan {
    let leaving = Dictionary(
      grouping: Array(deletedRows) + moves.map(\.from), by: \.section
    ).mapValues { Set($0.map(\.row)) }
    let reloaded = Dictionary(grouping: reloadedRows, by: \.section)
      .mapValues { Set($0.map(\.row)) }
    let entering = Dictionary(grouping: insertedRows, by: \.section)
    let movedIn = Dictionary(grouping: moves, by: \.to.section)
    var plan = TableUpdatePlan(sections: Array(repeating: .inserted, count: after.count))
    for (old, new) in kept {
      let isTouched =
        leaving[old] != nil || reloaded[old] != nil || entering[new] != nil
        || movedIn[new] != nil
      guard isTouched else {
        plan.sections[new] = .kept(old, edits: nil)
        continue
      }
      var edits = SectionEdits(
        section: old, before: before[old], after: after[new], leaving: leaving[old] ?? [],
        reloaded: reloaded[old] ?? [])
      for path in entering[new] ?? [] { edits.entering[path.row] = .inserted }
      for move in movedIn[new] ?? [] { edits.entering[move.to.row] = .moved(move.from) }
      plan.sections[new] = .kept(old, edits: edits)
    }
    return plan
  }
}

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

/// What the last turn that changed a table did to a row.
package enum TableRowMark: String, Hashable, Sendable, CaseIterable {
  case inserted
  case deleted
  case moved
  case updated
}

/// A row that a table shows.
package struct TableCell<Content> {
  /// The content that the cell was configured with.
  package internal(set) var content: Content
  /// What happened to it since marks were last cleared.
  package internal(set) var mark: TableRowMark?
}

/// A row that the last turn deleted, with its place.
package struct DeletedCell<Content> {
  package let content: Content
  /// Its index path before the batch that deleted it.
  package let indexPath: ResultsIndexPath
  /// The row in its section before which it would be now.
  package internal(set) var nextRow: Int
}

/// A section that a table shows.
package struct TableSection<Content> {
  /// The header; nil for none.
  package internal(set) var title: String?
  package internal(set) var cells: CellBlocks<Content>
  /// The rows that the last turn deleted, in order.
  package internal(set) var deleted: [DeletedCell<Content>] = []
  package internal(set) var isInserted = false
  /// The rows whose cells have a mark; nil if any may have one.
  var markedRows: [Int]? = []

  init(title: String?, cells: some Sequence<TableCell<Content>>) {
    self.title = title
    self.cells = CellBlocks(cells)
  }
}

/// A section that the last turn deleted, with its place.
package struct DeletedSection<Content> {
  package let section: TableSection<Content>
  /// The section before which it would be now.
  package internal(set) var nextSection: Int
}

extension TableSection {
  /// Clears the marks of the last turn.
  mutating func forgetMarks() {
    deleted = []
    isInserted = false
    if let markedRows {
      for row in markedRows { cells[row].mark = nil }
    } else {
      for row in cells.indices where cells[row].mark != nil { cells[row].mark = nil }
    }
    markedRows = []
  }

  /// Returns the section as a deleted one, with all its rows deleted.
  func taken(from index: Int) -> TableSection {
    var gone = self
    gone.cells = CellBlocks([])
    gone.deleted = rowsAndDeleted(in: index, deleting: Set(cells.indices))
    for place in gone.deleted.indices { gone.deleted[place].nextRow = 0 }
    return gone
  }

  /// Returns the earlier deleted rows together with newly deleted ones, in order.
  ///
  /// Their `nextRow` still counts the rows before the batch.
  func rowsAndDeleted(in index: Int, deleting rows: Set<Int>) -> [DeletedCell<Content>] {
    guard !rows.isEmpty else { return deleted }
    let now = rows.sorted().map { row in
      DeletedCell(
        content: cells[row].content, indexPath: ResultsIndexPath(section: index, row: row),
        nextRow: row)
    }
    // Of two deleted rows at one place, the one that was deleted earlier comes first.
    var merged: [DeletedCell<Content>] = []
    var earlier = deleted[...]
    for cell in now {
      let before = earlier.prefix { $0.nextRow <= cell.nextRow }
      merged += before
      earlier = earlier.dropFirst(before.count)
      merged.append(cell)
    }
    return merged + earlier
  }
}

/// The cells of a section, in blocks.
///
/// A row that comes or goes moves the cells of one block only. With one array, *n* turns about a
/// section of *n* rows would move *n*² cells.
package struct CellBlocks<Content> {
  package typealias Element = TableCell<Content>

  private static var blockSize: Int { 512 }

  private var blocks: [[Element]] = []
  /// The row of each block's first cell.
  private var starts: [Int] = []
  package private(set) var count = 0

  init(_ cells: some Sequence<Element>) {
    var block: [Element] = []
    for cell in cells {
      if block.count == Self.blockSize {
        append(block)
        block = []
      }
      block.append(cell)
    }
    if !block.isEmpty { append(block) }
  }

  private mutating func append(_ block: [Element]) {
    starts.append(count)
    blocks.append(block)
    count += block.count
  }

  /// Inserts a cell before a row, or after the last.
  ///
  /// - Complexity: O(1) in the rows of the section, besides the list of blocks.
  mutating func insert(_ cell: Element, at row: Int) {
    guard !blocks.isEmpty else { return append([cell]) }
    let block = block(of: row)
    blocks[block].insert(cell, at: row - starts[block])
    shift(after: block, by: 1)
    guard blocks[block].count > 2 * Self.blockSize else { return }
    let rest = Array(blocks[block][Self.blockSize...])
    blocks[block].removeSubrange(Self.blockSize...)
    blocks.insert(rest, at: block + 1)
    starts.insert(starts[block] + Self.blockSize, at: block + 1)
  }

  /// Removes the cell of a row.
  ///
  /// - Complexity: O(1) in the rows of the section, besides the list of blocks.
  mutating func remove(at row: Int) {
    let block = block(of: row)
    blocks[block].remove(at: row - starts[block])
    shift(after: block, by: -1)
    guard blocks[block].isEmpty else { return }
    blocks.remove(at: block)
    starts.remove(at: block)
  }

  private mutating func shift(after block: Int, by difference: Int) {
    count += difference
    for later in starts.indices.dropFirst(block + 1) { starts[later] += difference }
  }

  /// The last block that begins at a row or before it.
  private func block(of row: Int) -> Int { starts.partitioningIndex { $0 > row } - 1 }
}

extension CellBlocks: RandomAccessCollection, MutableCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(row: Int) -> Element {
    get {
      let block = block(of: row)
      return blocks[block][row - starts[block]]
    }
    _modify {
      let block = block(of: row)
      yield &blocks[block][row - starts[block]]
    }
  }

  package func makeIterator() -> FlattenSequence<[[Element]]>.Iterator {
    blocks.joined().makeIterator()
  }
}
