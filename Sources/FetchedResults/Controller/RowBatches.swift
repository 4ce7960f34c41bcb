/// Rows that were read because another one of their batch was looked at.
///
/// The last batches only: who walks through results comes to the rest of one
/// soon, or not at all.
struct RowBatches {
  private static var capacity: Int { 4 }

  private var batches: [[Int64: StoreRow]] = []

  /// Takes a batch of rows, and lets go of the oldest.
  mutating func add(_ rows: some Sequence<(Int64, StoreRow?)>) {
    if batches.count == Self.capacity { batches.removeFirst() }
    var batch: [Int64: StoreRow] = [:]
    for case (let number, let row?) in rows { batch[number] = row }
    batches.append(batch)
  }

  /// Returns a row, which is then kept no longer.
  mutating func take(_ number: Int64) -> StoreRow? {
    for index in batches.indices.reversed() {
      if let row = batches[index].removeValue(forKey: number) { return row }
    }
    return nil
  }

  /// Returns a row.
  func peek(_ number: Int64) -> StoreRow? { batches.lazy.compactMap { $0[number] }.first }
}
