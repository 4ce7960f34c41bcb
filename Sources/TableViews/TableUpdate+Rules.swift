import FetchedResults

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
