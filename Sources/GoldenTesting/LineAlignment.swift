import Basics
import FetchedResults

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
    let first = expected.commonPrefix(with: output)
    let rest = min(expected.lines.count, output.count) - first
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
