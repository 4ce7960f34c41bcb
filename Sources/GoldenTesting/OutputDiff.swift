import FetchedResults

/// The difference of expected and actual output, line by line as people read
/// it.
package struct OutputDiff: Hashable, Sendable {
  package enum Line: Hashable, Sendable {
    case same(String)
    /// An expected line `…`, and the lines that it represents.
    case anyLines([String])
    case removed(String)
    case added(String)
    /// A line that has much in common with the expected one.
    case changed(WordDiff)
    /// A line that came at another place than expected; lines of the output
    /// counted from 1.
    case moved(String, from: Int, to: Int)
  }

  package private(set) var lines: [Line] = []

  /// Compares output with what was expected.
  ///
  /// - Complexity: O((*n* + *m*) · *d*), where *d* is how many lines differ
  ///   between two that are found once in each; linear where that are a few
  ///   thousand, which are then taken in one piece.
  package init(_ mismatch: OutputMismatch) {
    var hunks = mismatch.isUnordered ? Self.unordered(mismatch) : Self.ordered(mismatch)
    if !mismatch.isUnordered { Self.findMoves(in: &hunks) }
    for hunk in hunks { lines += hunk.lines }
  }
}

// MARK: - Hunks

extension OutputDiff {
  /// A line, with its place in its list.
  struct Numbered {
    let number: Int
    let text: String
  }

  /// Lines that differ, and those that came to the same after them.
  struct Hunk {
    var removed: [Numbered] = []
    var added: [Numbered] = []
    /// Added lines that were expected elsewhere, by their number, and where.
    var moves: [Int: Int] = [:]
    /// What was expected after the lines that differ, and came.
    var same: [String] = []

    /// How many added lines are looked at for the one that a removed line
    /// became.
    private static let reach = 20
    /// For how many removed lines; a report shows no more of a long piece.
    private static let mostPartners = 200

    /// Pairs each removed line with the next added one that has much in
    /// common with it.
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

  /// Where order means nothing: what is missing, and what is too much.
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

  /// Finds lines that were expected at one place and came at another.
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
