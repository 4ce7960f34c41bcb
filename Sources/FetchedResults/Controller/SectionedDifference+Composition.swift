extension SectionedDifference {
  /// Returns this difference and the one after it as one difference.
  ///
  /// Applied to the sections before this difference, the result gives the sections after the later
  /// one. Each object is in it once. One that came and went is not in it. One that is in the
  /// results before and after is an update if it passed none of the rows that did not change, and a
  /// move otherwise. Of objects that passed each other, as many as possible are updates, as in a
  /// batch of a controller. The rule of an object that both differences name is the one by which
  /// one batch would have reported it.
  ///
  /// A later replacement absorbs everything before it.
  ///
  /// - Throws: ``MismatchError`` if the later difference does not follow this one.
  /// - Complexity: O(*k* log *k*) for *k* changes in both; O(*n*) if this difference is a
  ///   replacement by *n* objects.
  public func composed(with later: Self) throws(MismatchError) -> Self {
    if later.replacement != nil { return later }
    if var sections = replacement {
      try later.apply(to: &sections)
      return Self(replacingBy: sections)
    }
    if isEmpty { return later }
    if later.isEmpty { return self }
    return try Composition(self, later).difference()
  }

  /// Returns the difference as if some objects had not changed.
  ///
  /// If rows that did change cannot have passed them, they are still reported as moved.
  ///
  /// - Complexity: O(*k* log *k*).
  func without(_ unchanged: Set<ObjectID>) -> Self {
    if unchanged.isEmpty { return self }
    let rows = objects.map(NetChange.init)
    let rest = Self(
      rows.filter { !unchanged.contains($0.objectID) }, deletedSections: deletedSections,
      insertedSections: insertedSections)
    let shift = PathShift(rest)
    let areInPlace = rows.allSatisfy { row in
      guard unchanged.contains(row.objectID), let old = row.old else { return true }
      return shift.newPath(of: old) == row.new
    }
    if areInPlace { return rest }
    var difference = self
    difference.objects.removeAll { $0.type == .update && unchanged.contains($0.objectID) }
    return difference
  }
}

/// What happens to an object in several differences together.
private struct NetChange {
  let objectID: ObjectID
  /// The place before all of them; nil if it was not a row.
  let old: ResultsIndexPath?
  /// The place after all of them; nil if it is not a row.
  let new: ResultsIndexPath?
  /// The rule by which it came, or went.
  let reason: ChangeReason
}

extension NetChange {
  init(_ change: SectionedDifference.ObjectChange) {
    self.init(
      objectID: change.objectID, old: change.indexPath, new: change.newIndexPath,
      reason: change.reason)
  }
}

/// Two differences that follow one another.
private struct Composition {
  private let first: SectionedDifference
  private let second: SectionedDifference
  private let firstShift: PathShift
  private let secondShift: PathShift

  init(_ first: SectionedDifference, _ second: SectionedDifference) {
    self.first = first
    self.second = second
    firstShift = PathShift(first)
    secondShift = PathShift(second)
  }

  func difference() throws(SectionedDifference.MismatchError) -> SectionedDifference {
    SectionedDifference(
      try rows(), deletedSections: deletedSections, insertedSections: insertedSections)
  }

  /// The objects that one of the differences names, and that are rows before or after.
  private func rows() throws(SectionedDifference.MismatchError) -> [NetChange] {
    var later = Dictionary(
      second.objects.map { ($0.objectID, $0) }, uniquingKeysWith: { _, last in last })
    var rows: [NetChange] = []
    for change in first.objects {
      var new: ResultsIndexPath?
      var reason = change.reason
      if let next = later.removeValue(forKey: change.objectID) {
        if let path = next.indexPath, path != change.newIndexPath {
          throw mismatch(change.objectID, at: path)
        }
        new = next.newIndexPath
        if change.type != .insert { reason = next.reason }
      } else if let path = change.newIndexPath {
        new = secondShift.newPath(of: path)
        if new == nil { throw mismatch(change.objectID, at: path) }
      }
      guard change.indexPath != nil || new != nil else { continue }
      rows.append(
        NetChange(objectID: change.objectID, old: change.indexPath, new: new, reason: reason))
    }
    for change in second.objects where later[change.objectID] != nil {
      var old: ResultsIndexPath?
      if let path = change.indexPath {
        old = firstShift.oldPath(of: path)
        if old == nil { throw mismatch(change.objectID, at: path) }
      }
      rows.append(
        NetChange(
          objectID: change.objectID, old: old, new: change.newIndexPath, reason: change.reason))
    }
    return rows
  }

  private func mismatch(
    _ id: ObjectID, at path: ResultsIndexPath
  ) -> SectionedDifference.MismatchError {
    SectionedDifference.MismatchError(
      description: "\(id) is not at \(path) between the two differences")
  }

  private var deletedSections: [SectionedDifference.SectionChange] {
    first.deletedSections
      + second.deletedSections.compactMap { change in
        firstShift.sections.oldIndex(ofNew: change.index).map { change.moved(to: $0) }
      }
  }

  private var insertedSections: [SectionedDifference.SectionChange] {
    first.insertedSections.compactMap { change in
      secondShift.sections.newIndex(ofOld: change.index).map { change.moved(to: $0) }
    } + second.insertedSections
  }
}

extension SectionedDifference.SectionChange {
  fileprivate func moved(to index: Int) -> Self { Self(index: index, name: name, reason: reason) }

  fileprivate func with(_ reason: SectionReason) -> Self {
    Self(index: index, name: name, reason: reason)
  }
}

extension SectionedDifference {
  /// Decides which rows and sections keep their places.
  ///
  /// - Parameters:
  ///   - rows: What happens to each object that changed.
  ///   - deletedSections: The sections that are gone, or were gone in between.
  ///   - insertedSections: The sections that are new, or came back.
  /// - Complexity: O(*k* log *k*).
  fileprivate init(
    _ rows: [NetChange], deletedSections: [SectionChange], insertedSections: [SectionChange]
  ) {
    let returned = Self.returned(deletedSections, insertedSections)
    let inserted = Set(insertedSections.map { ScalarString($0.name) })
    let deleted = Set(deletedSections.map { ScalarString($0.name) })
    self.deletedSections = deletedSections.filter { !returned.old.contains($0.index) }
      .map { $0.with(inserted.contains(ScalarString($0.name)) ? .reordered : .emptied) }
      .sorted { $0.index < $1.index }
    self.insertedSections = insertedSections.filter { !returned.new.contains($0.index) }
      .map { $0.with(deleted.contains(ScalarString($0.name)) ? .reordered : .filled) }
      .sorted { $0.index < $1.index }
    let sections = IndexShift(
      leaving: self.deletedSections.map(\.index), coming: self.insertedSections.map(\.index))

    let deletedNames = Self.names(of: self.deletedSections)
    let insertedNames = Self.names(of: self.insertedSections)

    var (oldRows, newRows): ([Int: [Int]], [Int: [Int]]) = ([:], [:])
    for row in rows {
      if let old = row.old { oldRows[old.section, default: []].append(old.row) }
      if let new = row.new { newRows[new.section, default: []].append(new.row) }
    }
    for section in oldRows.keys { oldRows[section]?.sort() }
    for section in newRows.keys { newRows[section]?.sort() }

    var (deletes, inserts, others): ([ObjectChange], [ObjectChange], [ObjectChange]) = ([], [], [])
    /// The rows of each gap between unchanged rows, which may keep their places.
    var staying: [ResultsIndexPath: [(old: ResultsIndexPath, new: ResultsIndexPath, id: ObjectID)]]
    staying = [:]
    for row in rows {
      guard let old = row.old, let new = row.new else {
        let change = ObjectChange(
          objectID: row.objectID, type: row.old == nil ? .insert : .delete, indexPath: row.old,
          newIndexPath: row.new, reason: row.reason)
        if row.old == nil { inserts.append(change) } else { deletes.append(change) }
        continue
      }
      let reason: ChangeReason
      if sections.newIndex(ofOld: old.section) == new.section {
        let gap = old.row - (oldRows[old.section] ?? []).countBefore(old.row)
        if gap == new.row - (newRows[new.section] ?? []).countBefore(new.row) {
          staying[ResultsIndexPath(section: new.section, row: gap), default: []].append(
            (old, new, row.objectID))
          continue
        }
        reason = .passedUnchanged
      } else {
        let name = deletedNames[old.section]
        reason =
          name != nil && name == insertedNames[new.section] ? .sectionReordered : .changedSection
      }
      others.append(
        ObjectChange(
          objectID: row.objectID, type: .move, indexPath: old, newIndexPath: new, reason: reason))
    }
    for rows in staying.values {
      let rows = rows.sorted { $0.old < $1.old }
      let kept = KeptOrder.longest(newPositions: rows.map(\.new.row))
      for (row, isKept) in zip(rows, kept) {
        others.append(
          ObjectChange(
            objectID: row.id, type: isKept ? .update : .move, indexPath: row.old,
            newIndexPath: row.new, reason: isKept ? .keptPlace : .passedChanged))
      }
    }
    deletes.sort { Self.precedes($0.indexPath, $1.indexPath) }
    inserts.sort { Self.precedes($0.newIndexPath, $1.newIndexPath) }
    others.sort { Self.precedes($0.indexPath, $1.indexPath) }
    objects = deletes + inserts + others
  }

  private static func names(of sections: [SectionChange]) -> [Int: ScalarString] {
    Dictionary(
      sections.map { ($0.index, ScalarString($0.name)) }, uniquingKeysWith: { first, _ in first })
  }

  private static func precedes(_ left: ResultsIndexPath?, _ right: ResultsIndexPath?) -> Bool {
    guard let left, let right else { return false }
    return left < right
  }

  /// The sections that were gone in between, and came back to the same place.
  ///
  /// - Returns: Their old and their new indices.
  private static func returned(
    _ deleted: [SectionChange], _ inserted: [SectionChange]
  ) -> (old: Set<Int>, new: Set<Int>) {
    guard !deleted.isEmpty, !inserted.isEmpty else { return ([], []) }
    let shift = IndexShift(
      leaving: deleted.map(\.index).sorted(), coming: inserted.map(\.index).sorted())
    let newIndices = Dictionary(
      inserted.map { (ScalarString($0.name), $0.index) }, uniquingKeysWith: { first, _ in first })
    var candidates: [Int: [(old: Int, new: Int)]] = [:]
    for change in deleted.sorted(by: { $0.index < $1.index }) {
      guard let new = newIndices[ScalarString(change.name)] else { continue }
      let gap = shift.gap(ofOld: change.index)
      if gap == shift.gap(ofNew: new) { candidates[gap, default: []].append((change.index, new)) }
    }
    var returned: (old: Set<Int>, new: Set<Int>) = ([], [])
    for sections in candidates.values {
      let kept = KeptOrder.longest(newPositions: sections.map(\.new))
      for (section, isKept) in zip(sections, kept) where isKept {
        returned.old.insert(section.old)
        returned.new.insert(section.new)
      }
    }
    return returned
  }
}

/// Differences that follow one another, as one difference when it is asked for.
///
/// Each element is at most half as long as the one before it. So adding *k* changes one by one
/// takes O(*k* log² *k*), and each object is kept O(log *k*) times at most.
struct DifferenceLog: Sendable {
  private var parts: [SectionedDifference] = []
  /// Whether a difference did not follow the ones before it.
  private(set) var isBroken = false

  /// Whether nothing was added.
  var isEmpty: Bool { parts.isEmpty && !isBroken }

  mutating func append(_ difference: SectionedDifference) {
    if difference.replacement != nil {
      parts = [difference]
      isBroken = false
      return
    }
    if mutation(.composedBatchLost), parts.count == 1 { return }
    parts.append(difference)
    while parts.count > 1, parts[parts.count - 1].size * 2 > parts[parts.count - 2].size { join() }
  }

  /// All differences as one; nil if one of them did not follow those before it.
  mutating func composed() -> SectionedDifference? {
    while parts.count > 1 { join() }
    return isBroken ? nil : parts.first ?? SectionedDifference()
  }

  private mutating func join() {
    guard let last = parts.popLast(), let previous = parts.popLast() else { return }
    do {
      parts.append(try previous.composed(with: last))
    } catch {
      parts = []
      isBroken = true
    }
  }

  /// Replaces the numbers of objects.
  mutating func renumber(_ numbers: [Int64: Int64], in root: EntityDescription) {
    for index in parts.indices {
      parts[index].objects = parts[index].objects.map { $0.renumbered(numbers, in: root) }
    }
  }
}

extension SectionedDifference {
  /// How many changes there are; of a replacement, how many objects.
  fileprivate var size: Int {
    replacement.map { $0.reduce(1) { $0 + 1 + $1.itemIdentifiers.count } }
      ?? objects.count + deletedSections.count + insertedSections.count
  }
}

extension SectionedDifference.ObjectChange {
  fileprivate func renumbered(_ numbers: [Int64: Int64], in root: EntityDescription) -> Self {
    guard objectID.entity.root === root, let number = numbers[objectID.number] else { return self }
    return Self(
      objectID: ObjectID(entity: objectID.entity, number: number), type: type,
      indexPath: indexPath, newIndexPath: newIndexPath, reason: reason)
  }
}

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
