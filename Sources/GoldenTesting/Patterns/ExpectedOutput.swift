import Basics
import FetchedResults

/// The expected lines of output.
///
/// A line always matches an equal line. Otherwise a pattern in brackets stands for a part of a
/// line, and a line `…` for any number of lines.
package struct ExpectedOutput {
  package let lines: [String]
  let isUnordered: Bool
  /// The texts of captured names from earlier blocks.
  let captured: CapturedTexts
  /// The lines with patterns or escapes, by index.
  private let patterns: [Int: LinePattern]
  private let hasAnyLines: Bool

  package init(
    _ lines: [String], isUnordered: Bool = false, captured: CapturedTexts = CapturedTexts()
  ) {
    self.lines = lines
    self.isUnordered = isUnordered
    self.captured = captured
    var known = captured
    var patterns: [Int: LinePattern] = [:]
    for (index, line) in lines.enumerated() {
      guard let pattern = LinePattern(line, names: known) else { continue }
      patterns[index] = pattern
      if !isUnordered { for name in pattern.names { known.set(name, to: nil) } }
    }
    self.patterns = patterns
    hasAnyLines = lines.contains(where: \.isAnyLines)
  }

  /// The line that matches any lines.
  static let anyLines = "…"

  /// The result of a comparison that succeeded.
  package struct Match: Equatable {
    /// An expected line whose pattern was not needed.
    struct UnusedPattern: Hashable {
      let index: Int
      let use: PatternUse
    }

    /// The patterns that were not needed, in the order of the lines.
    var unusedPatterns: [UnusedPattern] = []
    /// The texts of the names that these lines captured.
    var captured = CapturedTexts()

    mutating func add(_ fit: LineComparison.Fit, of index: Int) {
      if fit.use != .used { unusedPatterns.append(UnusedPattern(index: index, use: fit.use)) }
      for (name, text) in fit.captures { captured.set(name, to: text) }
    }
  }

  /// Compares the lines with output; returns nil if it differs.
  ///
  /// - Complexity: O(*n*) for *n* lines without patterns. With patterns, each expected line is
  ///   compared with each line of output at most once. If the order is ignored, a matching in at
  ///   most O(*n* ^ 2.5) follows.
  package func match(
    _ output: [String], until budget: ComparisonBudget = ComparisonBudget()
  ) throws(ComparisonBudget.Exceeded) -> Match? {
    let isSame = lines.hasSameScalars(as: output)
    guard hasPatterns || isUnordered && !isSame else { return isSame ? Match() : nil }
    let match =
      isUnordered
      ? try unorderedMatch(output, until: budget) : try orderedMatch(output, until: budget)
    return match ?? (isSame ? Match() : nil)
  }

  /// Compares the lines with output.
  ///
  /// Returns the captured texts including those of these lines, or nil if the output differs.
  package func captures(
    from output: [String], isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> CapturedTexts? {
    let budget = ComparisonBudget(isCancelled: isCancelled)
    let match = (try? match(output, until: budget)) ?? nil
    return match.map { captured.adding($0.captured) }
  }

  /// Returns a line of output as an expected line, with `\` before text that would be a pattern.
  package static func escaped(_ line: String) -> String {
    LinePattern.escaped(line, names: CapturedTexts())
  }

  /// Whether there are lines, but none that says what is printed: only `…` and patterns for any
  /// line.
  var acceptsAnything: Bool {
    !lines.isEmpty
      && lines.enumerated().allSatisfy { index, line in
        line.isAnyLines || patterns[index]?.acceptsAnyLine == true
      }
  }

  /// Whether any line contains more than plain text.
  private var hasPatterns: Bool { hasAnyLines || !patterns.isEmpty }

  /// Returns the pattern of a line; nil if the line is plain text.
  func pattern(_ index: Int) -> LinePattern? { patterns[index] }

  /// The names that lines reuse, including names that the same block captures.
  var reusedNames: Set<String> { Set(patterns.values.flatMap(\.reusedNames)) }

  /// The names that these lines capture, with unknown texts.
  package var unknownNames: CapturedTexts {
    var names = CapturedTexts()
    for name in patterns.values.flatMap(\.names) { names.set(name, to: nil) }
    return names
  }

  /// Messages about text that looks like a pattern but is compared literally, with the indices of
  /// the lines.
  var faults: [(index: Int, message: String)] {
    patterns.flatMap { index, pattern in pattern.faults.map { (index, $0) } }
  }

  /// A line after it was read.
  enum Line {
    case anyLines
    case ready(LineComparison)
    /// A pattern that reuses what another line of the block captures.
    case late(LinePattern)
  }

  /// The lines in the form in which they are compared.
  var readLines: [Line] {
    var own: Set<String> = []
    return lines.enumerated().map { index, line in
      if line.isAnyLines { return .anyLines }
      guard let pattern = patterns[index] else { return .ready(LineComparison(plain: line)) }
      let isLate = pattern.reusedNames.contains(where: own.contains)
      if !isUnordered { own.formUnion(pattern.names) }
      return isLate ? .late(pattern) : .ready(LineComparison(pattern, names: captured))
    }
  }
}

// MARK: - In order

extension ExpectedOutput {
  /// Matches each run of lines between two `…` at the first place where it fits, and the last run
  /// at the end.
  private func orderedMatch(
    _ output: [String], until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> Match? {
    let read = readLines
    let runs = lines.indices.split(omittingEmptySubsequences: false) { lines[$0].isAnyLines }
    guard runs.count > 1 || lines.count == output.count else { return nil }
    var match = Match()
    var next = 0
    for (number, run) in runs.enumerated() {
      let latest = output.count - run.count
      let earliest = number == runs.count - 1 ? latest : next
      let last = number == 0 ? 0 : latest
      guard earliest >= next, earliest <= last else { return nil }
      var found: (place: Int, match: Match)?
      for place in earliest...last {
        let names = captured.adding(match.captured)
        if let fit = try fit(of: run, read, output, at: place, names, until: budget) {
          found = (place, fit)
          break
        }
      }
      guard let found else { return nil }
      if number > 0, found.place == next {
        match.unusedPatterns.append(.init(index: run.startIndex - 1, use: .nothing))
      }
      match.unusedPatterns += found.match.unusedPatterns
      match.captured = match.captured.adding(found.match.captured)
      next = found.place + run.count
    }
    if lines.hasSameScalars(as: output) { match.findOwnText(lines) }
    return match
  }

  /// Returns how a run of lines matches the output from a place on.
  private func fit(
    of run: Range<Int>, _ read: [Line], _ output: [String], at place: Int, _ names: CapturedTexts,
    until budget: ComparisonBudget
  ) throws(ComparisonBudget.Exceeded) -> Match? {
    var match = Match()
    for (index, actual) in zip(run, output[place...]) {
      let comparison: LineComparison
      switch read[index] {
      case .anyLines: return nil
      case .ready(let ready): comparison = ready
      case .late(let pattern):
        comparison = LineComparison(pattern, names: names.adding(match.captured))
      }
      guard let fit = try comparison.fit(actual, until: budget) else { return nil }
      match.add(fit, of: index)
    }
    return match
  }
}

extension ExpectedOutput.Match {
  /// Marks each `…` for which the output itself contains the line `…`.
  fileprivate mutating func findOwnText(_ lines: [String]) {
    unusedPatterns.removeAll { lines[$0.index].isAnyLines }
    unusedPatterns += lines.indices.filter { lines[$0].isAnyLines }
      .map { .init(index: $0, use: .ownText) }
    unusedPatterns = unusedPatterns.ordered { $0.index < $1.index }
  }
}

extension ExpectedOutput {
  /// Returns the number of lines from the start that match.
  package func commonPrefix(with output: [String]) -> Int {
    let comparer = LineComparer(self, output)
    return zip(lines.indices, output.indices).prefix { comparer.fits($0, $1) }.count
  }
}

extension [String] {
  /// Whether both have the same lines, compared by Unicode scalars.
  ///
  /// For `String`, é equals e with a combining accent. But if a golden has one and the program
  /// prints the other, the golden is wrong.
  func hasSameScalars(as other: [String]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.hasSameScalars(as: $1) }
  }
}
