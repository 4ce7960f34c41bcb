import FetchedResults
import Predictions
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// Asks for a prediction before a turn, as `:predict` turns on.
///
/// It holds the statements that wait for the prediction, and what they then send.
final class PromptPrediction {
  var isOn = false
  /// The events of the predicted statements.
  private(set) var events: [Event] = []
  /// Whether events are recorded.
  ///
  /// At other times they would only use memory.
  private var isHearing = false
  var explanations: [Explanation] = []
  private var held: ParsedScript?

  /// Whether statements wait for a prediction.
  var isHolding: Bool { held != nil }

  /// Records an event of a predicted statement.
  func hear(_ event: Event) { if isHearing { events.append(event) } }

  /// Starts or stops recording events.
  func setHearing(_ isHearing: Bool) {
    self.isHearing = isHearing
    if isHearing { events = [] }
  }

  func hold(_ script: ParsedScript) { held = script }

  /// Returns and removes the waiting statements.
  func takeHeld() -> ParsedScript? {
    defer { held = nil }
    return held
  }

  /// Whether statements can be predicted: they change something, and a controller follows changes.
  func asks(for script: ParsedScript, in session: Session) -> Bool {
    isOn && session.controllers.values.contains { $0.controller.sections != nil }
      && script.statements.contains { statement in
        switch statement.traits.effect {
        case .inserts, .changesObjects, .changesMatches, .saves, .rollsBack, .undoes, .redoes,
          .runs, .changes:
          true
        case .looks, .defines, .resets, .fetches, .changesRequest, .stopsTracking, .suspends,
          .resumes:
          false
        }
      }
  }

  /// Whether a prediction is complete.
  static func isComplete(_ entry: String) -> Bool {
    let lines = entry.linesOfText
    return entry.allSatisfy(\.isWhitespace) || lines == ["nothing"]
      || lines.count > 1 && lines.last?.allSatisfy(\.isWhitespace) == true
  }
}

extension PromptSession {
  /// Runs predicted statements, and grades the prediction.
  ///
  /// - Parameter prediction: The predicted lines. Only blank lines are no prediction.
  func run(_ script: ParsedScript, predicted lines: [String]) {
    prediction.setHearing(true)
    prediction.explanations = []
    timeline.interpreter.hearExplanations = { [prediction] in prediction.explanations += $0 }
    _ = run(script)
    timeline.interpreter.hearExplanations = nil
    prediction.setHearing(false)
    guard lines.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else { return }
    let grade = Grade(
      ofPrediction: lines, events: prediction.events, explanations: prediction.explanations,
      in: timeline.interpreter.session)
    for line in grade.lines { console.acknowledge("# \(line.description)") }
    let verdict =
      switch grade.verdict {
      case .right: "# right"
      case .partly: "# partly right"
      case .wrong: "# not right"
      }
    console.acknowledge(verdict)
  }

  func setPrediction(_ value: String?) {
    switch value?.lowercased() {
    case nil: prediction.isOn.toggle()
    case "on": prediction.isOn = true
    case "off": prediction.isOn = false
    default: return usage(.predict)
    }
    console.acknowledge(
      prediction.isOn
        ? "# each turn is asked about before it runs" : "# turns run without a question")
  }
}
