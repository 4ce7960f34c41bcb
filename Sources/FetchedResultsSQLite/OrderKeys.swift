import FetchedResults

/// The keys that give the order of an ordered relationship's members.
enum OrderKeys {
  /// The first key that Core Data gives, and the gap it leaves between two keys.
  private static let (first, step): (Int64, Int64) = (2048, 1024)

  /// Returns the members whose key has to change, with the new key.
  ///
  /// As many members as possible keep their keys; the others are new, or were moved. If there is no
  /// room between two keys, all members get new keys.
  ///
  /// - Parameters:
  ///   - wanted: The members in order.
  ///   - found: The keys that the file has.
  /// - Complexity: O(*n* log *n*) where members were moved, else O(*n*).
  static func changes(
    _ wanted: [ObjectID], found: [ObjectID: Int64]
  ) -> [(member: ObjectID, key: Int64)] {
    var keys = kept(wanted.map { found[$0] })
    if !fill(&keys) { keys = wanted.indices.map { first + Int64($0) * step } }
    return zip(wanted, keys).compactMap { member, key in
      guard let key, found[member] != key else { return nil }
      return (member, key)
    }
  }

  /// Returns the longest series of rising keys, with nil in place of the other keys.
  private static func kept(_ keys: [Int64?]) -> [Int64?] {
    let known = keys.indices.filter { keys[$0] != nil }
    let values = known.compactMap { keys[$0] }
    // Only one of two equal keys can stay, so the later one ranks lower.
    let order = values.indices.sorted { (values[$0], $1) < (values[$1], $0) }
    var ranks = [Int](repeating: 0, count: values.count)
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    var kept = keys
    for (place, stays) in zip(known, KeptOrder.longest(newPositions: ranks)) where !stays {
      kept[place] = nil
    }
    return kept
  }

  /// Gives keys to the members that have none.
  ///
  /// - Returns: False if there is no room for them.
  private static func fill(_ keys: inout [Int64?]) -> Bool {
    var start = 0
    while start < keys.count {
      guard keys[start] == nil else {
        start += 1
        continue
      }
      let end = keys[start...].firstIndex { $0 != nil } ?? keys.endIndex
      let lower = start > 0 ? keys[start - 1] : nil
      let upper = end < keys.count ? keys[end] : nil
      guard let new = series(end - start, after: lower, before: upper) else { return false }
      keys.replaceSubrange(start..<end, with: new)
      start = end
    }
    return true
  }

  /// Returns keys between two others, spread as far apart as possible.
  private static func series(_ count: Int, after lower: Int64?, before upper: Int64?) -> [Int64]? {
    let count = Int64(count)
    let start: Int64
    var step = step
    if let upper {
      start = lower ?? 0
      let (width, overflow) = upper.subtractingReportingOverflow(start)
      // In a damaged file, two keys may be too far apart to subtract.
      if overflow { return nil }
      step = width / (count + 1)
      guard step > 0 else { return nil }
    } else {
      start = lower ?? first - step
      guard start <= Int64.max - (count + 1) * step else { return nil }
    }
    return (1...count).map { start + $0 * step }
  }
}
