/// Rows that were read before their objects were accessed: by the fetch, or together with another
/// row of their batch.
///
/// Only the last batches are kept. A walk through the results needs the rest of a batch soon, or
/// never.
struct RowBatches {
  private static var capacity: Int { 4 }

  /// Rows that the fetch read, for a request without a batch size.
  private var fetched: [Int64: StoreRow] = [:]
  private var batches: [[Int64: StoreRow]] = []
  /// How many saves of others the store had noticed when the batches were read.
  private var foreignSaves = 0

  /// Drops the batches that were read before others saved.
  ///
  /// An object made from such a row would have older values than those that other controllers of
  /// its context have fetched since.
  mutating func dropOutdated(at foreignSaves: Int) {
    guard self.foreignSaves != foreignSaves else { return }
    self.foreignSaves = foreignSaves
    batches = []
    fetched = [:]
  }

  /// Keeps what the fetch read.
  ///
  /// - Parameter foreignSaves: How many saves of others the store had noticed then.
  mutating func keep(_ rows: [Int64: StoreRow], at foreignSaves: Int) {
    self.foreignSaves = foreignSaves
    fetched = rows
  }

  /// Adds a batch of rows, and drops the oldest.
  mutating func add(_ rows: some Sequence<(Int64, StoreRow?)>) {
    if batches.count == Self.capacity { batches.removeFirst() }
    var batch: [Int64: StoreRow] = [:]
    for case (let number, let row?) in rows { batch[number] = row }
    batches.append(batch)
  }

  /// Removes a row and returns it.
  mutating func take(_ number: Int64) -> StoreRow? {
    if !fetched.isEmpty, let row = fetched.removeValue(forKey: number) { return row }
    for index in batches.indices.reversed() {
      if let row = batches[index].removeValue(forKey: number) { return row }
    }
    return nil
  }

  /// Returns a row.
  func peek(_ number: Int64) -> StoreRow? {
    fetched[number] ?? batches.lazy.compactMap { $0[number] }.first
  }
}
