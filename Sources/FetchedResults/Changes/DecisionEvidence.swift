/// The evidence of a decision: for each of its changes, in the same order, what was compared.
package struct DecisionEvidence: Sendable {
  package internal(set) var deletes: [RowEvidence] = []
  package internal(set) var sectionDeletes: [SectionEvidence] = []
  package internal(set) var sectionInserts: [SectionEvidence] = []
  package internal(set) var inserts: [RowEvidence] = []
  package internal(set) var movesAndUpdates: [RowEvidence] = []
}

extension DecisionEvidence {
  /// The evidence of all rows.
  package var rows: [RowEvidence] { deletes + inserts + movesAndUpdates }

  /// The changed objects that are rows after the batch.
  var rowsAfter: [Int64] {
    [deletes, inserts, movesAndUpdates].flatMap { rows in
      rows.lazy.filter { $0.newValues != nil }.map(\.objectID.number)
    }
  }
}

/// What decided the change of a row.
package struct RowEvidence: Sendable {
  package let objectID: ObjectID
  /// The values that decided the old place; nil if it was not a row.
  package let oldValues: ObjectSnapshot?
  /// The values that decide the new place; nil if it is not a row now, or if the row did not
  /// change.
  package let newValues: ObjectSnapshot?
  /// The old place; nil if it was not a row.
  package let old: RowPlace?
  /// The new place; nil if it is not a row.
  package let new: RowPlace?
  /// The nearest rows that the row passed, which make it a move; empty for other changes.
  package var passed: [ObjectID] = []
  /// A section that the row's section passed, if sections changed places.
  package var passedSection: String?
}

/// The place of a row, and its neighbours in its section.
package struct RowPlace: Hashable, Sendable {
  package let indexPath: ResultsIndexPath
  /// The section's name; nil if there is one section only.
  package let section: String?
  package let previous: ObjectID?
  package let next: ObjectID?
}

/// What decided the change of a section.
package struct SectionEvidence: Hashable, Sendable {
  /// The old index and number of rows; nil if there was no section of the name.
  package let old: Place?
  /// The new index and number of rows; nil if there is no section of the name.
  package let new: Place?
  /// A section that it passed, if sections changed places.
  package var passed: String?

  package struct Place: Hashable, Sendable {
    package let index: Int
    package let rows: Int
  }
}

/// Finds the evidence for each change of a decision.
///
/// It reads everything that the decision was made with: the placement, the sections, the rows that
/// keep their places, and the results before the change. It decides nothing again.
struct EvidenceFinder {
  private let diff: ResultsDiff
  /// The values that decided the old place of a row.
  private let oldValues: (Int64) -> ObjectSnapshot?
  private let identify: (Int64) -> ObjectID
  /// The changed rows by their objects' numbers, as indices of the placement.
  private let indices: [Int64: Int]
  /// The old and the new place of each row that keeps its place, ascending in
  /// both.
  private let keptRows: [(old: Int, new: Int)]
  private let keptPlaces: [Int]
  /// The sections made of changed rows, by name.
  private let slots: [ScalarString: Int]
  /// The number of rows by which sections with unchanged rows grow, by old index.
  private let growths: [Int: Int]

  private var placement: RowPlacement { diff.placement }
  private var results: ResultRows { diff.results }

  init(
    _ diff: ResultsDiff, oldValues: @escaping (Int64) -> ObjectSnapshot?,
    identify: @escaping (Int64) -> ObjectID
  ) {
    self.diff = diff
    self.oldValues = oldValues
    self.identify = identify
    var indices: [Int64: Int] = [:]
    // A dictionary that grows by itself copies up to half a million rows at once.
    indices.reserveCapacity(diff.placement.changed.count)
    for (index, change) in diff.placement.changed.enumerated() {
      if StopCheck.isWanted(at: index) { break }
      if indices[change.number] == nil { indices[change.number] = index }
    }
    self.indices = indices
    let kept = diff.placement.oldOrder.enumerated().compactMap { old, index in
      diff.newPlaces[index].flatMap { diff.kept[$0] ? (old: old, new: $0) : nil }
    }
    keptRows = kept
    keptPlaces = kept.map(\.old)
    slots = Dictionary(
      (diff.sections?.slots ?? []).enumerated().map { ($0.element.name, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    var growths: [Int: Int] = [:]
    for path in diff.sections?.old.paths ?? [] { growths[path.section, default: 0] -= 1 }
    for case .existing(let index) in diff.sections?.rowSections ?? [] {
      growths[index, default: 0] += 1
    }
    self.growths = growths
  }

  /// - Complexity: O(*c* log *n*) for *c* changes, and O(*s*) more for *s* sections if sections
  ///   changed places.
  ///
  /// - Throws: ``ResultsDiff/UnknownValues`` if the decision was stopped.
  func evidence(
    of decision: ResultsDecision
  ) throws(ResultsDiff.UnknownValues) -> DecisionEvidence {
    var evidence = DecisionEvidence()
    var stop = StopCheck.Loop(over: diff.placement.changed.count)
    func rows(
      _ changes: [ResultsDecision.RowChange]
    ) throws(ResultsDiff.UnknownValues) -> [RowEvidence] {
      try changes.map { change throws(ResultsDiff.UnknownValues) in
        if stop.isWanted(after: 8) { throw ResultsDiff.UnknownValues() }
        return rowEvidence(of: change)
      }
    }
    evidence.deletes = try rows(decision.deletes)
    evidence.inserts = try rows(decision.inserts)
    evidence.movesAndUpdates = try rows(decision.movesAndUpdates)
    evidence.sectionDeletes = decision.sectionDeletes.map {
      sectionEvidence(of: $0, isDelete: true)
    }
    evidence.sectionInserts = decision.sectionInserts.map {
      sectionEvidence(of: $0, isDelete: false)
    }
    return evidence
  }

  // MARK: Rows

  private func rowEvidence(of change: ResultsDecision.RowChange) -> RowEvidence {
    guard let index = indices[change.number] else {
      return RowEvidence(
        objectID: identify(change.number), oldValues: nil, newValues: nil, old: nil, new: nil)
    }
    let old = placement.oldPlaces[index]
    let new = diff.newPlaces[index]
    var evidence = RowEvidence(
      objectID: identity(change.number), oldValues: old == nil ? nil : oldValues(change.number),
      newValues: change.place.flatMap { _ in placement.changed[index].after },
      old: old.map(oldPlace), new: new.map(newPlace))
    if let old, let new {
      switch change.reason {
      case .passedUnchanged: evidence.passed = unchangedBetween(old, new)
      case .passedChanged: evidence.passed = keptPassed(old, new)
      case .sectionReordered: evidence.passedSection = sectionPassed(by: old, new)
      case .created, .startedMatching, .enteredLimit, .deleted, .stoppedMatching, .leftLimit,
        .keptPlace, .changedSection, .samePathMove, .updateAndMove, .sectionChangeAsUpdate:
        break
      }
    }
    return evidence
  }

  private func oldPlace(_ place: Int) -> RowPlace {
    oldPlace(ofRank: placement.oldRanks[place], diff.oldPath(place))
  }

  private func oldPlace(ofRank rank: Int, _ path: ResultsIndexPath) -> RowPlace {
    let section = diff.sections?.place(of: path.section)
    let count = section?.rowCount ?? results.rowCount
    return RowPlace(
      indexPath: path, section: section.map { results.key(of: $0).string },
      previous: path.row > 0 ? identity(results.number(at: rank - 1)) : nil,
      next: path.row + 1 < count ? identity(results.number(at: rank + 1)) : nil)
  }

  private func newPlace(_ place: Int) -> RowPlace {
    var firstRanks = ResultsDiff.FirstRanks()
    let gap = placement.newGaps[place]
    let rowSection = diff.sections?.rowSections[place]
    return RowPlace(
      indexPath: diff.newPath(place, &firstRanks), section: rowSection.map(name),
      previous: neighbour(place - 1, gap: gap, orUnchanged: gap - 1, in: rowSection),
      next: neighbour(place + 1, gap: gap, orUnchanged: gap, in: rowSection))
  }

  /// The neighbour of a row in the new order: a changed row if one is in the gap, otherwise the
  /// unchanged row.
  ///
  /// Nil if the neighbour is in another section.
  private func neighbour(
    _ place: Int, gap: Int, orUnchanged row: Int, in rowSection: SectionDiff.RowSection?
  ) -> ObjectID? {
    if placement.newGaps.indices.contains(place), placement.newGaps[place] == gap {
      guard rowSection == nil || diff.sections?.rowSections[place] == rowSection else { return nil }
      return identity(placement.changed[placement.newOrder[place]].number)
    }
    guard row >= 0, row < placement.unchangedCount else { return nil }
    let rank = placement.oldRank(ofUnchanged: row)
    if let rowSection, rowSection != .existing(results.section(ofRank: rank).index) { return nil }
    return identity(results.number(at: rank))
  }

  private func identity(_ number: Int64) -> ObjectID {
    indices[number].flatMap { placement.changed[$0].objectID } ?? identify(number)
  }

  // MARK: What was passed

  /// The first and the last unchanged row between a row's old and new gap.
  private func unchangedBetween(_ old: Int, _ new: Int) -> [ObjectID] {
    let gaps = [placement.oldGap(old), placement.newGaps[new]].sorted()
    let rows = gaps[0] < gaps[1] ? Set([gaps[0], gaps[1] - 1]).sorted() : []
    return rows.map { identity(results.number(at: placement.oldRank(ofUnchanged: $0))) }
  }

  /// A row that changed, kept its place, and is now on the other side.
  ///
  /// As many rows as possible keep their places, so one of the two nearest rows is of this kind.
  private func keptPassed(_ old: Int, _ new: Int) -> [ObjectID] {
    let bound = keptPlaces.countBefore(old)
    let section = diff.oldPath(old).section
    for (row, wasBefore) in [(bound - 1, true), (bound, false)]
    where keptRows.indices.contains(row) {
      let other = keptRows[row]
      guard diff.oldPath(other.old).section == section, (other.new > new) == wasBefore else {
        continue
      }
      return [identity(placement.changed[placement.newOrder[other.new]].number)]
    }
    return []
  }

  // MARK: Sections

  private func name(of rowSection: SectionDiff.RowSection) -> String {
    guard let sections = diff.sections else { return "" }
    switch rowSection {
    case .existing(let index): return sections.key(of: index).string
    case .slot(let index): return sections.slots[index].name.string
    }
  }

  /// The name of a section that the old or the new section of a row passed.
  private func sectionPassed(by old: Int, _ new: Int) -> String? {
    guard let sections = diff.sections else { return nil }
    let index = sections.old.paths[old].section
    if sections.reordered.contains(index) { return passed(by: index) }
    return sections.oldIndex(of: sections.rowSections[new]).flatMap(passed)
  }

  /// The name of a section that kept its place and that the section with this
  /// old index passed.
  private func passed(by index: Int) -> String? {
    guard let sections = diff.sections, let new = newIndex(ofOld: index) else { return nil }
    var before = index - 1
    while before >= 0, !keepsPlace(before) { before -= 1 }
    if before >= 0, let other = newIndex(ofOld: before), other > new {
      return sections.key(of: before).string
    }
    var next = index + 1
    while next < results.sectionCount, !keepsPlace(next) { next += 1 }
    guard next < results.sectionCount, let other = newIndex(ofOld: next), other < new else {
      return nil
    }
    return sections.key(of: next).string
  }

  private func keepsPlace(_ index: Int) -> Bool {
    diff.sections?.reordered.contains(index) == false && newIndex(ofOld: index) != nil
  }

  /// The new index of an old section; nil if it no longer exists.
  private func newIndex(ofOld index: Int) -> Int? {
    guard let sections = diff.sections else { return nil }
    guard sections.old.emptied.contains(sorted: index) else {
      return sections.newIndex(of: .existing(index))
    }
    return slots[sections.key(of: index)].map { sections.newIndex(of: .slot($0)) }
  }

  private func sectionEvidence(
    of change: ResultsDecision.SectionChange, isDelete: Bool
  ) -> SectionEvidence {
    guard let sections = diff.sections else { return SectionEvidence(old: nil, new: nil) }
    let oldIndex =
      isDelete
      ? change.index
      : results.place(named: ScalarString(change.name))?.index
    let old = oldIndex.map {
      SectionEvidence.Place(index: $0, rows: sections.place(of: $0).rowCount)
    }
    let new = newPlace(ofSection: change.name, oldIndex, sections)
    return SectionEvidence(
      old: old, new: new, passed: change.reason == .reordered ? oldIndex.flatMap(passed) : nil)
  }

  private func newPlace(
    ofSection name: String, _ oldIndex: Int?, _ sections: SectionDiff
  ) -> SectionEvidence.Place? {
    if let slot = slots[ScalarString(name)] {
      return SectionEvidence.Place(
        index: sections.newIndex(of: .slot(slot)), rows: sections.slots[slot].count)
    }
    guard let oldIndex, let index = newIndex(ofOld: oldIndex) else { return nil }
    return SectionEvidence.Place(
      index: index, rows: sections.place(of: oldIndex).rowCount + (growths[oldIndex] ?? 0))
  }
}
