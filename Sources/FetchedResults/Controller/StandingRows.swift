/// The values that decide the places of rows in a controller's results: the values before the batch
/// that is decided, and before any later batch.
final class StandingRows: StandingKeys {
  let collationKeys: CollationKeys
  private let state: FetchedState
  private let table: ObjectTable
  private let batches: [ContextChanges]
  private let standByKeys: Bool
  private let mayBePinned: Bool
  /// Whether an object may not know that a batch names its number.
  private let mayBeForgotten: Bool
  private let standByOwnValues: Bool
  /// Whether a comparison met a row whose values in the results are unknown.
  @exclusivity(unchecked) private(set) var isIncomplete = false
  /// Keeps the optimizer from removing what ``touch(_:)`` reads.
  @exclusivity(unchecked) private var touched = 0
  /// The values before each batch.
  ///
  /// They are computed when the first row needs them, which is rare.
  private lazy var overlays = batches.map { $0.valuesBefore(of: state.root) }

  /// - Parameters:
  ///   - batch: The batch to decide.
  ///   - later: The batches that the controller receives next; their objects already have newer
  ///     values.
  init(_ state: FetchedState, in batch: ContextChanges, before later: [ContextChanges]) {
    self.state = state
    collationKeys = state.collationKeys
    table = state.context.table(of: state.root)
    batches = [batch] + later
    standByKeys = state.order.needsKeys
    mayBePinned = !state.pinned.isEmpty
    mayBeForgotten = state.context.hasForgottenInDelivery
    standByOwnValues = !standByKeys && !mayBePinned && !mayBeForgotten
  }

  /// - Complexity: O(1), and O(*k*) once.
  func values(ofRow number: Int64, before: ObjectSnapshot?) -> ObjectSnapshot? {
    if !standByKeys, !mayBePinned, let before { return before }
    return values(ofRow: number)
  }

  func values(ofRow number: Int64) -> ObjectSnapshot? {
    if standByKeys { return state.keptKeys(of: number) }
    if mayBePinned, let row = state.pinned[number] { return row.snapshot }
    if mayBeForgotten, let snapshot = overlaid(number) { return snapshot }
    let found = table.withObject(number) { object -> ObjectSnapshot? in
      if object.isInOpenBatch, let snapshot = overlaid(number) { return snapshot }
      return object.isUnprocessed ? object.baseline : object.snapshot
    }
    return found ?? state.comparedValues(of: number)
  }

  func ranks(
    of rows: [ComparedRow], in ranks: [Range<Int>], of results: SectionedResults
  ) -> [Int] {
    results.partitionPoints(in: ranks, touch: touch) { index, number in
      isPlaced(number, before: rows[index])
    }
  }

  @inline(__always)
  func isPlaced(_ number: Int64, before row: ComparedRow) -> Bool {
    if let code = row.code, let known = isPlaced(number, before: code) { return known }
    if row.probe.comparesByKeys, let known = standsByKeys(number, before: row.probe) {
      return known
    }
    return isPlaced(number, before: row.probe)
  }

  /// Reads a value that no decision depends on, so that the processor can start the next read
  /// without waiting.
  private func touch(_ number: Int64) {
    touched &+= table.withObject(number) { $0.snapshot.count } ?? 0
  }

  /// Returns whether a row of the results comes before another one, or nil if the code does not
  /// decide it.
  ///
  /// - Complexity: O(1).
  private func isPlaced(_ number: Int64, before code: ProbeCode) -> Bool? {
    guard standByOwnValues else { return nil }
    let found = table.withObject(number) { object -> Bool? in
      guard object.standsByItsValues else { return nil }
      return code.isAfter { object.snapshot[$0] }
    }
    return found ?? nil
  }

  /// Returns whether a row of the results comes before another one by the rules of a locale, or nil
  /// if the row's own values do not decide it.
  ///
  /// - Complexity: O(1).
  private func standsByKeys(_ number: Int64, before probe: RowProbe) -> Bool? {
    guard standByOwnValues else { return nil }
    let found = table.withObject(number) { object -> Bool? in
      guard object.standsByItsValues else { return nil }
      return probe.isAfter(number) { object.snapshot[$0] }
    }
    return found ?? nil
  }

  /// Returns whether a row of the results comes before another one; true if it no longer has
  /// values.
  ///
  /// - Complexity: O(1), and O(*k*) once.
  private func isPlaced(_ number: Int64, before probe: RowProbe) -> Bool {
    guard let other = values(ofRow: number) else {
      if !standByKeys { isIncomplete = true }
      return true
    }
    return probe.isAfter(other, number)
  }

  private func overlaid(_ number: Int64) -> ObjectSnapshot? {
    overlays.lazy.compactMap { $0[number] }.first
  }
}
