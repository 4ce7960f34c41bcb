import FetchedResults

/// Output in any order.
extension ExpectedOutput {
  /// Which lines of output expected lines have.
  struct Pairing {
    /// The line of output of each expected line; nil if it has none, and of `…`.
    var places: [Int?]
    /// The lines of output that are left, in order.
    var rest: [Int] = []
  }

  /// Gives each expected line a line of output of its own, and the rest to `…`; nil if there are
  /// not enough, or too many.
  func unorderedMatch(
    _ output: [String], until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> Match? {
    let wild = lines.indices.filter { lines[$0].isAnyLines }
    guard output.count >= lines.count - wild.count, output.count == lines.count || !wild.isEmpty,
      let pairing = try pairing(with: output, isWhole: true, until: budget)
    else { return nil }
    let read = readLines
    var match = Match()
    for (index, place) in pairing.places.enumerated() {
      guard let place else {
        if !lines[index].isAnyLines { return nil }
        if pairing.rest.isEmpty {
          match.unusedPatterns.append(.init(index: index, use: .nothing))
        }
        continue
      }
      guard case .ready(let comparison) = read[index],
        let fit = try comparison.fit(output[place], until: budget)
      else { continue }
      match.add(fit, of: index)
    }
    return match
  }

  /// A pairing of as many lines as can be, for a difference; only of lines that
  /// are the same where patterns take too long.
  func largestPairing(with output: [String]) -> Pairing {
    let budget = ComparisonBudget(steps: 100_000_000)
    if let pairing = (try? pairing(with: output, isWhole: false, until: budget)) ?? nil {
      return pairing
    }
    var places: [ScalarString: [Int]] = [:]
    for (place, line) in output.enumerated().reversed() {
      places[ScalarString(line), default: []].append(place)
    }
    let found = lines.map { places[ScalarString($0)]?.popLast() }
    return Pairing(places: found, rest: places.values.flatMap(\.self).sorted())
  }

  /// Pairs as many expected lines with lines of output as can be: first those
  /// that are the same, then those with patterns.
  ///
  /// - Parameter isWhole: Whether only a pairing of every expected line is wanted; nil if there is
  ///   none.
  /// - Complexity: O(*n* · *m*) comparisons at most, where *m* is how many
  ///   different patterns there are, and O(*n* ^ 2.5) for the matching.
  func pairing(
    with output: [String], isWhole: Bool, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> Pairing? {
    var pairing = Pairing(places: Array(repeating: nil, count: lines.count))
    var left: [ScalarString: [Int]] = [:]
    for (place, line) in output.enumerated().reversed() {
      left[ScalarString(line), default: []].append(place)
    }
    var patterns: [Int] = []
    for (index, line) in lines.enumerated() where !line.isAnyLines {
      if pattern(index) != nil {
        patterns.append(index)
      } else if let place = left[ScalarString(line)]?.popLast() {
        pairing.places[index] = place
      } else if isWhole {
        return nil
      }
    }
    let rest = left.values.flatMap(\.self).sorted()
    guard !patterns.isEmpty, !rest.isEmpty else {
      pairing.rest = rest
      return pairing
    }
    let pairs = try pairs(of: patterns, with: rest.map { output[$0] }, until: budget)
    for (index, place) in zip(patterns, pairs) { pairing.places[index] = place.map { rest[$0] } }
    let taken = Set(pairs.compactMap(\.self))
    pairing.rest = rest.indices.filter { !taken.contains($0) }.map { rest[$0] }
    return pairing
  }

  /// The places of lines with patterns in what is left of the output.
  private func pairs(
    of patterns: [Int], with rest: [String], until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> [Int?] {
    // Equal patterns fit the same lines.
    var kinds: [ScalarString: Int] = [:]
    var candidates: [BitRow] = []
    var kindOfPattern: [Int] = []
    let index = LineIndex(rest)
    for pattern in patterns {
      let text = ScalarString(lines[pattern])
      if let kind = kinds[text] {
        kindOfPattern.append(kind)
        continue
      }
      kinds[text] = candidates.count
      kindOfPattern.append(candidates.count)
      candidates.append(try fitting(pattern, index, until: budget))
    }
    var matching = BipartiteMatching(
      rows: kindOfPattern, candidates: candidates, columns: rest.count)
    return try matching.columns(until: budget)
  }

  /// The lines that a line with a pattern fits.
  private func fitting(
    _ number: Int, _ index: LineIndex, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> BitRow {
    var fitting = BitRow(count: index.lines.count)
    guard let pattern = pattern(number) else { return fitting }
    let comparison = LineComparison(pattern, names: captured)
    let places = index.places(ofLinesWith: comparison.texts) + index.places(of: pattern.text)
    for place in places where try comparison.fit(index.lines[place], until: budget) != nil {
      fitting.insert(place)
    }
    return fitting
  }
}
