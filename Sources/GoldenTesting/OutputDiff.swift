import Basics
import FetchedResults

/// The difference between expected and actual output, line by line.
package struct OutputDiff: Hashable, Sendable {
  package enum Line: Hashable, Sendable {
    case same(String)
    /// An expected line `…`, and the lines that it stands for.
    case anyLines([String])
    case removed(String)
    case added(String)
    /// A line that is similar to the expected one.
    case changed(WordDiff)
    /// A line at another place than expected. Line numbers of the output are counted from 1.
    case moved(String, from: Int, to: Int)
  }

  package private(set) var lines: [Line] = []

  /// Compares output with the expected output.
  ///
  /// - Complexity: O((*n* + *m*) · *d*), where *d* is the number of different lines between two
  ///   that occur exactly once in each. It is linear if *d* is a few thousand, because then these
  ///   lines count as different as a whole.
  package init(_ mismatch: OutputMismatch) {
    var hunks = Self.hunks(mismatch)
    if !mismatch.isUnordered { Self.findMoves(in: &hunks) }
    for hunk in hunks { lines += hunk.lines }
  }
}

// MARK: - Hunks

extension OutputDiff {
  /// A line with its index in its list.
  struct Numbered {
    let number: Int
    let text: String
  }

  /// A run of different lines, and the equal lines after it.
  struct Hunk {
    var removed: [Numbered] = []
    var added: [Numbered] = []
    /// For added lines that were expected elsewhere: their indices, and the expected places.
    var moves: [Int: Int] = [:]
    /// The equal lines after the different ones.
    var same: [String] = []

    /// The number of added lines that are searched for the successor of a removed line.
    private static let reach = 20
    /// The largest number of removed lines that get a partner.
    ///
    /// A report shows no more of a long difference.
    private static let mostPartners = 200

    /// Returns each removed line with the next added line that is similar to it.
    var pairs: [(removed: Numbered?, added: Numbered?)] {
      var result: [(Numbered?, Numbered?)] = []
      var rest = added[...]
      for (index, line) in removed.enumerated() where !line.text.isAnyLines {
        let partner = rest.prefix(index < Self.mostPartners ? Self.reach : 0).firstIndex {
          moves[$0.number] == nil && WordDiff(from: line.text, to: $0.text).isLikely
        }
        guard let partner else {
          result.append((line, nil))
          continue
        }
        result += rest[..<partner].map { (nil, $0) }
        result.append((line, rest[partner]))
        rest = rest[(partner + 1)...]
      }
      return result + rest.map { (nil, $0) }
    }

    var lines: [Line] {
      var lines: [Line] = []
      var swallowed: [String] = []
      let hasAnyLines = removed.contains { $0.text.isAnyLines }
      for pair in pairs {
        switch pair {
        case (let old?, let new?): lines.append(.changed(WordDiff(from: old.text, to: new.text)))
        case (let old?, nil): lines.append(.removed(old.text))
        case (nil, let new?):
          if let from = moves[new.number] {
            lines.append(.moved(new.text, from: from, to: new.number))
          } else if hasAnyLines {
            swallowed.append(new.text)
          } else {
            lines.append(.added(new.text))
          }
        case (nil, nil): break
        }
      }
      if hasAnyLines { lines.append(.anyLines(swallowed)) }
      return lines + same.map(Line.same)
    }
  }

  static func hunks(_ mismatch: OutputMismatch) -> [Hunk] {
    mismatch.isUnordered ? unordered(mismatch) : ordered(mismatch)
  }

  static func ordered(_ mismatch: OutputMismatch) -> [Hunk] {
    let (expected, actual) = (mismatch.expected, mismatch.actual)
    let common = LineAlignment(mismatch.expectation, actual)
    var hunks = [Hunk()]
    var old = 0
    var new = 0
    while old < expected.count || new < actual.count {
      let isRemoval = old < expected.count && common.isRemoved[old]
      let isInsertion = new < actual.count && common.isAdded[new]
      if isRemoval || isInsertion, !hunks[hunks.count - 1].same.isEmpty { hunks.append(Hunk()) }
      if isRemoval {
        hunks[hunks.count - 1].removed.append(Numbered(number: old + 1, text: expected[old]))
        old += 1
      } else if isInsertion {
        hunks[hunks.count - 1].added.append(Numbered(number: new + 1, text: actual[new]))
        new += 1
      } else {
        hunks[hunks.count - 1].same.append(expected[old])
        old += 1
        new += 1
      }
    }
    return hunks
  }

  /// Returns the missing and the surplus lines, if the order is ignored.
  private static func unordered(_ mismatch: OutputMismatch) -> [Hunk] {
    var hunk = Hunk()
    let pairing = mismatch.expectation.largestPairing(with: mismatch.actual)
    for (index, line) in mismatch.expected.enumerated() {
      if pairing.places[index] != nil {
        hunk.same.append(line)
      } else {
        hunk.removed.append(Numbered(number: index + 1, text: line))
      }
    }
    hunk.added = pairing.rest.map { Numbered(number: $0 + 1, text: mismatch.actual[$0]) }
    return [hunk]
  }

  /// Finds lines that appear at another place than expected.
  private static func findMoves(in hunks: inout [Hunk]) {
    var places: [ScalarString: [Int]] = [:]
    for line in hunks.flatMap(\.removed).reversed() {
      places[ScalarString(line.text), default: []].append(line.number)
    }
    var found: Set<Int> = []
    for index in hunks.indices {
      for line in hunks[index].added {
        guard let from = places[ScalarString(line.text)]?.popLast() else { continue }
        hunks[index].moves[line.number] = from
        found.insert(from)
      }
    }
    for index in hunks.indices { hunks[index].removed.removeAll { found.contains($0.number) } }
  }
}

/// An alignment of expected and actual lines: which are equal, and which are only in one of the
/// two.
struct LineAlignment {
  private(set) var isRemoved: [Bool]
  private(set) var isAdded: [Bool]

  /// The largest number of lines that are compared with one another.
  ///
  /// The time and the memory of a comparison grow with the square of the number of different lines.
  private static let mostLines = 2000

  /// Aligns lines.
  ///
  /// Lines that occur exactly once in each list, in the same order, divide the lists into parts. A
  /// part that is still too long counts as different as a whole.
  init(_ expected: ExpectedOutput, _ output: [String]) {
    isRemoved = Array(repeating: false, count: expected.lines.count)
    isAdded = Array(repeating: false, count: output.count)
    let comparer = LineComparer(expected, output)
    let shortest = min(expected.lines.count, output.count)
    var first = 0
    while first < shortest, comparer.fits(first, first) { first += 1 }
    let rest = shortest - first
    var last = 0
    while last < rest, comparer.fits(expected.lines.count - 1 - last, output.count - 1 - last) {
      last += 1
    }
    let old = first..<expected.lines.count - last
    let new = first..<output.count - last
    guard old.count + new.count > Self.mostLines else {
      align(old, new, comparer)
      return
    }
    var start = (old: old.lowerBound, new: new.lowerBound)
    for anchor in Self.anchors(expected.lines, old, output, new) {
      align(start.old..<anchor.old, start.new..<anchor.new, comparer)
      start = (anchor.old + 1, anchor.new + 1)
    }
    align(start.old..<old.upperBound, start.new..<new.upperBound, comparer)
  }

  private mutating func align(_ old: Range<Int>, _ new: Range<Int>, _ comparer: LineComparer) {
    guard old.count + new.count <= Self.mostLines else {
      for index in old { isRemoved[index] = true }
      for index in new { isAdded[index] = true }
      return
    }
    for change in Array(new).difference(from: Array(old), by: { comparer.fits($0, $1) }) {
      switch change {
      case .remove(_, let index, _): isRemoved[index] = true
      case .insert(_, let index, _): isAdded[index] = true
      }
    }
  }

  /// Returns the longest list of lines that occur exactly once in both and ascend in both.
  ///
  /// - Complexity: O(*n* log *n*).
  private static func anchors(
    _ expected: [String], _ old: Range<Int>, _ output: [String], _ new: Range<Int>
  ) -> [(old: Int, new: Int)] {
    let oldPlaces = places(of: expected, old)
    let newPlaces = places(of: output, new)
    let common = old.compactMap { index -> (old: Int, new: Int)? in
      let line = ScalarString(expected[index])
      guard oldPlaces[line] == .some(.some(index)), let place = newPlaces[line] ?? nil else {
        return nil
      }
      return (index, place)
    }
    // For each length, the last line of the best list, and the line before it.
    var ends: [Int] = []
    var before: [Int?] = []
    for (index, line) in common.enumerated() {
      let length = ends.partitioningIndex { common[$0].new > line.new }
      before.append(length > 0 ? ends[length - 1] : nil)
      if length < ends.count { ends[length] = index } else { ends.append(index) }
    }
    var result: [(old: Int, new: Int)] = []
    var next = ends.last
    while let index = next {
      result.append(common[index])
      next = before[index]
    }
    return result.reversed()
  }

  /// Returns the place of each line; nil for lines that occur several times.
  private static func places(of lines: [String], _ range: Range<Int>) -> [ScalarString: Int?] {
    var places: [ScalarString: Int?] = [:]
    for index in range {
      let line = ScalarString(lines[index])
      places.updateValue(places[line] == nil ? index : nil, forKey: line)
    }
    return places
  }
}

extension OutputDiff {
  /// Returns the lines that were only expected, and those that were only printed.
  package static func changes(_ mismatch: OutputMismatch) -> (removed: [String], added: [String]) {
    let hunks = hunks(mismatch)
    return (hunks.flatMap(\.removed).map(\.text), hunks.flatMap(\.added).map(\.text))
  }
}
