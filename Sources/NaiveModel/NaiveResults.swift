package import FetchedResults

/// A second implementation of the reporting rules that is as simple as possible.
///
/// It uses only arrays, and checks every row for every question.
package struct NaiveResults: Equatable {
  package struct Row: Hashable {
    package let number: Int64
    /// The name of the row's section.
    package let section: String

    package init(number: Int64, section: String) {
      self.number = number
      self.section = section
    }
  }

  package struct Section: Hashable {
    package let name: String
    package var numbers: [Int64]

    package init(name: String, numbers: [Int64]) {
      self.name = name
      self.numbers = numbers
    }
  }

  /// The rows in the sort order.
  package let rows: [Row]
  package let isSectioned: Bool

  package init(rows: [Row], isSectioned: Bool) {
    self.rows = rows
    self.isSectioned = isSectioned
  }

  /// The error of a fetch whose sections are out of order: the first row whose section name is
  /// repeated.
  package struct OutOfOrder: Error, Equatable {
    package let index: Int
    package let previousName: String

    package init(index: Int, previousName: String) {
      self.index = index
      self.previousName = previousName
    }
  }

  /// The sections of the rows, in the order of their first rows.
  package var sections: [Section] {
    guard isSectioned else { return [Section(name: "", numbers: rows.map(\.number))] }
    var sections: [Section] = []
    for row in rows {
      if let place = sections.firstIndex(where: { $0.name == row.section }) {
        sections[place].numbers.append(row.number)
      } else {
        sections.append(Section(name: row.section, numbers: [row.number]))
      }
    }
    return sections
  }

  /// The rows in the order in which they are shown, section by section.
  private var shownRows: [Row] {
    isSectioned
      ? sections.flatMap { section in
        section.numbers.map { Row(number: $0, section: section.name) }
      } : rows
  }

  /// The first row that breaks the order of the sections, so that a fetch fails.
  package var outOfOrder: OutOfOrder? {
    guard isSectioned else { return nil }
    for index in rows.indices.dropFirst() {
      let previous = rows[index - 1].section
      let name = rows[index].section
      if name != previous, rows[..<index].contains(where: { $0.section == name }) {
        return OutOfOrder(index: index, previousName: previous)
      }
    }
    return nil
  }
}

// MARK: - What a batch is reported as

extension NaiveResults {
  /// Returns the callbacks that a delegate receives when these results become `new`.
  ///
  /// `changed` has the numbers of all changed objects, including those that are not in the results.
  package func callbacks(_ new: NaiveResults, changed: Set<Int64>) -> [Callback] {
    let oldPaths = paths
    let newPaths = new.paths
    // If a limit applies, rows can enter or leave the results without a change of their own.
    guard
      changed.contains(where: { oldPaths[$0] != nil || newPaths[$0] != nil })
        || Set(oldPaths.keys) != Set(newPaths.keys)
    else { return [] }
    let oldNames = isSectioned ? sections.map(\.name) : []
    let newNames = isSectioned ? new.sections.map(\.name) : []
    let replaced = Self.replaced(oldNames, newNames)
    let kept = kept(new, changed: changed, replaced: replaced)

    var deletes: [(ResultsIndexPath, Callback)] = []
    var inserts: [(ResultsIndexPath, Callback)] = []
    var others: [(ResultsIndexPath, Callback)] = []
    let oldSection = sectionNames
    let newSection = new.sectionNames
    for number in Set(oldPaths.keys).union(newPaths.keys) {
      let old = oldPaths[number]
      let now = newPaths[number]
      let isReplaced =
        oldSection[number].map(replaced.contains) == true
        || newSection[number].map(replaced.contains) == true
      if let old, let now, !isReplaced {
        guard changed.contains(number) else { continue }
        let type = kept.contains(number) ? FetchedResultsChangeType.update : .move
        others.append((old, .object(type, number, old, now)))
      } else {
        if let old { deletes.append((old, .object(.delete, number, old, nil))) }
        if let now { inserts.append((now, .object(.insert, number, nil, now))) }
      }
    }
    let gone = oldNames.filter { !newNames.contains($0) || replaced.contains($0) }
    let come = newNames.filter { !oldNames.contains($0) || replaced.contains($0) }
    let callbacks =
      deletes.sorted { $0.0 < $1.0 }.map(\.1)
      + gone.map { .section(.delete, oldNames.firstIndex(of: $0) ?? -1, $0) }
      + come.map { .section(.insert, newNames.firstIndex(of: $0) ?? -1, $0) }
      + inserts.sorted { $0.0 < $1.0 }.map(\.1)
      + others.sorted { $0.0 < $1.0 }.map(\.1)
    return [.willChange] + callbacks + [.didChange]
  }

  /// Each row's index path, by number.
  private var paths: [Int64: ResultsIndexPath] {
    var paths: [Int64: ResultsIndexPath] = [:]
    for (section, entry) in sections.enumerated() {
      for (row, number) in entry.numbers.enumerated() {
        paths[number] = ResultsIndexPath(section: section, row: row)
      }
    }
    return paths
  }

  private var sectionNames: [Int64: String] {
    isSectioned
      ? Dictionary(uniqueKeysWithValues: rows.map { ($0.number, $0.section) }) : [:]
  }

  /// Returns the remaining sections that are not in the largest set that keeps its order.
  private static func replaced(_ old: [String], _ new: [String]) -> Set<String> {
    let surviving = old.filter(new.contains)
    let positions = surviving.compactMap(new.firstIndex(of:))
    let kept = NaiveKeptSet.find(positions)
    return Set(surviving.indices.filter { !kept.contains($0) }.map { surviving[$0] })
  }

  /// Returns the changed rows that keep their place.
  ///
  /// They are the largest set of rows that stay in their section and, together with all unchanged
  /// rows, keep their order.
  private func kept(
    _ new: NaiveResults, changed: Set<Int64>, replaced: Set<String>
  ) -> Set<Int64> {
    let newRows = new.shownRows
    let newIndices = Dictionary(
      uniqueKeysWithValues: newRows.enumerated().map { ($1.number, $0) })
    var unchanged: [(old: Int, new: Int)] = []
    var candidates: [(number: Int64, old: Int, new: Int)] = []
    for (old, row) in shownRows.enumerated() {
      guard let index = newIndices[row.number] else { continue }
      let isSameSection = !isSectioned || newRows[index].section == row.section
      if isSectioned && replaced.contains(row.section) { continue }
      if !changed.contains(row.number) {
        unchanged.append((old, index))
      } else if isSameSection {
        candidates.append((row.number, old, index))
      }
    }
    candidates.removeAll { candidate in
      unchanged.contains { ($0.old < candidate.old) != ($0.new < candidate.new) }
    }
    let kept = NaiveKeptSet.find(candidates.map(\.new))
    return Set(kept.map { candidates[$0].number })
  }
}

/// Finds the largest set of elements that keeps its order, by trying.
package enum NaiveKeptSet {
  /// Returns the old positions of the largest ascending subsequence.
  ///
  /// Of several, it returns the first in lexicographic order.
  package static func find(_ newPositions: [Int]) -> [Int] {
    newPositions.count <= 5 ? enumerated(newPositions) : chained(newPositions)
  }

  /// Tries every subset.
  package static func enumerated(_ newPositions: [Int]) -> [Int] {
    var best: [Int] = []
    for bits in 0..<(1 << newPositions.count) {
      let set = newPositions.indices.filter { bits & (1 << $0) != 0 }
      let values = set.map { newPositions[$0] }
      guard zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) else { continue }
      if set.count > best.count || set.count == best.count && set.lexicographicallyPrecedes(best) {
        best = set
      }
    }
    return best
  }

  /// Finds the best set that begins with each element, starting at the last.
  package static func chained(_ newPositions: [Int]) -> [Int] {
    let count = newPositions.count
    var lengths = [Int](repeating: 1, count: count)
    var next = [Int?](repeating: nil, count: count)
    for start in newPositions.indices.reversed() {
      for other in (start + 1)..<max(count, start + 1)
      where newPositions[other] > newPositions[start] {
        // Of sets with the same length, the one that begins earlier is used.
        if lengths[other] + 1 > lengths[start] {
          lengths[start] = lengths[other] + 1
          next[start] = other
        }
      }
    }
    guard let longest = lengths.max() else { return [] }
    var set: [Int] = []
    var current = lengths.firstIndex(of: longest)
    while let index = current {
      set.append(index)
      current = next[index]
    }
    return set
  }
}

/// A callback that a delegate received, with object numbers instead of objects.
package enum Callback: Hashable, Sendable {
  case willChange
  case object(FetchedResultsChangeType, Int64, ResultsIndexPath?, ResultsIndexPath?)
  case section(FetchedResultsChangeType, Int, String)
  case didChange
}

extension Callback {
  /// Returns a text such as `move Ann [0, 1] -> [1, 0]`.
  package func words(_ label: String) -> String {
    switch self {
    case .willChange: "will"
    case .didChange: "did"
    case .section(let type, let index, let name): "\(type) section \(index) '\(name)'"
    case .object(let type, _, let old, let new):
      "\(type) \(label)" + (old.map { " \($0)" } ?? "") + (new.map { " -> \($0)" } ?? "")
    }
  }
}
