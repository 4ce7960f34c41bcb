/// Rows that are sorted, with their values.
///
/// A protocol and not closures, so that the compiler can make a copy of the sort for each kind.
protocol RowSource {
  /// The number of a row's object, by which rows with equal keys are ordered.
  func number(of row: Int) -> Int64

  func value(of row: Int, at place: Int) -> PropertyValue
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
    if StopCheck.isWanted(after: part.count) || isSorted(part) { return }
    let (lower, upper) = split(part, at: middleCode(of: part))
    guard max(lower, part.count - upper) < part.count / 8 * 7 else {
      return part.sort { $0.code < $1.code }
    }
    sortByCode(Part(rebasing: part[..<lower]))
    sortByCode(Part(rebasing: part[upper...]))
  }

  /// A longer part is split first, so that a stop need not wait until all of it is sorted.
  private static var sortedAtOnce: Int { 1 << 17 }

  private func isSorted(_ part: Part) -> Bool {
    for place in 1..<part.count where part[place].code < part[place - 1].code { return false }
    return true
  }

  /// The middle one of some codes of a part.
  private func middleCode(of part: Part) -> UInt64 {
    let codes = stride(from: 0, to: part.count, by: part.count / 31).map { part[$0].code }.sorted()
    return codes[codes.count / 2]
  }

  /// Moves lower codes to the front of a part, and higher ones to its end.
  ///
  /// - Returns: The ends of the lower codes and of the equal ones.
  private func split(_ part: Part, at code: UInt64) -> (lower: Int, upper: Int) {
    var lower = 0
    var place = 0
    var upper = part.count
    while place < upper {
      if part[place].code < code {
        part.swapAt(lower, place)
        lower += 1
        place += 1
      } else if part[place].code > code {
        upper -= 1
        part.swapAt(place, upper)
      } else {
        place += 1
      }
    }
    return (lower, upper)
  }

  /// A stop is looked for before each row whose index has all of these bits.
  private static var lookMask: Int { (1 << 13) - 1 }

  /// Computes the codes of rows.
  ///
  /// - Returns: Whether equal codes mean equal values; nil if some text has no code.
  private func fill(_ part: Part, by key: Int, _ texts: Texts, from offset: Int) -> Bool? {
    let mask: UInt64 = keys[key].ascending ? 0 : .max
    var isExact = true
    for place in part.indices {
      if place & Self.lookMask == Self.lookMask, StopCheck.isWanted(after: Self.lookMask + 1) {
        return true
      }
      guard let code = code(of: part[place].row, by: keys[key], texts, from: offset) else {
        return nil
      }
      isExact = isExact && code.isExact
      part[place].code = code.number ^ mask
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
