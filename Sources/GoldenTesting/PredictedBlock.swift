import Predictions
import ScriptRuntime
import ScriptSyntax

/// The events in a block with a prediction.
struct PredictedBlock {
  var events: [Event] = []
  var explanations: [Explanation] = []

  /// Returns how the block's prediction compares with the events, line by line; none if it is
  /// right.
  func reasons(for block: StatementGroup) -> [String] {
    let grade = Grade(
      ofPrediction: plain(block.expected.map(\.text)), events: events,
      explanations: explanations)
    return grade.verdict == .right ? [] : grade.lines.map(\.description)
  }

  /// Returns the lines with patterns replaced by the printed lines that they stand for.
  private func plain(_ lines: [String]) -> [String] {
    let budget = ComparisonBudget(steps: 1_000_000)
    var output = events.flatMap(EventFormatter.text.lines)
    return lines.filter { $0 != ExpectedOutput.anyLines }.map { line in
      let expected = ExpectedOutput([line])
      let place = output.firstIndex { printed in
        ((try? expected.match([printed], until: budget)) ?? nil) != nil
      }
      return place.map { output.remove(at: $0) } ?? line
    }
  }
}
