import FetchedResults

/// Decides which expected lines match which lines of output, for differences.
///
/// Names that lines of the same block capture match any text. If a comparison takes too long the
/// answer is no, and the difference shows fewer matches.
final class LineComparer {
  private let lines: [ExpectedOutput.Line]
  private let names: CapturedTexts
  private let output: [String]
  private let expected: [String]
  private let budget = ComparisonBudget(steps: 100_000_000)
  /// The comparisons of lines that reuse what others capture.
  private var late: [Int: LineComparison] = [:]

  init(_ expected: ExpectedOutput, _ output: [String]) {
    lines = expected.readLines
    names = expected.captured.adding(expected.unknownNames)
    self.expected = expected.lines
    self.output = output
  }

  func fits(_ index: Int, _ place: Int) -> Bool {
    switch lines[index] {
    case .anyLines: return output[place].isAnyLines
    case .ready(let comparison): return fits(comparison, place)
    case .late(let pattern):
      let comparison = late[index] ?? LineComparison(pattern, names: names)
      late[index] = comparison
      return fits(comparison, place)
    }
  }

  private func fits(_ comparison: LineComparison, _ place: Int) -> Bool {
    ((try? comparison.fit(output[place], until: budget)) ?? nil) != nil
  }
}
