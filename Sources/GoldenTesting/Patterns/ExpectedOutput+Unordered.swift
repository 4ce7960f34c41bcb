import FetchedResults

/// Comparison of output in any order.
extension ExpectedOutput {
  /// A pairing of expected lines with lines of output.
  struct Pairing {
    /// For each expected line, the index of its line of output; nil if it has none, and for `…`.
    var places: [Int?]
    /// The indices of the remaining lines of output, in order.
    var rest: [Int] = []
  }

  /// Pairs each expected line with a line of output of its own, and `…` with the rest.
  ///
  /// Returns nil if there are too few or too many lines.
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

  /// Returns a pairing of as many lines as possible, for a difference.
  ///
  /// If patterns take too long, only equal lines are paired.
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

  /// Pairs as many expected lines with lines of output as possible: first equal lines, then those
  /// with patterns.
  ///
  /// - Parameter isWhole: Whether every expected line must have a partner; if one has none, the
  ///   result is nil.
  /// - Complexity: At most O(*n* · *m*) comparisons, where *m* is the number of different patterns,
  ///   and O(*n* ^ 2.5) for the matching.
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

  /// Pairs lines that have patterns with the remaining output.
  private func pairs(
    of patterns: [Int], with rest: [String], until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> [Int?] {
    // Equal patterns match the same lines.
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

  /// Returns the lines that a line with a pattern matches.
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
