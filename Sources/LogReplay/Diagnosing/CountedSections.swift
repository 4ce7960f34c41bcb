import FetchedResults
import TableViews

/// The numbers of rows in sections, before and after a batch.
struct CountedSections: Hashable {
  var before: [Int]
  var after: [Int]

  /// Returns the numbers after callbacks; nil if they delete rows or sections that do not exist.
  static func counts(after callbacks: [LogBatch.Callback], from before: [Int]) -> [Int]? {
    var counts = before
    var coming: [Int: Int] = [:]
    /// The sections of rows that only changed.
    var staying: Set<Int> = []
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for callback in callbacks {
      switch callback.change {
      case .object(let change):
        if let old = change.old, change.type == .delete || change.type == .move {
          guard counts.indices.contains(old.section) else { return nil }
          counts[old.section] -= 1
        }
        if let new = change.new, change.type == .insert || change.type == .move {
          coming[new.section, default: 0] += 1
        } else if let new = change.new {
          staying.insert(new.section)
        }
      case .section(let change):
        if change.type == .delete { removed.insert(change.index) }
        if change.type == .insert { inserted.insert(change.index) }
      }
    }
    guard removed.allSatisfy(counts.indices.contains) else { return nil }
    var rest = counts.indices.filter { !removed.contains($0) }.map { counts[$0] }[...]
    let count = rest.count + inserted.count
    guard inserted.allSatisfy({ 0..<count ~= $0 }), coming.keys.allSatisfy({ 0..<count ~= $0 }),
      staying.allSatisfy({ 0..<count ~= $0 })
    else { return nil }
    var after: [Int] = []
    for index in 0..<count {
      after.append((inserted.contains(index) ? 0 : rest.removeFirst()) + (coming[index] ?? 0))
    }
    return after.allSatisfy { $0 >= 0 } ? after : nil
  }

  /// The largest number of rows or sections to assume if the log does not list them.
  private static let most = 10_000

  /// Returns the smallest numbers of sections and rows that fit the callbacks and an exception.
  ///
  /// - Returns: Nil if no numbers below the limit fit.
  static func implied(
    by callbacks: [LogBatch.Callback], _ error: TableUpdateError?
  ) -> CountedSections? {
    var before = leastBefore(callbacks)
    var fixed: Set<Int> = []
    if let error { fit(&before, &fixed, to: error) }
    guard before.count <= most, before.allSatisfy({ $0 <= most }) else { return nil }
    for _ in 0..<200 {
      guard let after = counts(after: callbacks, from: before) else {
        guard grow(&before) else { return nil }
        continue
      }
      let kept = KeptSections(callbacks, count: before.count)
      let wanted = shortSection(callbacks, after).map { [$0] } ?? emptySections(kept, before, after)
      guard !wanted.isEmpty else { return CountedSections(before: before, after: after) }
      for short in wanted {
        guard let old = kept.old(of: short.section), !fixed.contains(old),
          before[old] + short.missing <= most
        else {
          // The exception's numbers do not fit the callbacks in the log.
          return shortSection(callbacks, after) == nil
            ? counts(after: callbacks, from: before).map {
              CountedSections(before: before, after: $0)
            } : nil
        }
        before[old] += short.missing
      }
    }
    return nil
  }

  /// Returns numbers that are large enough for all index paths of a batch; nil if there are none.
  static func ample(for batch: LogBatch) -> CountedSections? {
    guard var before = implied(by: batch.callbacks, nil)?.before else { return nil }
    var most = 0
    for operation in batch.operations {
      switch operation.operation {
      case .insertRows(let path), .deleteRows(let path), .reloadRows(let path):
        most = max(most, path.row)
      case .moveRow(let from, let to): most = max(most, from.row, to.row)
      case .beginUpdates, .endUpdates, .insertSections, .deleteSections, .configureCell,
        .reloadData:
        break
      }
    }
    // A deleted section loses exactly the rows that it has.
    let deleted = Set(
      batch.sectionChanges.filter { $0.change.type == .delete }.map(\.change.index))
    for index in before.indices where !deleted.contains(index) { before[index] += most + 1 }
    return counts(after: batch.callbacks, from: before).map {
      CountedSections(before: before, after: $0)
    }
  }

  private static func leastBefore(_ callbacks: [LogBatch.Callback]) -> [Int] {
    var before: [Int] = []
    func need(_ section: Int, _ rows: Int) {
      guard 0..<most ~= section, rows <= most else { return }
      while before.count <= section { before.append(0) }
      before[section] = max(before[section], rows)
    }
    for callback in callbacks {
      switch callback.change {
      case .object(let change):
        if let old = change.old { need(old.section, old.row + 1) }
      case .section(let change):
        if change.type == .delete { need(change.index, 0) }
      }
    }
    return before
  }

  private static func fit(
    _ before: inout [Int], _ fixed: inout Set<Int>, to error: TableUpdateError
  ) {
    func set(_ section: Int, _ rows: Int) {
      guard 0..<most ~= section, 0...most ~= rows else { return }
      while before.count <= section { before.append(0) }
      before[section] = rows
      fixed.insert(section)
    }
    switch error {
    case .numberOfRows(let section, let counts): set(section, counts.before)
    case .deletedRowMissing(let path, let rows), .movedRowMissing(let path, let rows):
      set(path.section, rows)
    case .numberOfSections(let count, _, _, _), .deletedSectionMissing(_, let count),
      .deletedRowWithoutSection(_, let count), .movedRowWithoutSection(_, let count):
      while before.count < min(count, most) { before.append(0) }
    case .movedFromDeletedSection, .insertedSectionMissing, .insertedRowMissing,
      .insertedRowWithoutSection, .moveTargetMissing, .moveTargetWithoutSection,
      .movedIntoInsertedSection, .deletedAndReloaded, .deletedAndMoved, .insertedAndMoved,
      .movedTwice, .movedToOneRow:
      break
    }
  }

  /// Adds a section, if a callback names one that would not exist otherwise.
  private static func grow(_ before: inout [Int]) -> Bool {
    guard before.count < most else { return false }
    before.append(0)
    return true
  }

  /// Finds a section after the batch with fewer rows than a callback's new index path needs.
  private static func shortSection(
    _ callbacks: [LogBatch.Callback], _ after: [Int]
  ) -> (section: Int, missing: Int)? {
    for callback in callbacks {
      guard case .object(let change) = callback.change, let new = change.new,
        after.indices.contains(new.section)
      else { continue }
      if new.row >= after[new.section] { return (new.section, new.row + 1 - after[new.section]) }
    }
    return nil
  }

  /// Finds the sections that would lose their last row, although no callback deletes them.
  private static func emptySections(
    _ kept: KeptSections, _ before: [Int], _ after: [Int]
  ) -> [(section: Int, missing: Int)] {
    guard before.count > 1 || after.count > 1 else { return [] }
    return after.indices.filter { after[$0] == 0 && kept.old(of: $0) != nil }.map { ($0, 1) }
  }
}

/// The sections that stay in a batch.
private struct KeptSections {
  /// Their indices before the batch, in order.
  private let kept: [Int]
  private let inserted: Set<Int>
  private let insertedInOrder: [Int]

  /// - Complexity: O(*k* log *k* + *s*) for *k* callbacks and *s* sections.
  init(_ callbacks: [LogBatch.Callback], count: Int) {
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for callback in callbacks {
      guard case .section(let change) = callback.change else { continue }
      if change.type == .delete {
        removed.insert(change.index)
      } else {
        inserted.insert(change.index)
      }
    }
    self.inserted = inserted
    insertedInOrder = inserted.sorted()
    kept = (0..<count).filter { !removed.contains($0) }
  }

  /// Returns the section before the batch that becomes a section after it; nil if it is inserted.
  ///
  /// - Complexity: O(log *k*) for *k* inserted sections.
  func old(of section: Int) -> Int? {
    guard !inserted.contains(section) else { return nil }
    let rank = section - insertedInOrder.partitioningIndex { $0 >= section }
    return kept.indices.contains(rank) ? kept[rank] : nil
  }
}

extension [Int] {
  /// Returns the first index whose element fulfils a condition that no element before it fulfils.
  ///
  /// - Complexity: O(log *n*).
  fileprivate func partitioningIndex(where belongs: (Int) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
