import Basics

/// One batch of changes, with the sections before and after it, to be checked by the replay law:
/// the changes, applied to the sections before, must give the sections after.
///
/// Deletes, section deletes, and the old places of moves and updates refer to the sections before.
/// Inserts, section inserts and new places refer to the sections after. The order of the changes
/// does not matter. Each row of a deleted or inserted section is reported on its own. UITableView
/// handles the operations between `beginUpdates` and `endUpdates` in the same way. The law is
/// stricter where UITableView accepts what a controller never sends: two changes for one place, or
/// a name that the section does not have.
///
/// A row is any value that tells one object from another.
package struct ReplayLaw<Row: Hashable & Sendable>: Sendable {
  /// A section with its rows in order.
  package struct Section: Hashable, Sendable {
    package var name: String
    package var rows: [Row]

    package init(name: String, rows: [Row]) {
      self.name = name
      self.rows = rows
    }
  }

  /// What one callback reports.
  package enum Change: Hashable, Sendable {
    case object(
      FetchedResultsChangeType, Row, at: ResultsIndexPath?, newIndexPath: ResultsIndexPath?)
    case section(FetchedResultsChangeType, index: Int, name: String)
  }

  package var before: [Section]
  /// The changes, in the order in which they were sent.
  package var changes: [Change]
  package var after: [Section]

  package init(before: [Section], changes: [Change], after: [Section]) {
    self.before = before
    self.changes = changes
    self.after = after
  }

  /// The first error, or nil if the law holds.
  ///
  /// - Complexity: O(*n* + *k*) for *n* rows and *k* changes.
  package var breach: ReplayBreach<Row>? {
    do {
      let told = try Self.sections(after: changes, from: before)
      return ReplayBreach(told: told, shown: after)
    } catch {
      return error
    }
  }

  /// Returns the sections after applying changes to sections.
  ///
  /// - Throws: The first change that cannot be applied.
  /// - Complexity: O(*n* + *k*) for *n* rows and *k* changes.
  package static func sections(
    after changes: [Change], from before: [Section]
  ) throws(ReplayBreach<Row>) -> [Section] {
    var plan = ReplayPlan<Row>()
    for change in changes { try plan.add(change) }
    return try plan.carriedOut(on: before)
  }
}

extension ReplayBreach {
  /// The first section that differs between the reported and the shown sections; nil if there is
  /// none.
  package init?(told: [ReplayLaw<Row>.Section], shown: [ReplayLaw<Row>.Section]) {
    guard told != shown else { return nil }
    let same = zip(told, shown).prefix { $0 == $1 }.count
    self = .unequal(
      index: same, told: same < told.count ? told[same] : nil,
      shown: same < shown.count ? shown[same] : nil)
  }
}

/// How the reported changes break the replay law; see ``ReplayLaw``.
package enum ReplayBreach<Row: Hashable & Sendable>: Error, Hashable, Sendable {
  /// A change lacks an index path that its type has, or has one too many.
  case wrongPaths(FetchedResultsChangeType, Row)
  /// Two changes name one row of the old sections.
  case twiceBefore(ResultsIndexPath)
  /// Two changes name one row of the new sections.
  case twiceAfter(ResultsIndexPath)
  case sectionTwiceBefore(Int)
  case sectionTwiceAfter(Int)
  /// Sections can only be inserted and deleted.
  case sectionCannot(FetchedResultsChangeType, Int)
  /// An old index path has another row, or none.
  case notBefore(Row, ResultsIndexPath, found: Row?)
  /// A new index path has another row, or none.
  case notAfter(Row, ResultsIndexPath, found: Row?)
  case noSectionBefore(Int)
  case noSectionAfter(Int)
  /// A deleted section has another name.
  case otherName(index: Int, told: String, found: String)
  /// A row of a deleted section was neither deleted nor moved.
  case leftInDeletedSection(Row, Int)
  /// The changes produce other sections than are shown; this is the first that differs.
  case unequal(index: Int, told: ReplayLaw<Row>.Section?, shown: ReplayLaw<Row>.Section?)
  /// A difference does not fit the old rows.
  case unfitDifference
  /// A change was sent outside of will change and did change.
  case outsideBatch
  /// Will change was sent, and did change never was.
  case unfinishedBatch
}

extension ReplayBreach {
  /// Converts the rows of the breach.
  func mapRows<Other>(_ other: (Row) -> Other) -> ReplayBreach<Other> {
    func map(_ section: ReplayLaw<Row>.Section) -> ReplayLaw<Other>.Section {
      ReplayLaw.Section(name: section.name, rows: section.rows.map(other))
    }
    return switch self {
    case .wrongPaths(let type, let row): .wrongPaths(type, other(row))
    case .twiceBefore(let path): .twiceBefore(path)
    case .twiceAfter(let path): .twiceAfter(path)
    case .sectionTwiceBefore(let index): .sectionTwiceBefore(index)
    case .sectionTwiceAfter(let index): .sectionTwiceAfter(index)
    case .sectionCannot(let type, let index): .sectionCannot(type, index)
    case .notBefore(let row, let path, let found):
      .notBefore(other(row), path, found: found.map(other))
    case .notAfter(let row, let path, let found):
      .notAfter(other(row), path, found: found.map(other))
    case .noSectionBefore(let index): .noSectionBefore(index)
    case .noSectionAfter(let index): .noSectionAfter(index)
    case .otherName(let index, let told, let found):
      .otherName(index: index, told: told, found: found)
    case .leftInDeletedSection(let row, let index): .leftInDeletedSection(other(row), index)
    case .unequal(let index, let told, let shown):
      .unequal(index: index, told: told.map(map), shown: shown.map(map))
    case .unfitDifference: .unfitDifference
    case .outsideBatch: .outsideBatch
    case .unfinishedBatch: .unfinishedBatch
    }
  }
}

extension ReplayBreach: CustomStringConvertible {
  /// A description of the mistake, with its place.
  package var description: String {
    switch self {
    case .wrongPaths(let type, let row):
      switch type {
      case .insert: "the insert of \(row) must have only a new index path"
      case .delete: "the delete of \(row) must have only an old index path"
      case .move, .update: "the \(type) of \(row) must have both index paths"
      }
    case .twiceBefore(let path): "two changes name the row that was at \(path)"
    case .twiceAfter(let path): "two changes name the row that is now at \(path)"
    case .sectionTwiceBefore(let index): "section \(index) is deleted twice"
    case .sectionTwiceAfter(let index): "section \(index) is inserted twice"
    case .sectionCannot(let type, let index):
      "section \(index) cannot have a change of type \(type)"
    case .notBefore(let row, let path, let found):
      "\(row) was not at \(path), where \(Self.words(found)) was"
    case .notAfter(let row, let path, let found):
      "\(row) does not end up at \(path), where the callbacks put \(Self.words(found))"
    case .noSectionBefore(let index): "there was no section \(index) to delete"
    case .noSectionAfter(let index): "there is no place for a section \(index)"
    case .otherName(let index, let told, let found):
      "the deleted section \(index) is called '\(found)', not '\(told)'"
    case .leftInDeletedSection(let row, let index):
      "\(row) was in the deleted section \(index) and was neither deleted nor moved"
    case .unequal(let index, let told, let shown):
      "section \(index) should be \(Self.words(told)) according to the callbacks, and is "
        + Self.words(shown)
    case .unfitDifference: "the difference does not fit the rows before"
    case .outsideBatch: "a change was reported outside willChangeContent and didChangeContent"
    case .unfinishedBatch: "didChangeContent is missing after willChangeContent"
    }
  }

  private static func words(_ row: Row?) -> String { row.map { "\($0)" } ?? "nothing" }

  private static func words(_ section: ReplayLaw<Row>.Section?) -> String {
    section.map { "'\($0.name)' [\($0.rows.map { "\($0)" }.joined(separator: ", "))]" } ?? "absent"
  }
}

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
    for (path, told) in old.ordered(by: { $0.key < $1.key }) {
      let found = before.row(at: path)
      guard found == told.row else { throw .notBefore(told.row, path, found: found) }
    }
    for (index, name) in removedSections.ordered(by: { $0.key < $1.key }) {
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
    for (path, told) in new.ordered(by: { $0.key < $1.key }) {
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
    return sections.mapValues { $0.ordered { $0.place < $1.place } }
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

// MARK: - Shared results

extension ReplayLaw<Int64> {
  /// Returns how changes break the law between two images; nil if they do not.
  ///
  /// What both images share is not looked at. If the rest does not fit, all rows are compared, to
  /// find the first error.
  ///
  /// - Complexity: O(*k* log *n*) for *n* rows and *k* changes that keep the law; otherwise O(*n* +
  ///   *k*).
  package static func breach(
    of changes: [Change], from before: ResultsImage, to after: ResultsImage
  ) -> ReplayBreach<Int64>? {
    do {
      var plan = ReplayPlan<Int64>()
      for change in changes { try plan.add(change) }
      if plan.leads(from: before, to: after) { return nil }
    } catch {
      return error
    }
    return Self(before: before.sectionsOfNumbers, changes: changes, after: after.sectionsOfNumbers)
      .breach
  }
}

extension ResultsImage {
  /// The sections by name, and the rows by their objects' numbers.
  ///
  /// - Complexity: O(*n*).
  var sectionsOfNumbers: [ReplayLaw<Int64>.Section] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(rows.count)
    rows.forEachItem { numbers.append($0) }
    var rest = numbers[...]
    var found: [ReplayLaw<Int64>.Section] = []
    sections.forEachItem { section in
      found.append(
        ReplayLaw.Section(name: section.name.string, rows: Array(rest.prefix(section.rowCount))))
      rest = rest.dropFirst(section.rowCount)
    }
    return found
  }
}

extension ReplayPlan<Int64> {
  /// Whether the changes lead from one image to another, as far as that can be told without looking
  /// at what both share.
  fileprivate func leads(from before: ResultsImage, to after: ResultsImage) -> Bool {
    guard old.allSatisfy({ before.number(at: $0.key) == $0.value.row }),
      new.allSatisfy({ after.number(at: $0.key) == $0.value.row })
    else { return false }
    var leaving: Set<Int> = []
    var differences: [Int: Int] = [:]
    for (path, told) in old where !told.stays {
      guard let rank = before.rank(of: path) else { return false }
      leaving.insert(rank)
      differences[path.section, default: 0] -= 1
    }
    var coming: Set<Int> = []
    var comingCounts: [Int: Int] = [:]
    for (path, told) in new where !told.stays {
      guard let rank = after.rank(of: path) else { return false }
      coming.insert(rank)
      comingCounts[path.section, default: 0] += 1
    }
    let rows = ResultsImage.Rows.parts(of: before.rows, and: after.rows)
    guard let kept = Self.kept(rows.one, without: leaving),
      let found = Self.kept(rows.other, without: coming), kept == found
    else { return false }
    return leadsToSections(from: before, to: after, differences, comingCounts)
  }

  /// What is left of the parts of a copy without some ranks; nil if a shared part has one of them.
  private static func kept(
    _ parts: [ResultsImage.Rows.Part], without ranks: Set<Int>
  ) -> [SharedOrNot<Int64>]? {
    var kept: [SharedOrNot<Int64>] = []
    var rest = ranks.sorted()[...]
    var rank = 0
    for part in parts {
      let end = rank + part.count
      switch part {
      case .shared(let image):
        if let next = rest.first, next < end { return nil }
        kept.append(.shared(ObjectIdentifier(image)))
      case .item(let number):
        if rest.first == rank { rest.removeFirst() } else { kept.append(.item(number)) }
      }
      rank = end
    }
    return kept
  }

  /// - Parameters:
  ///   - leaving: How many rows fewer old sections have, without those that come in.
  ///   - coming: How many rows come into new sections.
  private func leadsToSections(
    from before: ResultsImage, to after: ResultsImage, _ leaving: [Int: Int],
    _ coming: [Int: Int]
  ) -> Bool {
    let removed = removedSections.keys.sorted()
    let inserted = insertedSections.keys.sorted()
    guard after.sections.count == before.sections.count - removed.count + inserted.count else {
      return false
    }
    for (index, name) in removedSections {
      // All of its rows leave it.
      guard let section = before.sections.item(at: index), section.name.string == name,
        section.rowCount + leaving[index, default: 0] == 0
      else { return false }
    }
    for (index, name) in insertedSections {
      guard let section = after.sections.item(at: index), section.name.string == name,
        section.rowCount == coming[index, default: 0]
      else { return false }
    }
    var differences = leaving
    for index in removed { differences[index] = nil }
    var earlier = inserted[...]
    var gone = removed[...]
    for (index, count) in coming.ordered(by: { $0.key < $1.key })
    where insertedSections[index] == nil {
      while let next = earlier.first, next < index { earlier.removeFirst() }
      var old = index - (inserted.count - earlier.count) + (removed.count - gone.count)
      while let next = gone.first, next <= old {
        gone.removeFirst()
        old += 1
      }
      differences[old, default: 0] += count
    }
    differences = differences.filter { $0.value != 0 }
    let sections = ResultsImage.Sections.parts(of: before.sections, and: after.sections)
    guard
      let kept = Self.kept(
        sections.one, without: removed, adding: differences),
      let found = Self.kept(sections.other, without: inserted, adding: [:])
    else { return false }
    return kept == found
  }

  /// What is left of the parts of a copy without some sections, with more rows in some; nil if that
  /// concerns a shared part.
  private static func kept(
    _ parts: [ResultsImage.Sections.Part], without removed: [Int], adding differences: [Int: Int]
  ) -> [SharedOrNot<ResultsImage.Section>]? {
    var kept: [SharedOrNot<ResultsImage.Section>] = []
    var rest = removed[...]
    var changed = differences.keys.sorted()[...]
    var index = 0
    for part in parts {
      let end = index + part.count
      switch part {
      case .shared(let image):
        if let next = rest.first, next < end { return nil }
        if let next = changed.first, next < end { return nil }
        kept.append(.shared(ObjectIdentifier(image)))
      case .item(let section):
        let difference = changed.first == index ? differences[changed.removeFirst()] ?? 0 : 0
        if rest.first == index {
          rest.removeFirst()
        } else {
          kept.append(
            .item(
              ResultsImage.Section(name: section.name, rowCount: section.rowCount + difference)))
        }
      }
      index = end
    }
    return kept
  }
}

/// A part of a copy: a shared one by its identity, or a single item.
private enum SharedOrNot<Item: Equatable>: Equatable {
  case shared(ObjectIdentifier)
  case item(Item)
}
