import FetchedResults

/// A largest matching between rows and columns, by the algorithm of Hopcroft and Karp.
///
/// Sets of columns are rows of bits. Rows that match the same columns share one set, so that a
/// round is cheap even if everything matches everything.
struct BipartiteMatching {
  /// For each row, the index of its set in the candidates.
  private let rows: [Int]
  private let candidates: [BitRow]
  private let columnCount: Int
  private var columnOfRow: [Int?]
  private var rowOfColumn: [Int?]

  /// Creates a matching.
  ///
  /// - Parameters:
  ///   - rows: The index in `candidates` of each row.
  ///   - candidates: Sets of columns.
  ///   - columns: The number of columns.
  init(rows: [Int], candidates: [BitRow], columns: Int) {
    self.rows = rows
    self.candidates = candidates
    columnCount = columns
    columnOfRow = Array(repeating: nil, count: rows.count)
    rowOfColumn = Array(repeating: nil, count: columns)
  }

  /// Returns the column of each row; nil if it has none.
  ///
  /// - Complexity: O(√*n*) rounds of O(*n* · *m*) bits for *n* rows and *m*
  ///   columns.
  mutating func columns(
    until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> [Int?] {
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      let layers = try layers(until: budget)
      var free = BitRow(count: columnCount, isFull: true)
      for row in rows.indices where columnOfRow[row] == nil {
        if try augment(from: row, layers, &free, until: budget) { isGrowing = true }
      }
    }
    return columnOfRow
  }

  /// Returns the columns by the number of steps from a row without a column.
  ///
  /// The last layer is the first one with a free column.
  private func layers(until budget: ComparisonBudget) throws(ComparisonBudget.Exceeded) -> [BitRow]
  {
    var layers: [BitRow] = []
    var unseen = BitRow(count: columnCount, isFull: true)
    var open = rows.indices.filter { columnOfRow[$0] == nil }
    while !open.isEmpty {
      var layer = BitRow(count: columnCount)
      var next: [Int] = []
      var isLast = false
      for row in open {
        try budget.spend(unseen.words.count)
        let new = candidates[rows[row]].intersection(unseen)
        for column in new.members {
          unseen.remove(column)
          layer.insert(column)
          if let owner = rowOfColumn[column] { next.append(owner) } else { isLast = true }
        }
      }
      layers.append(layer)
      if isLast { break }
      open = next
    }
    return layers
  }

  /// Finds a column for a row, through rows that change to another column.
  ///
  /// Removes the tried columns from the free ones.
  private mutating func augment(
    from start: Int, _ layers: [BitRow], _ free: inout BitRow, until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> Bool {
    var path: [(row: Int, column: Int)] = []
    var row = start
    while true {
      try budget.spend(free.words.count)
      let column =
        path.count < layers.count
        ? candidates[rows[row]].first(in: layers[path.count], and: free) : nil
      if let column {
        free.remove(column)
        path.append((row, column))
        guard let owner = rowOfColumn[column] else { break }
        row = owner
      } else {
        guard let last = path.popLast() else { return false }
        row = last.row
      }
    }
    for (row, column) in path {
      columnOfRow[row] = column
      rowOfColumn[column] = row
    }
    return true
  }
}

/// A set of small numbers, stored as bits.
struct BitRow {
  private(set) var words: [UInt64]

  init(count: Int, isFull: Bool = false) {
    words = Array(repeating: isFull ? .max : 0, count: (count + 63) / 64)
  }

  mutating func insert(_ member: Int) { words[member / 64] |= 1 << UInt64(member % 64) }

  mutating func remove(_ member: Int) { words[member / 64] &= ~(1 << UInt64(member % 64)) }

  func intersection(_ other: BitRow) -> BitRow {
    var result = self
    for index in words.indices { result.words[index] &= other.words[index] }
    return result
  }

  /// The members, ascending.
  var members: [Int] {
    var members: [Int] = []
    for (index, word) in words.enumerated() {
      var word = word
      while word != 0 {
        members.append(index * 64 + word.trailingZeroBitCount)
        word &= word - 1
      }
    }
    return members
  }

  /// Returns the smallest member that is also in two other sets.
  func first(in second: BitRow, and third: BitRow) -> Int? {
    for index in words.indices {
      let word = words[index] & second.words[index] & third.words[index]
      if word != 0 { return index * 64 + word.trailingZeroBitCount }
    }
    return nil
  }
}

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
    let budget = ComparisonBudget.ofDifferences
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
