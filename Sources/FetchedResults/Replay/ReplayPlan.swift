/// The changes of one batch by their places, and their effect on sections.
struct ReplayPlan<Row: Hashable & Sendable> {
  /// Rows that changes name in the old sections, by their old places.
  ///
  /// Rows that only changed stay.
  private var old: [ResultsIndexPath: (row: Row, stays: Bool)] = [:]
  /// Rows that changes name in the new sections, by their new places.
  private var new: [ResultsIndexPath: (row: Row, stays: Bool)] = [:]
  private var removedSections: [Int: String] = [:]
  private var insertedSections: [Int: String] = [:]

  /// Notes a change.
  mutating func add(_ change: ReplayLaw<Row>.Change) throws(ReplayBreach<Row>) {
    switch change {
    case .object(let type, let row, let path, let newPath):
      guard (path != nil) == (type != .insert), (newPath != nil) == (type != .delete) else {
        throw .wrongPaths(type, row)
      }
      if let path, old.updateValue((row, type == .update), forKey: path) != nil {
        throw .twiceBefore(path)
      }
      if let newPath, new.updateValue((row, type == .update), forKey: newPath) != nil {
        throw .twiceAfter(newPath)
      }
    case .section(.delete, let index, let name):
      guard removedSections.updateValue(name, forKey: index) == nil else {
        throw .sectionTwiceBefore(index)
      }
    case .section(.insert, let index, let name):
      guard insertedSections.updateValue(name, forKey: index) == nil else {
        throw .sectionTwiceAfter(index)
      }
    case .section(let type, let index, _): throw .sectionCannot(type, index)
    }
  }

  /// Returns the sections after applying the changes.
  func carriedOut(
    on before: [ReplayLaw<Row>.Section]
  ) throws(ReplayBreach<Row>) -> [ReplayLaw<Row>.Section] {
    try inserting(into: try removing(from: before))
  }
}

extension ReplayPlan {
  /// The old sections, without the rows and sections that are removed.
  private func removing(
    from before: [ReplayLaw<Row>.Section]
  ) throws(ReplayBreach<Row>) -> [ReplayLaw<Row>.Section] {
    for (path, told) in old.sorted(by: { $0.key < $1.key }) {
      let found = before.row(at: path)
      guard found == told.row else { throw .notBefore(told.row, path, found: found) }
    }
    for (index, name) in removedSections.sorted(by: { $0.key < $1.key }) {
      guard before.indices.contains(index) else { throw .noSectionBefore(index) }
      guard before[index].name == name else {
        throw .otherName(index: index, told: name, found: before[index].name)
      }
    }
    let leaving = Self.bySection(old)
    var kept: [ReplayLaw<Row>.Section] = []
    for (index, section) in before.enumerated() {
      let rows = leaving[index].map { remaining(of: section.rows, without: $0) } ?? section.rows
      if removedSections[index] == nil {
        kept.append(ReplayLaw.Section(name: section.name, rows: rows))
      } else if let row = rows.first {
        throw .leftInDeletedSection(row, index)
      }
    }
    return kept
  }

  /// The remaining sections, with what is inserted.
  private func inserting(
    into kept: [ReplayLaw<Row>.Section]
  ) throws(ReplayBreach<Row>) -> [ReplayLaw<Row>.Section] {
    let count = kept.count + insertedSections.count
    for index in insertedSections.keys.sorted() where !(0..<count).contains(index) {
      throw .noSectionAfter(index)
    }
    let coming = Self.bySection(new)
    var rest = kept[...]
    var after: [ReplayLaw<Row>.Section] = []
    for index in 0..<count {
      let name = insertedSections[index]
      var section = name.map { ReplayLaw.Section(name: $0, rows: []) } ?? rest.removeFirst()
      if let told = coming[index] { section.rows = filled(section.rows, with: told) }
      after.append(section)
    }
    for (path, told) in new.sorted(by: { $0.key < $1.key }) {
      let found = after.row(at: path)
      guard found == told.row else { throw .notAfter(told.row, path, found: found) }
    }
    return after
  }

  /// The removed or inserted rows in order, by section.
  ///
  /// Rows that no change names are only copied.
  private static func bySection(
    _ told: [ResultsIndexPath: (row: Row, stays: Bool)]
  ) -> [Int: [(place: Int, row: Row)]] {
    var sections: [Int: [(place: Int, row: Row)]] = [:]
    for (path, told) in told where !told.stays {
      sections[path.section, default: []].append((path.row, told.row))
    }
    return sections.mapValues { $0.sorted { $0.place < $1.place } }
  }

  /// The rows of an old section, without those that are removed.
  private func remaining(of rows: [Row], without leaving: [(place: Int, row: Row)]) -> [Row] {
    var remaining: [Row] = []
    var start = 0
    for (place, _) in leaving {
      remaining += rows[start..<place]
      start = place + 1
    }
    return remaining + rows[start...]
  }

  /// The rows of a new section: inserted rows at their places, and the remaining rows around them
  /// in their order.
  private func filled(_ kept: [Row], with coming: [(place: Int, row: Row)]) -> [Row] {
    var rows: [Row] = []
    var rest = kept[...]
    for (place, row) in coming {
      let gap = place - rows.count
      // There is no place before the beginning either.
      guard gap >= 0 else { continue }
      rows += rest.prefix(gap)
      rest = rest.dropFirst(gap)
      // There is no place after the end. That is noticed when all rows are in.
      guard rows.count == place else { break }
      rows.append(row)
    }
    return rows + rest
  }
}

extension Array {
  /// The row at an index path, or nil if there is none.
  fileprivate func row<Row>(at path: ResultsIndexPath) -> Row?
  where Element == ReplayLaw<Row>.Section {
    guard indices.contains(path.section), self[path.section].rows.indices.contains(path.row) else {
      return nil
    }
    return self[path.section].rows[path.row]
  }
}
