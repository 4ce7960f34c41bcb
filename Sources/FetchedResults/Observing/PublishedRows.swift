import Basics

/// The objects that an observer published, in order.
///
/// It is a value: it stays as it is, also after the observer has published other rows. An object
/// that was deleted since has its last values, and its ``ManagedObject/isDeleted`` is true. Values
/// of objects that were changed since are the new ones.
///
/// It is not a copy. It uses the observer's tree, and what has changed since, so taking it costs
/// nothing and keeping it O(*k*) for *k* changes. Only rows that are read again and again, while
/// changes come that are not published, are copied once.
///
/// Not `Sendable`; ``sectionIdentifiers`` is.
public struct PublishedRows: RandomAccessCollection {
  let version: PublishedVersion

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { version.rowCount }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*), and O(*k* log *k*) for the first access after *k* changes; at most
  ///   O(*n* log *n*) for all accesses until the next publication, and the time of one access.
  public subscript(position: Int) -> ManagedObject {
    check(position)
    return version.object(atRank: position)
  }

  /// Returns the identity of the object at an index, without reading the object.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public func objectID(at position: Int) -> ObjectID {
    check(position)
    return version.objectID(atRank: position)
  }

  /// Returns the object at an index path; nil if there is none.
  ///
  /// - Complexity: O(log *n*).
  public func object(at indexPath: ResultsIndexPath) -> ManagedObject? {
    guard indexPath.section >= 0, indexPath.section < version.sectionCount, indexPath.row >= 0,
      indexPath.row < version.rowCount(ofSection: indexPath.section)
    else { return nil }
    return version.object(
      atRank: version.firstRank(ofSection: indexPath.section) + indexPath.row)
  }

  /// Returns the index path of an object; nil if it is not in the rows.
  ///
  /// - Complexity: O(log *n*).
  public func indexPath(of id: ObjectID) -> ResultsIndexPath? {
    guard id.entity.root === version.state.root else { return nil }
    return version.indexPath(of: id.number)
  }

  /// The sections, in order; one section without a name if there is no section key path.
  public var sections: PublishedSections { PublishedSections(version: version) }

  /// A copy of the sections with the identities of their objects, which can be sent to another
  /// actor.
  ///
  /// - Complexity: O(*n*).
  public var sectionIdentifiers: [FetchedResultsSnapshot.Section] { version.sections() }

  private func check(_ position: Int) {
    require(
      position >= 0 && position < endIndex,
      "the published rows have no object at index \(position): the indices are 0..<\(endIndex); "
        + "check 'indices' first")
  }
}

/// The sections that an observer published, in order.
public struct PublishedSections: RandomAccessCollection {
  let version: PublishedVersion

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { version.sectionCount }

  /// The section at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *s*) for *s* sections.
  public subscript(position: Int) -> PublishedSection {
    require(
      position >= 0 && position < endIndex,
      "the published rows have no section at index \(position): the indices are "
        + "0..<\(endIndex); check 'indices' first")
    return PublishedSection(version: version, index: position)
  }

  /// Returns the index of the section of a name; nil if there is none.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public func index(ofSectionNamed name: String) -> Int? { version.section(named: name) }
}

/// A section that an observer published: its objects in order.
public struct PublishedSection: RandomAccessCollection {
  let version: PublishedVersion
  /// The index among the sections.
  public let index: Int

  /// The section's name: the description of its section key's value, empty for nil or without a
  /// section key path.
  public var name: String { version.name(ofSection: index) }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { version.rowCount(ofSection: index) }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> ManagedObject {
    let count = endIndex
    require(
      position >= 0 && position < count,
      "the section has no object at index \(position): the indices are 0..<\(count); check "
        + "'indices' first")
    return version.object(atRank: version.firstRank(ofSection: index) + position)
  }

  /// Returns the identity of the object at an index, without reading the object.
  package func objectID(at position: Int) -> ObjectID {
    version.objectID(atRank: version.firstRank(ofSection: index) + position)
  }
}

/// The rows that an observer published at one moment.
///
/// They are not copied. A version has the tree of the controller, and the difference from the
/// version to what the tree has now. So it costs O(*k*) for *k* changes since then, whatever the
/// number of rows. Once the searches through the changes have cost as much as a copy, it makes one.
final class PublishedVersion {
  let state: FetchedState
  /// What has changed in the tree since.
  private var log = DifferenceLog()
  /// Objects that have left the rows since, which may no longer be in the context.
  private var left: [Int64: ManagedObject] = [:]
  /// Rows of this version that the tree no longer has.
  private var gone: Set<Int64> = []
  /// Rows of the tree that this version does not have.
  private var came: Set<Int64> = []
  /// How the tree differs from the rows; nil if that is not known, or if nothing differs.
  private var overlay: Overlay?
  /// The rows in a tree of their own; nil while they are found in the controller's tree.
  private var copy: ResultRows?
  /// How many changes were gone through so far to find the rows in the controller's tree.
  private var searched = 0

  init(_ state: FetchedState) { self.state = state }

  private var results: ResultRows { copy ?? state.results }

  /// Whether the tree has changed since.
  var isOutdated: Bool { !log.isEmpty }

  /// Notes a change of the tree.
  func append(_ difference: SectionedDifference, _ outcome: BatchOutcome) {
    for change in outcome.decision.deletes {
      // Objects that came and went are not rows of this version. They would only fill the memory.
      if came.remove(change.number) != nil { continue }
      gone.insert(change.number)
      if let place = change.place { left[change.number] = outcome.objects[place] }
    }
    for change in outcome.decision.inserts where gone.remove(change.number) == nil {
      came.insert(change.number)
    }
    log.append(difference)
    overlay = nil
  }

  /// What has changed since, as one difference; nil if it is not known.
  func difference() -> SectionedDifference? { log.composed() }

  /// Takes the present rows for those of this version.
  func catchUp() {
    log = DifferenceLog()
    left = [:]
    gone = []
    came = []
    overlay = nil
    copy = nil
    searched = 0
  }

  /// Takes over other numbers of objects.
  func renumber(_ numbers: [Int64: Int64]) {
    log.renumber(numbers, in: state.root)
    left = Dictionary(
      left.map { (numbers[$0.key] ?? $0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    gone = Set(gone.map { numbers[$0] ?? $0 })
    came = Set(came.map { numbers[$0] ?? $0 })
    overlay = nil
    for (old, new) in numbers { copy?.renumber(old, as: new) }
  }

  /// How the tree differs; nil if it does not, or if the rows have a tree of their own.
  private func currentOverlay() -> Overlay? {
    if copy != nil { return nil }
    if let overlay { return overlay }
    guard isOutdated, let difference = log.composed() else { return nil }
    let made = Overlay(difference, results)
    overlay = made
    // The time to read rows after each of many turns would grow with the square of the turns. A
    // copy costs about as much as the searches until now.
    searched += difference.objects.count
    guard searched > Self.fewestSearched, searched > rowCount else { return made }
    copyRows()
    return nil
  }

  /// With fewer changes than this, a copy is never worth its memory.
  private static var fewestSearched: Int { 16 }

  /// Copies the rows and sections out of the controller's tree.
  ///
  /// - Complexity: O(*n* log *n*).
  private func copyRows() {
    let numbers = (0..<rowCount).map(number(atRank:))
    let runs = (0..<sectionCount).map {
      ResultRows.SectionRun(name: name(ofSection: $0), count: rowCount(ofSection: $0))
    }
    copy = ResultRows(
      numbers: numbers, runs: state.results.isSectioned ? runs : [],
      isSectioned: state.results.isSectioned)
    overlay = nil
  }

  /// A row of the version.
  private enum Place {
    /// A row that has left its place, by its index among those.
    case left(Int)
    /// A row of the tree, by its rank there.
    case rank(Int)
  }

  private func place(ofRank rank: Int, _ overlay: Overlay) -> Place {
    let index = overlay.ranks.leaving.countBefore(rank)
    if index < overlay.leaving.count, overlay.ranks.leaving[index] == rank { return .left(index) }
    return .rank(overlay.ranks.newIndex(ofGap: rank - index))
  }
}

extension PublishedVersion {
  /// How many rows there are.
  var rowCount: Int {
    guard let overlay = currentOverlay() else { return results.rowCount }
    return results.rowCount - overlay.ranks.coming.count + overlay.leaving.count
  }

  /// How many sections there are.
  var sectionCount: Int {
    guard let overlay = currentOverlay() else { return results.sectionCount }
    let sections = overlay.shift.sections
    return results.sectionCount - sections.coming.count + sections.leaving.count
  }

  /// Returns the object of a row.
  ///
  /// An object that was deleted since has its last values.
  func object(atRank rank: Int) -> ManagedObject {
    guard let overlay = currentOverlay() else {
      let number = results.number(at: rank)
      guard copy != nil else { return state.object(number, atRank: rank) }
      return gone.contains(number) ? left[number] ?? state.object(number) : state.object(number)
    }
    switch place(ofRank: rank, overlay) {
    case .left(let index):
      let number = overlay.leaving[index].id.number
      return left[number] ?? state.object(number)
    case .rank(let rank): return state.object(results.number(at: rank), atRank: rank)
    }
  }

  /// Returns the identity of a row's object.
  func objectID(atRank rank: Int) -> ObjectID {
    guard let overlay = currentOverlay() else {
      let number = results.number(at: rank)
      return gone.contains(number)
        ? left[number]?.objectID ?? state.objectID(number) : state.objectID(number)
    }
    switch place(ofRank: rank, overlay) {
    case .left(let index): return overlay.leaving[index].id
    case .rank(let rank): return state.objectID(results.number(at: rank))
    }
  }

  /// Returns the number of a row's object.
  private func number(atRank rank: Int) -> Int64 {
    guard let overlay = currentOverlay() else { return results.number(at: rank) }
    switch place(ofRank: rank, overlay) {
    case .left(let index): return overlay.leaving[index].id.number
    case .rank(let rank): return results.number(at: rank)
    }
  }

  /// Returns the index path of an object; nil if it is not a row.
  func indexPath(of number: Int64) -> ResultsIndexPath? {
    guard let overlay = currentOverlay() else {
      return results.rank(of: number).map(results.indexPath)
    }
    if let index = overlay.leavingIndices[number] { return overlay.leaving[index].path }
    return results.rank(of: number).flatMap {
      overlay.shift.oldPath(of: results.indexPath(ofRank: $0))
    }
  }

  /// Returns the rank of a section's first row; of the section after the last, the number of rows.
  func firstRank(ofSection index: Int) -> Int {
    guard let overlay = currentOverlay() else {
      return index < results.sectionCount ? results.firstRank(ofSection: index) : results.rowCount
    }
    return overlay.firstRank(ofSection: index, results)
  }

  /// Returns how many rows a section has.
  func rowCount(ofSection index: Int) -> Int {
    guard currentOverlay() != nil else { return results.rowCount(ofSection: index) }
    return firstRank(ofSection: index + 1) - firstRank(ofSection: index)
  }

  /// Returns the name of a section.
  func name(ofSection index: Int) -> String {
    guard let overlay = currentOverlay() else { return results.name(ofSection: index) }
    if let name = overlay.deletedNames[index] { return name }
    return results.name(
      ofSection: overlay.shift.sections.newIndex(
        ofGap: overlay.shift.sections.gap(ofOld: index)))
  }

  /// Returns the index of the section of a name; nil if there is none.
  func section(named name: String) -> Int? {
    let key = ScalarString(name)
    guard let overlay = currentOverlay() else { return results.place(named: key)?.index }
    if let index = overlay.deletedSections[key] { return index }
    return results.place(named: key).flatMap {
      overlay.shift.sections.oldIndex(ofNew: $0.index)
    }
  }

  /// Copies the sections and the identities of their objects.
  ///
  /// - Complexity: O(*n*).
  func sections() -> [FetchedResultsSnapshot.Section] {
    guard isOutdated else { return state.sections() }
    return (0..<sectionCount).map { section in
      let first = firstRank(ofSection: section)
      return FetchedResultsSnapshot.Section(
        identifier: name(ofSection: section),
        itemIdentifiers: (first..<first + rowCount(ofSection: section)).map(objectID))
    }
  }
}

/// How a tree differs from the rows of a version.
private struct Overlay {
  let shift: PathShift
  /// The rows that have left their places, in their old order.
  private(set) var leaving: [(path: ResultsIndexPath, id: ObjectID)] = []
  /// Their indices, by the objects' numbers.
  private(set) var leavingIndices: [Int64: Int] = [:]
  /// The rows that came, by their new paths, in order.
  private let coming: [ResultsIndexPath]
  /// The ranks of both.
  private(set) var ranks: IndexShift
  /// The names of the sections that are gone, by their old indices.
  let deletedNames: [Int: String]
  /// The old indices of the sections that are gone.
  let deletedSections: [ScalarString: Int]

  /// - Complexity: O(*k* (log *k* + log *n*)) for *k* changes and *n* rows.
  init(_ difference: SectionedDifference, _ results: ResultRows) {
    shift = PathShift(difference)
    deletedNames = Dictionary(
      difference.deletedSections.map { ($0.index, $0.name) },
      uniquingKeysWith: { first, _ in first })
    deletedSections = Dictionary(
      difference.deletedSections.map { (ScalarString($0.name), $0.index) },
      uniquingKeysWith: { first, _ in first })
    let moved = difference.objects.filter { $0.type != .update }
    leaving = moved.compactMap { change in change.indexPath.map { ($0, change.objectID) } }
      .sorted { $0.path < $1.path }
    coming = moved.compactMap(\.newIndexPath).sorted()
    for (index, row) in leaving.enumerated() { leavingIndices[row.id.number] = index }
    ranks = IndexShift(
      leaving: [], coming: coming.map { results.firstRank(ofSection: $0.section) + $0.row })
    var first = (section: -1, rank: 0)
    var leavingRanks: [Int] = []
    for row in leaving {
      if row.path.section != first.section {
        first = (row.path.section, firstRank(ofSection: row.path.section, results))
      }
      leavingRanks.append(first.rank + row.path.row)
    }
    ranks = IndexShift(leaving: leavingRanks, coming: ranks.coming)
  }

  /// Returns the rank of a section's first row in the version.
  ///
  /// The rows before it are those that stay, in sections that stay, and those that left.
  func firstRank(ofSection index: Int, _ results: ResultRows) -> Int {
    let next = shift.sections.newIndex(ofGap: shift.sections.gap(ofOld: index))
    let newRank =
      next < results.sectionCount ? results.firstRank(ofSection: next) : results.rowCount
    let came = coming.partitioningIndex { $0.section >= next }
    let left = leaving.partitioningIndex { $0.path.section >= index }
    return newRank - came + left
  }
}
