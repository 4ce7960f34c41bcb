import ScriptSyntax

/// The lines that a block expects from now on: the printed lines, with the patterns that still
/// match.
struct AcceptedOutput {
  private let mismatch: OutputMismatch
  /// The captured names that the block may reuse.
  private let names: CapturedTexts
  /// The limit for finding patterns that can be kept.
  ///
  /// Once it is reached, lines are accepted without patterns.
  private let budget = ComparisonBudget(steps: 20_000_000)

  static func lines(_ mismatch: OutputMismatch) -> [String] {
    guard !mismatch.expected.isEmpty else {
      return mismatch.actual.map { LinePattern.escaped($0, names: mismatch.captured) }
    }
    let expectation = mismatch.expectation
    let accepted = AcceptedOutput(
      mismatch: mismatch, names: mismatch.captured.adding(expectation.unknownNames))
    let lines = mismatch.isUnordered ? accepted.unordered : accepted.ordered
    let fit = try? ExpectedOutput(
      lines, isUnordered: mismatch.isUnordered, captured: mismatch.captured
    ).match(mismatch.actual, until: ComparisonBudget(steps: 100_000_000))
    guard (fit ?? nil) == nil else { return lines }
    // Without patterns, only earlier blocks keep names.
    return mismatch.actual.map { LinePattern.escaped($0, names: mismatch.captured) }
  }

  private func escaped(_ line: String) -> String { LinePattern.escaped(line, names: names) }

  /// Returns a line of output in place of an expected one.
  ///
  /// It keeps the expected line's patterns if they still match.
  private func line(_ actual: String, for expected: String?) -> String {
    expected.flatMap { adapted(adaptations(of: $0), to: actual) } ?? escaped(actual)
  }

  private func adaptations(of expected: String) -> [LineAdaptation] {
    LinePattern(expected, names: names)?.adaptations(names: names) ?? []
  }

  private func adapted(_ adaptations: [LineAdaptation], to actual: String) -> String? {
    for adaptation in adaptations {
      if let line = (try? adaptation.line(for: actual, until: budget)) ?? nil { return line }
    }
    return nil
  }

  // MARK: In order

  private var ordered: [String] {
    OutputDiff.ordered(mismatch).flatMap { lines(of: $0) + $0.same }
  }

  private func lines(of hunk: OutputDiff.Hunk) -> [String] {
    guard let first = hunk.removed.firstIndex(where: { $0.text.isAnyLines }),
      let last = hunk.removed.lastIndex(where: { $0.text.isAnyLines })
    else { return lines(hunk.added.map(\.text), for: hunk.removed.map(\.text)) }
    // The lines around `…` are replaced by as many lines of the output.
    let head = hunk.removed[..<first]
    let tail = hunk.removed[(last + 1)...]
    let before = hunk.added.prefix(head.count)
    let after = hunk.added.dropFirst(before.count).suffix(tail.count)
    return zip(before, head).map { line($0.text, for: $1.text) } + [ExpectedOutput.anyLines]
      + zip(after, tail.suffix(after.count)).map { line($0.text, for: $1.text) }
  }

  /// Returns lines of output in place of expected ones.
  ///
  /// The patterns of an expected line are kept in the next line of output that they can match.
  private func lines(_ actual: [String], for expected: [String]) -> [String] {
    var lines: [String] = []
    for line in expected {
      let adaptations = adaptations(of: line)
      guard !adaptations.isEmpty else { continue }
      let near = actual[lines.count...].prefix(Self.reach)
      for (index, candidate) in zip(near.indices, near) {
        guard let adapted = adapted(adaptations, to: candidate) else { continue }
        lines += actual[lines.count..<index].map(escaped) + [adapted]
        break
      }
    }
    return lines + actual[lines.count...].map(escaped)
  }

  /// The number of lines that are searched for the successor of an expected line.
  private static let reach = 50

  // MARK: In any order

  private var unordered: [String] {
    let pairing = mismatch.expectation.largestPairing(with: mismatch.actual)
    var rest = pairing.rest.map { mismatch.actual[$0] }[...]
    var lines: [String] = []
    var missing = 0
    for (expected, place) in zip(mismatch.expected, pairing.places) {
      guard place == nil, !expected.isAnyLines else {
        lines.append(expected)
        continue
      }
      missing += 1
      if let new = replacement(of: expected, missing, among: rest.prefix(Self.reach)) {
        lines.append(new.line)
        Self.remove(new.index, from: &rest)
      }
    }
    return mismatch.expected.contains(where: \.isAnyLines) ? lines : lines + rest.map(escaped)
  }

  /// The largest number of expected lines for which a similar line is searched that does not match.
  ///
  /// Such a line only takes the place of the old one.
  private static let mostPartners = 200

  /// Returns the line that replaces an expected line, and its index.
  ///
  /// - Parameter number: The number of expected lines without such a line so far, including this
  ///   one.
  private func replacement(
    of expected: String, _ number: Int, among near: ArraySlice<String>
  ) -> (index: Int, line: String)? {
    let adaptations = adaptations(of: expected)
    for (index, candidate) in zip(near.indices, near) {
      if let line = adapted(adaptations, to: candidate) { return (index, line) }
    }
    guard number <= Self.mostPartners,
      let partner = near.firstIndex(where: { WordDiff(from: expected, to: $0).isLikely })
    else { return nil }
    return (partner, escaped(near[partner]))
  }

  /// Removes a line that is close to the first one.
  private static func remove(_ index: Int, from lines: inout ArraySlice<String>) {
    for place in (lines.startIndex..<index).reversed() { lines[place + 1] = lines[place] }
    lines.removeFirst()
  }
}
