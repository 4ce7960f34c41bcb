/// One of several parts of a suite, which run on several machines.
///
/// All machines compute the same parts, from the same paths and the same recorded times. So the
/// parts together are the suite, and no test is in two parts.
package struct TestShard: Hashable, Sendable {
  /// The number of the part, counted from 1.
  package let number: Int
  package let count: Int

  /// Parses a part such as `2/4`; nil for any other text.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], count >= 1,
      (1...count).contains(number)
    else { return nil }
    self.number = number
    self.count = count
  }

  /// Returns the indices of the part's tests, ascending.
  ///
  /// The tests are distributed from the slowest to the fastest, each to the part with the least
  /// work so far. A test without a known time counts as the average of the others. If no time is
  /// known, tests are distributed by path.
  ///
  /// - Complexity: O(*n* (log *n* + *c*)) for *n* tests and *c* parts.
  package func indices(of paths: [String], seconds: (String) -> Double? = { _ in nil }) -> [Int] {
    let times = paths.map(seconds)
    let known = times.compactMap(\.self)
    let average = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
    let weights = times.map { max($0 ?? average, 0) }
    let order = paths.indices.sorted { left, right in
      if weights[left] != weights[right] { return weights[left] > weights[right] }
      return paths[left].utf8.lexicographicallyPrecedes(paths[right].utf8)
    }
    // If there are more parts than tests, the first parts get one test each.
    let parts = min(count, paths.count)
    var loads = [Double](repeating: 0, count: parts)
    var sizes = [Int](repeating: 0, count: parts)
    var chosen: [Int] = []
    for index in order {
      let part = loads.indices.min { (loads[$0], sizes[$0]) < (loads[$1], sizes[$1]) } ?? 0
      loads[part] += weights[index]
      sizes[part] += 1
      if part == number - 1 { chosen.append(index) }
    }
    return chosen.sorted()
  }
}
