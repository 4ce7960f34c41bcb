/// Finds the new places of the changed rows of a batch.
///
/// A row belongs to the section of its name, and is searched only among the rows of that section.
/// If a section has changed rows only, only its first row is searched.
struct PlacementSearch {
  let results: SectionedResults
  let order: RowOrder
  let keys: any StandingKeys

  /// The new places of the rows, and their sections.
  struct Outcome {
    let placement: RowPlacement
    /// Nil if the results have no section key path.
    var sections: SectionDiff?
  }

  /// Finds the places of changed rows.
  ///
  /// - Parameter names: The section name of each row that is a result after the batch; empty if the
  ///   results have no section key path.
  /// - Throws: ``ResultsDiff/UnknownValues``.
  /// - Complexity: O(*k* log *n*). If sections change places with others, O(*r* log *n*) more for
  ///   their *r* rows.
  func find(
    _ changed: [MembershipChange], names: [String]
  ) throws(ResultsDiff.UnknownValues) -> Outcome {
    switch try findOnce(changed, names: names) {
    case .found(let outcome): return outcome
    case .reordered(let sections):
      // Once their rows count as changed, no unchanged row passes another.
      let known = Set(changed.map(\.number))
      var all = changed
      var names = names
      for section in sections {
        let rows = try unchangedRows(of: section, besides: known)
        all += rows
        names += Array(repeating: results.name(ofSection: section), count: rows.count)
      }
      guard case .found(let outcome) = try findOnce(all, names: names) else {
        throw ResultsDiff.UnknownValues()
      }
      return outcome
    }
  }

  private func unchangedRows(
    of section: Int, besides changed: Set<Int64>
  ) throws(ResultsDiff.UnknownValues) -> [MembershipChange] {
    var rows: [MembershipChange] = []
    let first = results.firstRank(ofSection: section)
    for rank in first..<first + results.rowCount(ofSection: section) {
      let number = results.number(at: rank)
      if changed.contains(number) { continue }
      guard let values = keys.values(ofRow: number) else { throw ResultsDiff.UnknownValues() }
      rows.append(MembershipChange(unchanged: number, oldRank: rank, values: values))
    }
    return rows
  }
}

extension PlacementSearch {
  private enum Attempt {
    case found(Outcome)
    /// Sections with unchanged rows that change places with others, by their old
    /// indices, ascending.
    case reordered([Int])
  }

  private func findOnce(
    _ changed: [MembershipChange], names: [String]
  ) throws(ResultsDiff.UnknownValues) -> Attempt {
    let old = OldRows(changed)
    let rows = EnteringRows(changed, order: order, keys: keys)
    guard results.isSectioned else {
      let ranks = ranks(of: rows, changed, in: nil)
      if keys.isIncomplete { throw ResultsDiff.UnknownValues() }
      let gaps = ranks.map { $0.rank - old.ranks.countBefore($0.rank) }
      return .found(Outcome(placement: placement(changed, old, rows.indices, gaps)))
    }
    let oldSections = OldSections(old.ranks, in: results)
    var homes = RowHomes(
      rows.indices, names: names, old: old, in: oldSections, of: results)
    let ranks = ranks(of: rows, changed, in: homes)
    let sequence = SectionSequence(
      homes, rows, ranks: { ranks[$0] }, old: oldSections, oldRanks: old.ranks, of: results)
    let places = sequence.places(of: homes.slots) { ranks[$0] }
    let keepsOrder = sequence.keepsOrder || mutation(.sectionsPassUnseen)
    let slotGaps = keepsOrder ? sequence.place(&homes.slots, at: places) : []
    let reordered =
      keepsOrder
      ? homes.reorderedSections(old: oldSections, sectionCount: results.sectionCount)
      : sequence.reordered(homes.slots, at: places)
    if keys.isIncomplete || rows.isIncomplete { throw ResultsDiff.UnknownValues() }
    let unchanged = reordered.filter { !oldSections.emptied.contains(sorted: $0) }
    if !keepsOrder || !unchanged.isEmpty { return .reordered(unchanged.sorted()) }
    let gaps = zip(homes.homes, ranks).map { home, found in
      switch home {
      case .existing: found.rank - old.ranks.countBefore(found.rank)
      case .slot(let slot): slotGaps[slot]
      }
    }
    let sequenceOfRows = homes.sequence(old: oldSections)
    homes.reorder(sequenceOfRows)
    let placement = placement(
      changed, old, sequenceOfRows.map { rows.indices[$0] }, sequenceOfRows.map { gaps[$0] })
    return .found(
      Outcome(
        placement: placement,
        sections: SectionDiff(
          placement, homes, old: oldSections, reordered: reordered, of: results)))
  }

  private func placement(
    _ changed: [MembershipChange], _ old: OldRows, _ newOrder: [Int], _ newGaps: [Int]
  ) -> RowPlacement {
    RowPlacement(
      changed, old: old, newOrder: newOrder, newGaps: newGaps, rowCount: results.rowCount)
  }

  /// Returns the rank of each row.
  ///
  /// In a section of changed rows only, the first row alone gets one.
  private func ranks(
    of rows: EnteringRows, _ changed: [MembershipChange], in homes: RowHomes?
  ) -> [SectionSequence.Rank] {
    var ranks = [SectionSequence.Rank](
      repeating: SectionSequence.Rank(rank: 0, isOwn: false), count: rows.count)
    var searched: [Int] = []
    var ranges: [Range<Int>] = []
    for (row, index) in rows.indices.enumerated() {
      if let homes, !homes.isSearched(row) { continue }
      // Most changes do not touch the keys, so the place stays.
      if homes?.stays[row] ?? true, let oldRank = changed[index].oldRank,
        let values = keys.values(ofRow: changed[index].number, before: changed[index].before),
        mutation(.stalePlace) || rows.keepsKeys(row, of: values)
      {
        ranks[row] = SectionSequence.Rank(rank: oldRank, isOwn: true)
        continue
      }
      searched.append(row)
      ranges.append(homes?.ranges[row] ?? 0..<results.rowCount)
    }
    for (row, rank) in zip(searched, rows.ranks(of: searched, in: ranges, of: results)) {
      ranks[row] = SectionSequence.Rank(rank: rank, isOwn: false)
    }
    return ranks
  }
}
