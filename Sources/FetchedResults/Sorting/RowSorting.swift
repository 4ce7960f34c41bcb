/// Rows that are sorted, with their values.
///
/// A protocol and not closures, so that the compiler can make a copy of the sort for each kind.
protocol RowSource {
  /// The number of a row's object, by which rows with equal keys are ordered.
  func number(of row: Int) -> Int64

  func value(of row: Int, at place: Int) -> PropertyValue

  /// Reads something of a row's values, so that they are in the processor's cache.
  func touch(_ row: Int) -> Int
}

/// Keeps the optimizer from removing reads whose values are not used otherwise.
final class ReadAhead {
  @exclusivity(unchecked) private var sum = 0

  @inline(__always)
  func note(_ value: Int) { sum &+= value }
}

/// One sort of many rows.
///
/// Rows are sorted by the first key, those with equal values by the next one, and so on. Texts are
/// sorted by their first seven bytes, those with equal bytes by the next seven, and so on. So most
/// comparisons are made on numbers that lie side by side.
struct RowSorting<Source: RowSource> {
  /// What most comparisons need, without a reference to anything.
  private struct Entry {
    var code: UInt64
    var row: Int
  }

  private typealias Part = UnsafeMutableBufferPointer<Entry>

  /// By which bytes the texts of a key are compared.
  private enum Texts {
    /// By their own.
    case plain
    /// By the ranks of their letters; see ``LetterRanks``.
    case letters
  }

  private let keys: [RowOrder.Key]
  private let source: Source
  private let readAhead = ReadAhead()

  init(_ keys: [RowOrder.Key], of source: Source) {
    self.keys = keys
    self.source = source
  }

  /// Returns `result` of each row, in order.
  func sorted<Result>(_ rows: consuming [Int], _ result: (Int) -> Result) -> [Result] {
    var entries = ContiguousArray<Entry>()
    entries.reserveCapacity(rows.count)
    for row in rows { entries.append(Entry(code: 0, row: row)) }
    // The memory is needed for the sort.
    rows = []
    entries.withUnsafeMutableBufferPointer { sort($0, by: 0) }
    return entries.map { result($0.row) }
  }

  /// Sorts rows that are equal by the keys before one.
  private func sort(_ part: Part, by key: Int) {
    guard part.count > 1 else { return }
    // In a stopped sort any order will do.
    if part.count > 64, StopCheck.isWanted(after: part.count) { return }
    guard key < keys.count else { return sortByNumber(part) }
    if keys[key].strings.isPlain {
      let isExact = fill(part, by: key, .plain, from: 0) ?? false
      sortFilled(part, by: key, .plain, from: 0, isExact: isExact)
    } else if let isExact = fill(part, by: key, .letters, from: 0) {
      sortFilled(part, by: key, .letters, from: 0, isExact: isExact)
    } else {
      sortByBytes(part, by: key)
    }
  }

  private func sortByNumber(_ part: Part) {
    for place in part.indices {
      // The order of signed numbers, as that of unsigned ones.
      part[place].code = UInt64(bitPattern: source.number(of: part[place].row)) ^ (1 << 63)
    }
    sortByCode(part)
  }

  private func sortByCode(_ part: Part) {
    var part = part
    guard part.count > Self.sortedAtOnce else { return part.sort { $0.code < $1.code } }
    // In a stopped sort any order will do.
    if StopCheck.isWanted(after: part.count) { return }
    guard let highest = highestDifference(of: part) else { return }
    // About as many digits as rows, but few enough for the processor's nearest cache.
    let shift = max(highest + 1 - min(part.count.bitWidth - part.count.leadingZeroBitCount, 11), 0)
    let count = 1 << (highest + 1 - shift)
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { places in
      let ends = UnsafeMutableBufferPointer(rebasing: places[count...])
      divide(part, at: shift, next: UnsafeMutableBufferPointer(rebasing: places[..<count]), ends)
      guard shift > 0 else { return }
      var start = 0
      for end in ends {
        let end = Int(end)
        if end - start > 1 { sortByCode(Part(rebasing: part[start..<end])) }
        start = end
      }
    }
  }

  /// A longer part is divided first, so that a stop need not wait until all of it is sorted.
  private static var sortedAtOnce: Int { 1 << 10 }

  /// Returns the number of the highest bit in which codes differ; nil if they are in order already.
  private func highestDifference(of part: Part) -> Int? {
    var different: UInt64 = 0
    var areOrdered = true
    for place in 1..<part.count {
      different |= part[place].code ^ part[place - 1].code
      areOrdered = areOrdered && part[place - 1].code <= part[place].code
    }
    return areOrdered ? nil : 63 - different.leadingZeroBitCount
  }

  /// Moves the entries of a part to the places of their digits: the bits of their codes from one
  /// on, in which all that is above is equal.
  ///
  /// - Parameters:
  ///   - next: Memory for a number for each digit.
  ///   - ends: Receives for each digit the place after its last entry.
  private func divide(
    _ part: Part, at shift: Int, next: UnsafeMutableBufferPointer<Int32>,
    _ ends: UnsafeMutableBufferPointer<Int32>
  ) {
    let mask = UInt64(next.count - 1)
    @inline(__always)
    func digit(_ entry: Entry) -> Int {
      Int(truncatingIfNeeded: entry.code >> UInt64(shift) & mask)
    }
    ends.initialize(repeating: 0)
    for entry in part { ends[digit(entry)] += 1 }
    var sum: Int32 = 0
    for place in ends.indices {
      next.initializeElement(at: place, to: sum)
      sum += ends[place]
      ends[place] = sum
    }
    for own in ends.indices {
      while next[own] < ends[own] {
        var entry = part[Int(next[own])]
        var wanted = digit(entry)
        // Each entry that is found in a wrong place is carried to its own.
        while wanted != own {
          swap(&entry, &part[Int(next[wanted])])
          next[wanted] += 1
          wanted = digit(entry)
        }
        part[Int(next[own])] = entry
        next[own] += 1
      }
    }
  }

  /// A stop is looked for after this many rows.
  private static var rowsBetweenLooks: Int { 1 << 13 }

  /// How many rows are read ahead: as many as the processor's nearest cache surely holds.
  private static var rowsAhead: Int { 64 }

  /// Computes the codes of rows.
  ///
  /// - Returns: Whether equal codes mean equal values; nil if some text has no code.
  private func fill(_ part: Part, by key: Int, _ texts: Texts, from offset: Int) -> Bool? {
    let mask: UInt64 = keys[key].ascending ? 0 : .max
    var isExact = true
    for start in stride(from: 0, to: part.count, by: Self.rowsAhead) {
      let next = part[start..<min(start + Self.rowsAhead, part.count)]
      if start > 0, start % Self.rowsBetweenLooks == 0,
        StopCheck.isWanted(after: Self.rowsBetweenLooks)
      {
        return true
      }
      // Rows lie apart, and the processor carries out these reads at the same time.
      if next.count == Self.rowsAhead {
        for entry in next { readAhead.note(source.touch(entry.row)) }
      }
      for place in next.indices {
        guard let code = code(of: part[place].row, by: keys[key], texts, from: offset) else {
          return nil
        }
        isExact = isExact && code.isExact
        part[place].code = code.number ^ mask
      }
    }
    return isExact
  }

  @inline(__always)
  private func code(
    of row: Int, by key: RowOrder.Key, _ texts: Texts, from offset: Int
  ) -> SortCode? {
    let value = source.value(of: row, at: key.attribute)
    guard case .string(var text) = value else { return SortCode(value) }
    switch texts {
    case .plain: return text.withUTF8 { SortCode(bytes: $0, from: offset) }
    case .letters:
      return key.strings.letterCode(of: text, from: offset).map(SortCode.init(letters:))
    }
  }

  /// Texts with a longer common beginning are compared as a whole.
  private static var longestBeginning: Int { 8 * SortCode.textLength }

  /// Sorts rows by their codes, and those with equal codes by what follows.
  private func sortFilled(
    _ part: Part, by key: Int, _ texts: Texts, from offset: Int, isExact: Bool
  ) {
    sortByCode(part)
    let mask: UInt64 = keys[key].ascending ? 0 : .max
    var sorted = 0
    var isStopped = false
    forEachRun(of: part) { run in
      if isStopped { return }
      sorted += run.count
      if sorted > 1 << 10 {
        isStopped = StopCheck.isWanted(after: sorted)
        sorted = 0
      }
      if isExact { return sort(run, by: key + 1) }
      // A text may take long, and in a stopped sort any order will do.
      if run.count > 64, StopCheck.isWanted(after: run.count) { return }
      let next = offset + SortCode.textLength
      if SortCode.mayContinue(run[0].code ^ mask), next < Self.longestBeginning,
        case .string = source.value(of: run[0].row, at: keys[key].attribute),
        let isExact = fill(run, by: key, texts, from: next)
      {
        sortFilled(run, by: key, texts, from: next, isExact: isExact)
      } else if areEqual(run, by: keys[key]) {
        sort(run, by: key + 1)
      } else {
        sortByComparing(run, from: key)
      }
    }
  }

  /// Whether all values of rows are surely the same.
  private func areEqual(_ run: Part, by key: RowOrder.Key) -> Bool {
    let first = source.value(of: run[0].row, at: key.attribute)
    return run.dropFirst().allSatisfy { entry in
      let value = source.value(of: entry.row, at: key.attribute)
      if case .string(let text) = value, case .string(let other) = first {
        return text.hasSameScalars(as: other)
      }
      return key.compare(first, value) == 0
    }
  }

  /// Calls `body` with rows in a row that have equal codes, where there are several.
  private func forEachRun(of part: Part, _ body: (Part) -> Void) {
    var start = 0
    while start < part.count {
      var end = start + 1
      while end < part.count, part[end].code == part[start].code { end += 1 }
      if end - start > 1 { body(Part(rebasing: part[start..<end])) }
      start = end
    }
  }

  /// Sorts rows by comparing their values from a key on.
  private func sortByComparing(_ part: Part, from key: Int) {
    var part = part
    var isStopped = false
    var pause = 256
    part.sort { left, right in
      pause &-= 1
      if pause <= 0 {
        pause = 256
        isStopped = StopCheck.isWanted(after: 256)
      }
      return !isStopped && compare(left.row, right.row, from: key) < 0
    }
  }

  /// Compares two rows by the keys from one on.
  private func compare(_ left: Int, _ right: Int, from known: Int) -> Int {
    for key in keys[known...] {
      let result = key.compare(
        source.value(of: left, at: key.attribute), source.value(of: right, at: key.attribute))
      if result != 0 { return key.ascending ? result : -result }
    }
    let a = source.number(of: left)
    let b = source.number(of: right)
    return a < b ? -1 : a == b ? 0 : 1
  }

  // MARK: Texts with keys

  /// Sorts rows by the bytes of a key, which are computed once for each text.
  private func sortByBytes(_ part: Part, by number: Int) {
    let key = keys[number]
    let rows = part.map(\.row)
    var bytes: [[UInt8]?] = []
    bytes.reserveCapacity(rows.count)
    var stop = StopCheck.Loop()
    for row in rows {
      // In a stopped sort any order will do.
      if stop.isWanted(after: 16) { return }
      if case .string(let text) = source.value(of: row, at: key.attribute) {
        bytes.append(key.strings.key(for: text))
      } else {
        bytes.append(nil)
      }
    }
    // Until the end, an entry's row is an index of `bytes`.
    let mask: UInt64 = key.ascending ? 0 : .max
    for place in part.indices {
      part[place].row = place
      part[place].code = mask ^ code(bytes[place], of: rows[place], by: key).number
    }
    sortByCode(part)
    func compared(_ left: Int, _ right: Int) -> Int {
      guard let a = bytes[left], let b = bytes[right] else {
        return key.compare(
          source.value(of: rows[left], at: key.attribute),
          source.value(of: rows[right], at: key.attribute))
      }
      return a.withUnsafeBufferPointer { a in
        b.withUnsafeBufferPointer { b in a.comparedBytes(with: b) }
      }
    }
    forEachRun(of: part) { run in
      var run = run
      run.sort { left, right in
        if stop.isWanted(after: 4) { return false }
        let result = compared(left.row, right.row)
        return key.ascending ? result < 0 : result > 0
      }
      // Rows with equal bytes get equal codes.
      var code: UInt64 = 0
      for place in run.indices {
        if place > 0, compared(run[place - 1].row, run[place].row) != 0 { code += 1 }
        run[place].code = code
      }
      forEachRun(of: run) { equal in
        for place in equal.indices { equal[place].row = rows[equal[place].row] }
        sort(equal, by: number + 1)
        // Marks the rows that are no longer indices.
        for place in equal.indices { equal[place].row = ~equal[place].row }
      }
    }
    for place in part.indices {
      let row = part[place].row
      part[place].row = row < 0 ? ~row : rows[row]
    }
  }

  private func code(_ bytes: [UInt8]?, of row: Int, by key: RowOrder.Key) -> SortCode {
    guard let bytes else { return SortCode(source.value(of: row, at: key.attribute)) }
    return bytes.withUnsafeBufferPointer { SortCode(bytes: $0, from: 0) }
  }
}
