/// What a batch does to one controller: what its delegate receives, and how its rows and sections
/// change.
///
/// It is a value. Making it changes nothing.
package struct ResultsDecision: Sendable {
  /// One row's change.
  package struct RowChange: Sendable {
    package enum Kind: Hashable, Sendable {
      case insert
      case delete
      case move
      case update
    }

    package let kind: Kind
    package let number: Int64
    /// The object's index in the batch's list of objects; nil for a row that only changed its
    /// place.
    package let place: Int?
    /// The path before the batch; nil for an insert.
    package let indexPath: ResultsIndexPath?
    /// The path after the batch; nil for a delete.
    package let newIndexPath: ResultsIndexPath?
    package let reason: ChangeReason
  }

  /// One section that is inserted or deleted.
  package struct SectionChange: Sendable {
    package let key: ScalarString
    package let index: Int
    package let reason: SectionReason

    package var name: String { key.string }
  }

  package var deletes: [RowChange] = []
  package var sectionDeletes: [SectionChange] = []
  package var sectionInserts: [SectionChange] = []
  package var inserts: [RowChange] = []
  package var movesAndUpdates: [RowChange] = []

  /// How the rows and sections change.
  package var edits = Edits()
  /// The keys of the changed rows, nil for one that is no longer a result.
  ///
  /// Empty if the objects' own values decide the places of rows.
  package var keys: [(number: Int64, keys: ObjectSnapshot?)] = []
  /// The evidence of the changes; nil if no reasons are kept.
  package internal(set) var evidence: DecisionEvidence?

  /// The changes of the rows and sections, as positions.
  package struct Edits: Sendable {
    /// Old ranks of rows to take out, ascending.
    var removedRanks: [Int] = []
    /// Rows to put in, ascending by their final ranks.
    var insertedRows: [(number: Int64, rank: Int)] = []
    /// The number of rows by which remaining sections grow, by old index.
    var growths: [(index: Int, rows: Int)] = []
    /// Old indices of sections to take out, ascending.
    var removedSections: [Int] = []
    /// Sections to put in, ascending by their final indices.
    var insertedSections: [(name: ScalarString, count: Int, index: Int)] = []
  }

  /// Whether the delegate receives nothing.
  package var isEmpty: Bool {
    deletes.isEmpty && inserts.isEmpty && movesAndUpdates.isEmpty && sectionDeletes.isEmpty
      && sectionInserts.isEmpty
  }
}

extension ResultRows {
  /// Applies a decision that was made for the present results.
  ///
  /// - Returns: Whether it is applied whole. It is not if the work is to stop and its changes are
  ///   dropped; then the rows must not be used again.
  /// - Complexity: O(*k* log *n*).
  @discardableResult
  package func apply(_ edits: ResultsDecision.Edits) -> Bool {
    guard applyToRows(edits) else { return false }
    for section in edits.growths { addRows(section.rows, toSection: section.index) }
    for index in edits.removedSections.reversed() { removeSection(at: index) }
    for section in edits.insertedSections {
      insertSection(named: section.name, rowCount: section.count, at: section.index)
    }
    return true
  }

  private func applyToRows(_ edits: ResultsDecision.Edits) -> Bool {
    let count = edits.removedRanks.count + edits.insertedRows.count
    // To make all rows again takes less time than to change each of many.
    if StopCheck.isLong(count), count >= rowCount / 4 {
      replaceRows(by: numbers(after: edits))
      return true
    }
    var place = 0
    for rank in edits.removedRanks.reversed() {
      place &+= 1
      if StopCheck.dropsWork(at: place) { return false }
      removeRow(at: rank)
    }
    for row in edits.insertedRows {
      place &+= 1
      if StopCheck.dropsWork(at: place) { return false }
      insertRow(row.number, at: row.rank)
    }
    return true
  }

  /// Returns the numbers of all rows after a decision.
  ///
  /// - Complexity: O(*n* + *k*).
  private func numbers(after edits: ResultsDecision.Edits) -> [Int64] {
    let (removed, inserted) = (edits.removedRanks, edits.insertedRows)
    var (nextRemoved, nextInserted) = (0, 0)
    var numbers: [Int64] = []
    numbers.reserveCapacity(rowCount - removed.count + inserted.count)
    func takeInserted() {
      while nextInserted < inserted.count, inserted[nextInserted].rank == numbers.count {
        numbers.append(inserted[nextInserted].number)
        nextInserted += 1
      }
    }
    var rank = 0
    while rank < rowCount {
      for number in run(from: rank) {
        takeInserted()
        if nextRemoved < removed.count, removed[nextRemoved] == rank {
          nextRemoved += 1
        } else {
          numbers.append(number)
        }
        rank += 1
      }
    }
    takeInserted()
    return numbers
  }
}

/// Turns a batch's membership changes into a decision.
///
/// The decision needs the changed rows, and O(log *n*) rows around each of them. It never walks the
/// results. The goldens in `changes` and `sections` show it.
package struct ResultsDiff {
  let results: ResultRows
  let placement: RowPlacement
  /// Nil if the results have no section key path.
  let sections: SectionDiff?

  private var decision = ResultsDecision()
  /// For each changed row its place in the new order.
  private(set) var newPlaces: [Int?]
  /// For each row of the new order whether it keeps its place.
  private(set) var kept: [Bool] = []

  /// The values that decide the place of some row are unknown, so no decision can be made.
  package struct UnknownValues: Error {}

  /// Decides what a batch does.
  ///
  /// - Parameters:
  ///   - changed: The rows that the batch concerns.
  ///   - results: The results before the batch.
  ///   - order: The results' order.
  ///   - keys: The values that decide the place of a row of the results.
  ///   - sectionName: The section name of a changed object's new values.
  ///   - identify: Makes identities from numbers, for the decision's evidence; nil if no evidence
  ///     is kept.
  /// - Returns: The decision, in the order in which a delegate receives it.
  /// - Throws: ``UnknownValues``.
  package static func decide(
    _ changed: [MembershipChange], in results: ResultRows, order: RowOrder,
    keys: any PlacementKeys, sectionName: (ObjectSnapshot) -> String,
    identify: ((Int64) -> ObjectID)? = nil
  ) throws(UnknownValues) -> ResultsDecision {
    let names = results.isSectioned ? try Self.names(of: changed, sectionName) : []
    let found = try PlacementSearch(results: results, order: order, keys: keys)
      .find(changed, names: names)
    return try decide(
      found.placement, found.sections, in: results, oldValues: { keys.values(ofRow: $0) },
      identify: identify)
  }

  private static func names(
    of changed: [MembershipChange], _ sectionName: (ObjectSnapshot) -> String
  ) throws(UnknownValues) -> [String] {
    var names: [String] = []
    names.reserveCapacity(changed.count)
    for place in changed.indices {
      if StopCheck.isWanted(at: place) { throw UnknownValues() }
      names.append(changed[place].after.map(sectionName) ?? "")
    }
    return names
  }

  /// Decides what a batch does, from rows whose places are already known.
  ///
  /// - Parameters:
  ///   - placement: The old and new places of the changed rows.
  ///   - sectionNames: The section name of each row of the new order.
  ///   - oldValues: The values that decided the old place of a row, as far as they are known.
  /// - Throws: ``UnknownValues`` if the places contradict the results.
  package static func decide(
    _ placement: RowPlacement, in results: ResultRows, sectionNames: [String],
    oldValues: @escaping (Int64) -> ObjectSnapshot?, identify: ((Int64) -> ObjectID)?
  ) throws(UnknownValues) -> ResultsDecision {
    // What a stopped sort returns is in no order.
    if StopCheck.isStopped(over: placement.changed.count) { throw UnknownValues() }
    var sections: SectionDiff?
    if results.isSectioned {
      sections = SectionDiff(placement, names: sectionNames, of: results)
      if sections == nil { throw UnknownValues() }
    }
    return try decide(placement, sections, in: results, oldValues: oldValues, identify: identify)
  }

  /// Places changes among rows without sections.
  ///
  /// - Returns: The old and new places of the rows, and how the structure changes.
  /// - Throws: ``UnknownValues``.
  static func place(
    _ changed: [MembershipChange], in rows: ResultRows, order: RowOrder,
    keys: any PlacementKeys
  ) throws(UnknownValues) -> (placement: RowPlacement, edits: ResultsDecision.Edits) {
    let found = try PlacementSearch(results: rows, order: order, keys: keys)
      .find(changed, names: [])
    var diff = ResultsDiff(results: rows, placement: found.placement, sections: nil)
    diff.kept = diff.keptPlaces()
    try diff.decideEdits()
    diff.decideSections()
    return (found.placement, diff.decision.edits)
  }

  private static func decide(
    _ placement: RowPlacement, _ sections: SectionDiff?, in results: ResultRows,
    oldValues: @escaping (Int64) -> ObjectSnapshot?, identify: ((Int64) -> ObjectID)?
  ) throws(UnknownValues) -> ResultsDecision {
    var diff = ResultsDiff(results: results, placement: placement, sections: sections)
    try diff.decideRows()
    diff.decideSections()
    diff.decision.sort()
    if let identify {
      let count = placement.changed.count
      if StopCheck.isLong(count), StopCheck.isWanted(after: count) { throw UnknownValues() }
      let witness = EvidenceFinder(diff, oldValues: oldValues, identify: identify)
      diff.decision.evidence = try witness.evidence(of: diff.decision)
    }
    return diff.decision
  }

  private init(results: ResultRows, placement: RowPlacement, sections: SectionDiff?) {
    self.results = results
    self.placement = placement
    self.sections = sections
    newPlaces = Array(repeating: nil, count: placement.changed.count)
    for (place, index) in placement.newOrder.enumerated() { newPlaces[index] = place }
  }
}

// MARK: - Rows

extension ResultsDiff {
  private mutating func decideRows() throws(UnknownValues) {
    kept = keptPlaces()
    var firstRanks = FirstRanks()
    for (old, index) in placement.oldOrder.enumerated() {
      if StopCheck.isWanted(at: old) { throw UnknownValues() }
      let path = oldPath(old)
      guard let new = newPlaces[index] else {
        if !mutation(.lostDelete) {
          let reason = ChangeReason(leavingBy: placement.changed[index].cause)
          decision.deletes.append(row(.delete, index, path, nil, reason))
        }
        continue
      }
      if isInReorderedSection(old, new) {
        decision.deletes.append(row(.delete, index, path, nil, .sectionReordered))
        continue
      }
      let newPath = mutation(.oldPathForNew) ? path : newPath(new, &firstRanks)
      decision.movesAndUpdates.append(
        kept[new] || mutation(.lostMove)
          ? row(.update, index, path, newPath, .keptPlace)
          : row(.move, index, path, newPath, moveReason(old, new)))
      if mutation(.updateBesideMove), !kept[new] {
        decision.movesAndUpdates.append(row(.update, index, path, newPath, .keptPlace))
      }
    }
    for (new, index) in placement.newOrder.enumerated() {
      if StopCheck.isWanted(at: new) { throw UnknownValues() }
      var reason = ChangeReason(enteringBy: placement.changed[index].cause)
      if let old = placement.oldPlaces[index] {
        guard isInReorderedSection(old, new) else { continue }
        reason = .sectionReordered
      }
      decision.inserts.append(row(.insert, index, nil, newPath(new, &firstRanks), reason))
    }
    if StopCheck.isStopped(over: placement.changed.count) { throw UnknownValues() }
    try decideEdits()
  }

  /// Removes the rows that change their places from the tree, and inserts them again.
  private mutating func decideEdits() throws(UnknownValues) {
    for (place, index) in placement.oldOrder.enumerated() {
      if StopCheck.isWanted(at: place) { throw UnknownValues() }
      if let new = newPlaces[index], kept[new], passesNoUnchanged(place, new) { continue }
      decision.edits.removedRanks.append(placement.oldRanks[place])
    }
    for (place, index) in placement.newOrder.enumerated() {
      if StopCheck.isWanted(at: place) { throw UnknownValues() }
      if let old = placement.oldPlaces[index], kept[place], passesNoUnchanged(old, place) {
        continue
      }
      decision.edits.insertedRows.append(
        (placement.changed[index].number, placement.newRank(place)))
    }
  }

  /// For each row of the new order, whether it keeps its place.
  private func keptPlaces() -> [Bool] {
    var candidates: [Int] = []
    for (old, index) in placement.oldOrder.enumerated() {
      // The decision stops, too.
      if StopCheck.isWanted(at: old) { break }
      guard let new = newPlaces[index], staysInSection(old, new) else { continue }
      if passesNoUnchanged(old, new) || isRefilled(new) { candidates.append(new) }
    }
    var kept = [Bool](repeating: false, count: placement.newOrder.count)
    for (new, isKept) in zip(candidates, KeptOrder.longest(newPositions: candidates)) {
      kept[new] = isKept
    }
    return kept
  }

  func passesNoUnchanged(_ old: Int, _ new: Int) -> Bool {
    placement.oldGap(old) == placement.newGaps[new]
  }

  /// Whether a row's section has no unchanged row that it could pass.
  func isRefilled(_ new: Int) -> Bool {
    if case .slot = sections?.rowSections[new] { true } else { false }
  }

  func staysInSection(_ old: Int, _ new: Int) -> Bool {
    guard let sections else { return true }
    let index = sections.old.paths[old].section
    return sections.oldIndex(of: sections.rowSections[new]) == index
      && !sections.reordered.contains(index)
  }

  @inline(__always)
  private func isInReorderedSection(_ old: Int, _ new: Int) -> Bool {
    guard let sections, !sections.reordered.isEmpty else { return false }
    return sections.reordered.contains(sections.old.paths[old].section)
      || sections.oldIndex(of: sections.rowSections[new]).map(sections.reordered.contains) == true
  }

  private func moveReason(_ old: Int, _ new: Int) -> ChangeReason {
    guard staysInSection(old, new) else { return .changedSection }
    return passesNoUnchanged(old, new) || isRefilled(new) ? .passedChanged : .passedUnchanged
  }

  private func row(
    _ kind: ResultsDecision.RowChange.Kind, _ index: Int, _ indexPath: ResultsIndexPath?,
    _ newIndexPath: ResultsIndexPath?, _ reason: ChangeReason
  ) -> ResultsDecision.RowChange {
    ResultsDecision.RowChange(
      kind: kind, number: placement.changed[index].number, place: placement.changed[index].place,
      indexPath: indexPath, newIndexPath: newIndexPath, reason: reason)
  }

  func oldPath(_ place: Int) -> ResultsIndexPath {
    sections?.old.paths[place] ?? ResultsIndexPath(section: 0, row: placement.oldRanks[place])
  }

  /// The new ranks of the first rows of sections, as far as they must be searched.
  struct FirstRanks {
    private var known: [Int: Int] = [:]

    @inline(__always)
    mutating func of(_ rowSection: SectionDiff.RowSection, in sections: SectionDiff) -> Int {
      guard case .existing(let index) = rowSection else {
        return sections.newFirstRank(of: rowSection)
      }
      if let rank = known[index] { return rank }
      let rank = sections.newFirstRank(of: rowSection)
      known[index] = rank
      return rank
    }
  }

  func newPath(_ place: Int, _ firstRanks: inout FirstRanks) -> ResultsIndexPath {
    let rank = mutation(.intermediatePath) ? placement.newGaps[place] : placement.newRank(place)
    guard let sections else { return ResultsIndexPath(section: 0, row: rank) }
    let rowSection = sections.rowSections[place]
    return ResultsIndexPath(
      section: sections.newIndex(of: rowSection),
      row: rank - firstRanks.of(rowSection, in: sections))
  }
}

// MARK: - Sections

extension ResultsDiff {
  private mutating func decideSections() {
    guard let sections else {
      let growth = placement.newOrder.count - placement.oldOrder.count
      if growth != 0 { decision.edits.growths = [(0, growth)] }
      return
    }
    decision.edits.growths = sections.growths.filter { $0.rows != 0 }
    if !sections.old.emptied.isEmpty {
      let refilled = Set(sections.slots.compactMap(\.oldIndex))
      for index in sections.old.emptied where !refilled.contains(index) {
        removeSection(index, .emptied)
      }
    }
    for (index, slot) in sections.slots.enumerated() {
      if let oldIndex = slot.oldIndex, !sections.reordered.contains(oldIndex) {
        let growth = slot.count - sections.place(of: oldIndex).rowCount
        if growth != 0 { decision.edits.growths.append((oldIndex, growth)) }
        continue
      }
      if let oldIndex = slot.oldIndex { removeSection(oldIndex, .reordered) }
      insertSection(
        .slot(index), name: slot.name, count: slot.count,
        slot.oldIndex == nil ? .filled : .reordered)
    }
  }

  private mutating func removeSection(_ index: Int, _ reason: SectionReason) {
    guard let key = sections?.key(of: index) else { return }
    decision.edits.removedSections.append(index)
    if mutation(.lostSectionDelete) { return }
    decision.sectionDeletes.append(
      ResultsDecision.SectionChange(key: key, index: index, reason: reason))
  }

  private mutating func insertSection(
    _ rowSection: SectionDiff.RowSection, name: ScalarString, count: Int, _ reason: SectionReason
  ) {
    guard let index = sections?.newIndex(of: rowSection) else { return }
    decision.edits.insertedSections.append((name, count, index))
    if mutation(.lostSectionInsert) { return }
    decision.sectionInserts.append(
      ResultsDecision.SectionChange(key: name, index: index, reason: reason))
  }
}
