/// Finds which items keep their places while the others move around them.
package enum KeptOrder {
  /// Finds the items that keep their old order in the new order.
  ///
  /// The result is the heaviest such set. Of several, it is the one whose old positions come first
  /// in dictionary order.
  ///
  /// - Parameters:
  ///   - newPositions: The position of each item in the new order; all different.
  ///   - weights: How much it is worth to keep each item, at least 1.
  /// - Complexity: O(*n* log *n*).
  package static func longest(newPositions: [Int], weights: [Int]? = nil) -> [Bool] {
    let count = newPositions.count
    var kept = [Bool](repeating: false, count: count)
    guard zip(newPositions, newPositions.dropFirst()).contains(where: { $0 > $1 }) else {
      return Array(repeating: true, count: count)
    }

    if mutation(.noneKept) { return kept }

    // best[i]: the weight of the heaviest kept set that begins with thing i.
    let ranks = ranks(of: newPositions)
    var best = [Int](repeating: 0, count: count)
    var maxima = SuffixMaxima(count: count)
    for index in newPositions.indices.reversed() {
      best[index] = (weights?[index] ?? 1) + maxima.maximum(above: ranks[index])
      maxima.raise(ranks[index], to: best[index])
    }

    // The first set begins with the earliest item that begins a heaviest set.
    var remaining = best.max() ?? 0
    var last = -1
    for index in newPositions.indices where best[index] == remaining && ranks[index] > last {
      kept[index] = true
      last = ranks[index]
      remaining -= weights?[index] ?? 1
      if remaining == 0 { break }
    }
    return kept
  }

  /// Replaces distinct numbers by their ranks in ascending order.
  private static func ranks(of positions: [Int]) -> [Int] {
    var ranks = positions
    let order = positions.indices.sorted { positions[$0] < positions[$1] }
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    return ranks
  }

  /// A Fenwick tree from the right: the greatest value above a position.
  private struct SuffixMaxima {
    private var tree: [Int]

    init(count: Int) { tree = Array(repeating: 0, count: count + 1) }

    mutating func raise(_ place: Int, to value: Int) {
      var index = tree.count - 1 - place
      while index < tree.count {
        tree[index] = max(tree[index], value)
        index += index & -index
      }
    }

    func maximum(above place: Int) -> Int {
      var index = tree.count - 2 - place
      var result = 0
      while index > 0 {
        result = max(result, tree[index])
        index -= index & -index
      }
      return result
    }
  }
}
