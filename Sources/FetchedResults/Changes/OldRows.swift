/// The changed rows that were results before a batch, by their ranks.
struct OldRows {
  /// Indices of the changed rows, by rank.
  let order: [Int]
  let ranks: [Int]
  /// For each changed row its index in `order`; nil if it was not a result.
  let places: [Int?]

  init(_ changed: [MembershipChange]) {
    order = changed.map(\.oldRank).orderOfRanks
    ranks = order.map { changed[$0].oldRank ?? 0 }
    var places = [Int?](repeating: nil, count: changed.count)
    for (place, index) in order.enumerated() { places[index] = place }
    self.places = places
  }
}

extension [Int?] {
  /// The indices of the changed rows that have a rank, by rank.
  var orderOfRanks: [Int] {
    indices.filter { self[$0] != nil }.sorted { self[$0] ?? 0 < self[$1] ?? 0 }
  }
}
