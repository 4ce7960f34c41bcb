import Basics

/// How the indices of a list change if some elements leave and others come.
struct IndexShift {
  /// The old indices of the elements that leave, ascending.
  let leaving: [Int]
  /// The new indices of the elements that come, ascending.
  let coming: [Int]

  /// How many elements that stay are before an old index.
  func gap(ofOld index: Int) -> Int { index - leaving.countBefore(index) }

  /// How many elements that stay are before a new index.
  func gap(ofNew index: Int) -> Int { index - coming.countBefore(index) }

  /// Returns the new index of the element with as many staying elements before it.
  func newIndex(ofGap gap: Int) -> Int { Self.index(ofGap: gap, among: coming) }

  /// Returns the old index of the element with as many staying elements before it.
  func oldIndex(ofGap gap: Int) -> Int { Self.index(ofGap: gap, among: leaving) }

  /// Returns the new index of an element; nil if it leaves.
  func newIndex(ofOld index: Int) -> Int? {
    leaving.hasSorted(index) ? nil : newIndex(ofGap: gap(ofOld: index))
  }

  /// Returns the old index of an element; nil if it comes.
  func oldIndex(ofNew index: Int) -> Int? {
    coming.hasSorted(index) ? nil : oldIndex(ofGap: gap(ofNew: index))
  }

  private static func index(ofGap gap: Int, among others: [Int]) -> Int {
    var (low, high) = (0, others.count)
    while low < high {
      let middle = (low + high) / 2
      if others[middle] - middle <= gap { low = middle + 1 } else { high = middle }
    }
    return gap + low
  }
}

extension [Int] {
  /// Whether an ascending list has a number.
  fileprivate func hasSorted(_ number: Int) -> Bool {
    let index = countBefore(number)
    return index < count && self[index] == number
  }
}

/// How the index paths of rows change in a difference.
///
/// A row that is updated stays. A row that moves leaves and comes.
struct PathShift {
  let sections: IndexShift
  /// The rows that leave, by their old section, ascending.
  private(set) var leaving: [Int: [Int]] = [:]
  /// The rows that come, by their new section, ascending.
  private(set) var coming: [Int: [Int]] = [:]

  /// - Complexity: O(*k* log *k*) for *k* changes.
  init(_ difference: SectionedDifference) {
    sections = IndexShift(
      leaving: difference.deletedSections.map(\.index),
      coming: difference.insertedSections.map(\.index))
    for change in difference.objects where change.type != .update {
      if let old = change.indexPath { leaving[old.section, default: []].append(old.row) }
      if let new = change.newIndexPath { coming[new.section, default: []].append(new.row) }
    }
    for section in leaving.keys { leaving[section]?.sort() }
    for section in coming.keys { coming[section]?.sort() }
  }

  /// Returns the new path of a row; nil if the row leaves.
  ///
  /// - Complexity: O(log *k*).
  func newPath(of old: ResultsIndexPath) -> ResultsIndexPath? {
    guard let section = sections.newIndex(ofOld: old.section),
      let row = rows(from: old.section, to: section).newIndex(ofOld: old.row)
    else { return nil }
    return ResultsIndexPath(section: section, row: row)
  }

  /// Returns the old path of a row; nil if the row comes.
  ///
  /// - Complexity: O(log *k*).
  func oldPath(of new: ResultsIndexPath) -> ResultsIndexPath? {
    guard let section = sections.oldIndex(ofNew: new.section),
      let row = rows(from: section, to: new.section).oldIndex(ofNew: new.row)
    else { return nil }
    return ResultsIndexPath(section: section, row: row)
  }

  private func rows(from old: Int, to new: Int) -> IndexShift {
    IndexShift(leaving: leaving[old] ?? [], coming: coming[new] ?? [])
  }
}
