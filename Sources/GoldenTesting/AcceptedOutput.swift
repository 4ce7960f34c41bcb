import ScriptSyntax

/// The lines to expect of a block from now on: those that were printed, and the
/// patterns that still fit.
struct AcceptedOutput {
  private let mismatch: OutputMismatch
  /// The names that may be reused in the block.
  private let names: CapturedTexts
  private let budget = ComparisonBudget(steps: 100_000_000)

  static func lines(_ mismatch: OutputMismatch) -> [String] {
    let expectation = mismatch.expectation
    let accepted = AcceptedOutput(
      mismatch: mismatch, names: mismatch.captured.adding(expectation.unknownNames))
    let lines = mismatch.isUnordered ? accepted.unordered : accepted.ordered
    let fit = try? ExpectedOutput(
      lines, isUnordered: mismatch.isUnordered, captured: mismatch.captured
    ).match(mismatch.actual, until: accepted.budget)
    return (fit ?? nil) == nil ? mismatch.actual.map(accepted.escaped) : lines
  }

  private init(mismatch: OutputMismatch, names: CapturedTexts) {
    self.mismatch = mismatch
    self.names = names
  }

  private func escaped(_ line: String) -> String { LinePattern.escaped(line, names: names) }

  /// A line of output, in place of an expected one whose patterns stay if they
  /// can.
  private func line(_ actual: String, for expected: String?) -> String {
    adapted(expected, to: actual) ?? escaped(actual)
  }

  private func adapted(_ expected: String?, to actual: String) -> String? {
    guard let pattern = expected.flatMap({ LinePattern($0, names: names) }) else { return nil }
    return (try? pattern.adapted(to: actual, names: names, until: budget)) ?? nil
  }

  // MARK: In order

  private var ordered: [String] {
    OutputDiff.ordered(mismatch).flatMap { lines(of: $0) + $0.same }
  }

  private func lines(of hunk: OutputDiff.Hunk) -> [String] {
    guard let first = hunk.removed.firstIndex(where: { $0.text.isAnyLines }),
      let last = hunk.removed.lastIndex(where: { $0.text.isAnyLines })
    else { return lines(hunk.added.map(\.text), for: hunk.removed.map(\.text)) }
    // Lines around `…` give way to as many of the output's.
    let head = hunk.removed[..<first]
    let tail = hunk.removed[(last + 1)...]
    let before = hunk.added.prefix(head.count)
    let after = hunk.added.dropFirst(before.count).suffix(tail.count)
    return zip(before, head).map { line($0.text, for: $1.text) } + [ExpectedOutput.anyLines]
      + zip(after, tail.suffix(after.count)).map { line($0.text, for: $1.text) }
  }

  /// Lines of output in place of expected ones, of which each that has a pattern
  /// gives it to the next line that it can be made to fit.
  private func lines(_ actual: [String], for expected: [String]) -> [String] {
    var lines: [String] = []
    for line in expected {
      let near = actual[lines.count...].prefix(Self.reach)
      for (index, candidate) in zip(near.indices, near) {
        guard let adapted = adapted(line, to: candidate) else { continue }
        lines += actual[lines.count..<index].map(escaped) + [adapted]
        break
      }
    }
    return lines + actual[lines.count...].map(escaped)
  }

  /// How many lines are looked at for the one that an expected line became.
  private static let reach = 50

  // MARK: In any order

  private var unordered: [String] {
    let pairing = mismatch.expectation.largestPairing(with: mismatch.actual)
    var rest = pairing.rest.map { mismatch.actual[$0] }
    var lines: [String] = []
    for (expected, place) in zip(mismatch.expected, pairing.places) {
      if place != nil || expected.isAnyLines {
        lines.append(expected)
      } else if let partner = partner(of: expected, among: rest) {
        lines.append(line(rest.remove(at: partner), for: expected))
      }
    }
    return mismatch.expected.contains(where: \.isAnyLines) ? lines : lines + rest.map(escaped)
  }

  private func partner(of expected: String, among rest: [String]) -> Int? {
    let near = rest.prefix(Self.reach)
    return near.firstIndex { adapted(expected, to: $0) != nil }
      ?? near.firstIndex { WordDiff(from: expected, to: $0).isLikely }
  }
}
