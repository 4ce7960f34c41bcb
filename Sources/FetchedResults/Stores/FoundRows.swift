import Basics

/// The result of a fetch: rows in order, and their division into sections.
///
/// The numbers and section values of the rows are known, unless a receiver took the rows and the
/// fetch did not ask for the numbers. Their other values are known if the fetch asked for them.
package struct FoundRows {
  package private(set) var numbers: [Int64]
  /// The rows that were read whole; empty if only keys were read.
  ///
  /// They come from the store, and may be more than ``numbers``.
  package var rows = ReadRows()
  /// Whether the request's ``RowReceiver`` has taken exactly these rows, in this order.
  package private(set) var wereReceived = false
  /// Consecutive rows with one section value; nil if the fetch has no sections.
  package private(set) var sections: [Run]?

  /// A section value, and the number of consecutive rows that have it.
  package struct Run {
    package let value: PropertyValue
    package var count: Int

    package init(value: PropertyValue, count: Int) {
      self.value = value
      self.count = count
    }
  }

  package init(numbers: [Int64], sections: [Run]? = nil) {
    self.numbers = numbers
    self.sections = sections
  }

  /// Creates the result of a fetch whose receiver has taken all of its rows.
  ///
  /// - Parameter numbers: Empty if the request does not want them.
  package init(received numbers: [Int64], sections: [Run]?) {
    self.init(numbers: numbers, sections: sections)
    wereReceived = true
  }

  /// Creates the result from rows whose values are known.
  ///
  /// - Parameter sectionIndex: The place of the section's value in each
  ///   snapshot; nil if the fetch has no sections.
  package init(_ rows: [SortableRow], sectionIndex: Int?) {
    numbers = rows.map(\.number)
    guard let sectionIndex else { return }
    var sections: [Run] = []
    for place in rows.indices {
      // The fetch of these rows stops, too.
      if StopCheck.isWanted(at: place) { break }
      sections.append(rows[place].snapshot[sectionIndex], count: 1)
    }
    self.sections = sections
  }

  /// Rows in order.
  ///
  /// - Parameters:
  ///   - sectionIndex: Nil if the fetch has no sections.
  ///   - areSorted: Whether all rows of a section certainly follow one another. Then few of their
  ///     values are read.
  ///   - section: Returns the value of a row's section.
  package init(
    _ numbers: [Int64], sectionIndex: Int?, areSorted: Bool = false,
    section: (Int64) -> PropertyValue
  ) {
    self.numbers = numbers
    guard sectionIndex != nil else { return }
    var sections: [Run] = []
    var (start, runs) = (0, 0)
    while start < numbers.count {
      if StopCheck.isWanted(at: runs) { break }
      runs += 1
      let value = section(numbers[start])
      let end =
        areSorted && value.isNamedAsCompared
        ? numbers.endOfRun(from: start) { section($0).namesSameSection(as: value) } : start + 1
      sections.append(value, count: end - start)
      start = end
    }
    self.sections = sections
  }

  /// A row from elsewhere, and its place among these.
  package struct Arrival {
    package let number: Int64
    /// How many of these rows come before it.
    package let place: Int
    /// The value of its section; not read if the fetch has no sections.
    package let section: PropertyValue

    package init(number: Int64, place: Int, section: PropertyValue) {
      self.number = number
      self.place = place
      self.section = section
    }
  }

  /// Returns these rows with others inserted.
  ///
  /// - Parameter arrivals: The rows to insert, in their final order.
  /// - Complexity: O(*n* + *k*) for *n* rows and *k* more.
  package func merged(with arrivals: [Arrival]) -> FoundRows {
    guard !arrivals.isEmpty else { return self }
    var numbers: [Int64] = []
    numbers.reserveCapacity(self.numbers.count + arrivals.count)
    var start = 0
    for arrival in arrivals {
      numbers += self.numbers[start..<arrival.place]
      numbers.append(arrival.number)
      start = arrival.place
    }
    numbers += self.numbers[start...]
    return with(numbers: numbers, sections: sections.map { Self.merged($0, arrivals) })
  }

  private static func merged(_ runs: [Run], _ arrivals: [Arrival]) -> [Run] {
    var merged: [Run] = []
    var next = 0
    var place = 0
    for run in runs {
      var rest = run.count
      while next < arrivals.count, arrivals[next].place < place + rest {
        let step = arrivals[next].place - place
        merged.append(run.value, count: step)
        merged.append(arrivals[next].section, count: 1)
        place += step
        rest -= step
        next += 1
      }
      merged.append(run.value, count: rest)
      place += rest
    }
    for arrival in arrivals[next...] { merged.append(arrival.section, count: 1) }
    return merged
  }

  /// Returns these rows without some of them.
  ///
  /// - Complexity: O(*n*).
  package func removing(_ isRemoved: (Int64) -> Bool) -> FoundRows {
    guard let sections else {
      return with(numbers: numbers.filter { !isRemoved($0) }, sections: nil)
    }
    var kept: [Int64] = []
    var runs: [Run] = []
    var rest = numbers[...]
    for run in sections {
      let left = rest.prefix(run.count).filter { !isRemoved($0) }
      rest = rest.dropFirst(run.count)
      runs.append(run.value, count: left.count)
      kept += left
    }
    return with(numbers: kept, sections: runs)
  }

  private func with(numbers: [Int64], sections: [Run]?) -> FoundRows {
    var found = FoundRows(numbers: numbers, sections: sections)
    found.rows = rows
    return found
  }

  /// Returns the rows within an offset and a limit; 0 means none.
  package func window(offset: Int, limit: Int) -> FoundRows {
    guard offset > 0 || limit > 0 else { return self }
    let first = min(max(offset, 0), numbers.count)
    let end = limit > 0 ? first + min(limit, numbers.count - first) : numbers.count
    guard let sections else { return with(numbers: Array(numbers[first..<end]), sections: nil) }
    var runs: [Run] = []
    var place = 0
    for run in sections {
      let kept = min(place + run.count, end) - max(place, first)
      runs.append(run.value, count: kept)
      place += run.count
    }
    return with(numbers: Array(numbers[first..<end]), sections: runs)
  }
}

/// Rows that a fetch read whole, in the order in which it found them.
package struct ReadRows {
  private var numbers: [Int64] = []
  private var rows: [StoreRow] = []

  package init() {}

  /// Adds a row.
  package mutating func append(_ row: StoreRow, number: Int64) {
    numbers.append(number)
    rows.append(row)
  }

  /// Returns the rows by number.
  ///
  /// - Complexity: O(*n*).
  package func byNumber() -> [Int64: StoreRow] {
    var found: [Int64: StoreRow] = Dictionary(minimumCapacity: rows.count)
    for place in numbers.indices {
      // The fetch of these rows stops, too.
      if StopCheck.isWanted(at: place) { break }
      found[numbers[place]] = rows[place]
    }
    return found
  }

  /// Calls `body` with numbers and their rows; nil for one that was not read.
  ///
  /// Numbers that are in the order of the rows cost no search.
  ///
  /// - Complexity: O(*n*).
  package func forEach(
    of wanted: [Int64], _ body: (_ number: Int64, _ row: StoreRow?) -> Void
  ) {
    var next = 0
    var known: [Int64: StoreRow]?
    for number in wanted {
      if next < numbers.count, numbers[next] == number {
        body(number, rows[next])
        next += 1
        continue
      }
      let rows = known ?? byNumber()
      known = rows
      body(number, rows[number])
    }
  }
}

extension [FoundRows.Run] {
  /// Adds rows at the end; does nothing unless `count` is above 0.
  package mutating func append(_ value: PropertyValue, count: Int) {
    guard count > 0 else { return }
    if let last, last.value.namesSameSection(as: value) {
      self[self.count - 1].count += count
    } else {
      append(FoundRows.Run(value: value, count: count))
    }
  }
}

extension [Int64] {
  /// Returns the index after the last element for which `isInRun` is true.
  ///
  /// It must be true for the first element, and for no element after one for which it is not.
  ///
  /// - Complexity: O(log *n*) for *n* elements of the run.
  fileprivate func endOfRun(from start: Int, _ isInRun: (Int64) -> Bool) -> Int {
    var known = start
    var step = 1
    while known + step < count, isInRun(self[known + step]) {
      known += step
      step *= 2
    }
    let rest = self[(known + 1)..<Swift.min(known + step, count)]
    return known + 1 + rest.partitioningIndex { !isInRun($0) } - rest.startIndex
  }
}

extension PropertyValue {
  /// Whether values of this kind name the same section exactly if a plain sort finds them equal.
  fileprivate var isNamedAsCompared: Bool {
    switch self {
    case .null, .bool, .int, .string: true
    case .double, .date, .decimal, .uuid, .uri, .data, .object, .list: false
    }
  }

  /// Whether both values name the same section.
  ///
  /// Doubles are compared by their bits. Zeros of different sign have one name, so runs of different
  /// values may name one section.
  fileprivate func namesSameSection(as other: PropertyValue) -> Bool {
    if case .double(let a) = self, case .double(let b) = other {
      return a.bitPattern == b.bitPattern
    }
    return self == other
  }
}

/// A fetch of dictionaries as a store sees it: values of rows, or of groups of rows.
package struct StoreGroups {
  package let request: StoreRequest
  /// The places in an ``ObjectSnapshot`` of the attributes that each row returns, or that all rows
  /// of a group share.
  package let keys: [Int]
  /// The values to compute for each group.
  package let aggregates: [Aggregate]
  /// Whether rows with the same keys become one.
  package let isGrouped: Bool

  /// A function of an attribute.
  package struct Aggregate: Hashable, Sendable {
    package let function: FetchedProperty.Function
    /// The attribute's place in an ``ObjectSnapshot``.
    package let place: Int
  }
}

/// The values of a row, or of a group of rows.
package struct FoundGroup: Equatable {
  /// The lowest number of the rows; 0 if there are none.
  package let first: Int64
  package let keys: [PropertyValue]
  package let aggregates: [PropertyValue]

  package init(first: Int64, keys: [PropertyValue], aggregates: [PropertyValue]) {
    self.first = first
    self.keys = keys
    self.aggregates = aggregates
  }
}
