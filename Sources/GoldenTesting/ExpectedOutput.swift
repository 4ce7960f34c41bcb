import FetchedResults

/// Lines that output is held to.
///
/// Lines that are the same match. Where not all are, `[..]` within a line
/// stands for any text and a line `…` for any lines.
package struct ExpectedOutput {
  let lines: [String]
  let isUnordered: Bool

  package init(_ lines: [String], isUnordered: Bool = false) {
    self.lines = lines
    self.isUnordered = isUnordered
  }

  /// The line that stands for any lines.
  static let anyLines = "…"

  /// A comparison that came out well.
  package struct Match: Equatable {
    /// The indices of expected lines with a pattern that stands for nothing, in
    /// order.
    var unusedPatterns: [Int] = []
  }

  /// Compares with output; nil where it differs.
  ///
  /// - Complexity: O(*n*) for *n* lines without patterns; O(*n* · *m*) at most.
  package func match(_ output: [String]) -> Match? {
    if lines.hasSameScalars(as: output) {
      return Match(unusedPatterns: lines.indices.filter { lines[$0].hasPattern })
    }
    return isUnordered ? unorderedMatch(output) : orderedMatch(output)
  }

  private func orderedMatch(_ output: [String]) -> Match? {
    guard lines.contains(where: \.hasPattern),
      let spans = Wildcards.spans(
        of: lines, in: output, isWild: { $0 == Self.anyLines }, fits: Self.matches)
    else { return nil }
    return Match(
      unusedPatterns: lines.indices.filter { index in
        guard lines[index] != Self.anyLines else { return spans[index].isEmpty }
        return lines[index].wastesPattern(on: output[spans[index].lowerBound])
      })
  }

  /// Whether an expected line stands for a line of output.
  static func matches(_ expected: String, _ actual: String) -> Bool {
    expected.hasSameScalars(as: actual)
      || (expected.hasAnyText && expected.anyTexts(in: actual) != nil)
  }
}

// MARK: - Any order

extension ExpectedOutput {
  /// Pairs each expected line with one of the output: first those that are the
  /// same, then those with patterns.
  private func unorderedMatch(_ output: [String]) -> Match? {
    var left: [ScalarString: [Int]] = [:]
    for (index, line) in output.enumerated() { left[ScalarString(line), default: []].append(index) }
    var patterns: [Int] = []
    for (index, line) in lines.enumerated() where line != Self.anyLines {
      if left[ScalarString(line)]?.popLast() != nil { continue }
      guard line.hasPattern else { return nil }
      patterns.append(index)
    }
    let rest = left.values.flatMap(\.self).sorted().map { output[$0] }
    guard let pairs = pairs(patterns, with: rest) else { return nil }
    let wild = lines.indices.filter { lines[$0] == Self.anyLines }
    let isComplete = pairs.count == rest.count
    guard isComplete || !wild.isEmpty else { return nil }
    let wasted = pairs.filter { lines[$0.pattern].wastesPattern(on: rest[$0.place]) }
    return Match(unusedPatterns: (wasted.map(\.pattern) + (isComplete ? wild : [])).sorted())
  }

  /// Gives each line with a pattern a line of output of its own, or returns nil
  /// where there are not enough, by augmenting paths.
  private func pairs(
    _ patterns: [Int], with output: [String]
  ) -> [(pattern: Int, place: Int)]? {
    var owners: [Int: Int] = [:]
    for pattern in patterns {
      var visited: Set<Int> = []
      guard place(pattern, in: output, &owners, &visited) else { return nil }
    }
    return owners.map { (pattern: $1, place: $0) }
  }

  /// Finds a line with a pattern its place, and where that is taken finds the
  /// owner another one.
  private func place(
    _ pattern: Int, in output: [String], _ owners: inout [Int: Int], _ visited: inout Set<Int>
  ) -> Bool {
    for place in output.indices where Self.matches(lines[pattern], output[place]) {
      guard visited.insert(place).inserted else { continue }
      if let owner = owners[place], !self.place(owner, in: output, &owners, &visited) { continue }
      owners[place] = pattern
      return true
    }
    return false
  }
}

// MARK: - Patterns

extension String {
  /// What stands for any text within a line.
  fileprivate static let anyText = "[..]"

  fileprivate var hasPattern: Bool { self == ExpectedOutput.anyLines || hasAnyText }

  /// Whether `[..]` stands in the line.
  ///
  /// Every line is asked, and the standard library's search for a text takes
  /// many times as long.
  fileprivate var hasAnyText: Bool {
    var rest = utf8[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "[")) {
      if rest[start...].starts(with: Self.anyText.utf8) { return true }
      rest = rest[rest.index(after: start)...]
    }
    return false
  }

  /// What each `[..]` stands for in a line, or nil where it does not fit.
  fileprivate func anyTexts(in line: String) -> [Range<Int>]? {
    var pattern: [Unicode.Scalar?] = []
    for (index, part) in split(separator: Self.anyText, omittingEmptySubsequences: false)
      .enumerated()
    {
      if index > 0 { pattern.append(nil) }
      pattern += part.unicodeScalars.map(Optional.some)
    }
    let spans = Wildcards.spans(
      of: pattern, in: Array(line.unicodeScalars), isWild: { $0 == nil }, fits: { $0 == $1 })
    return spans.map { zip(pattern, $0).filter { $0.0 == nil }.map(\.1) }
  }

  /// Whether a line with a pattern that fits a line would fit it without.
  fileprivate func wastesPattern(on line: String) -> Bool {
    guard hasPattern else { return false }
    return hasSameScalars(as: line) || anyTexts(in: line)?.contains(where: \.isEmpty) == true
  }
}

/// Elements that stand for one each, but some for any number.
enum Wildcards {
  /// Returns what each element of a pattern stands for, the wild ones for as
  /// few as can be, or nil where the pattern does not fit.
  ///
  /// - Complexity: O(*n* · *m*) at most: only the last wild element is ever
  ///   tried again.
  static func spans<Pattern, Element>(
    of pattern: [Pattern], in elements: [Element], isWild: (Pattern) -> Bool,
    fits: (Pattern, Element) -> Bool
  ) -> [Range<Int>]? {
    var spans: [Range<Int>] = []
    var next = 0
    var lastWild: Int?
    while true {
      if spans.count < pattern.count, isWild(pattern[spans.count]) {
        lastWild = spans.count
        spans.append(next..<next)
      } else if spans.count < pattern.count, next < elements.count,
        fits(pattern[spans.count], elements[next])
      {
        spans.append(next..<next + 1)
        next += 1
      } else if spans.count == pattern.count, next == elements.count {
        return spans
      } else if let wild = lastWild, spans[wild].upperBound < elements.count {
        spans.removeSubrange((wild + 1)...)
        spans[wild] = spans[wild].lowerBound..<spans[wild].upperBound + 1
        next = spans[wild].upperBound
      } else {
        return nil
      }
    }
  }
}

extension [String] {
  /// Whether both have the same lines, by Unicode scalars.
  ///
  /// `String` itself holds é equal to e with an accent, and a golden that says
  /// the one where the program prints the other is wrong.
  func hasSameScalars(as other: [String]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.hasSameScalars(as: $1) }
  }
}
