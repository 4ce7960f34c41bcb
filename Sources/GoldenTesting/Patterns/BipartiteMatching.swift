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
