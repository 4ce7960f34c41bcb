import ScriptRuntime
import ScriptSyntax

/// The events in a block with a prediction.
struct PredictedBlock {
  var events: [Event] = []
  var explanations: [Explanation] = []

  /// Returns how the block's prediction compares with the events, line by line.
  ///
  /// A prediction with `…` leaves lines out, so it has to fit the output as a golden does.
  ///
  /// - Parameter session: The session after the block.
  func judgement(
    of block: StatementGroup, in session: Session
  ) -> (isRight: Bool, reasons: [String]) {
    let lines = block.expected.map(\.text)
    let grade = Grade(
      ofPrediction: plain(lines), events: events, explanations: explanations, in: session)
    let isRight =
      grade.verdict == .right && block.expected.allSatisfy(\.isPrediction)
      && !lines.contains(ExpectedOutput.anyLines)
    return (isRight, grade.verdict == .right ? [] : grade.lines.map(\.description))
  }

  /// Returns the lines with patterns replaced by the printed lines that they stand for.
  private func plain(_ lines: [String]) -> [String] {
    let budget = ComparisonBudget(steps: 1_000_000)
    var output = events.flatMap(\.lines)
    return lines.filter { $0 != ExpectedOutput.anyLines }.map { line in
      let expected = ExpectedOutput([line])
      let place = output.firstIndex { printed in
        ((try? expected.match([printed], until: budget)) ?? nil) != nil
      }
      return place.map { output.remove(at: $0) } ?? line
    }
  }
}
