import FetchedResults
import Predictions
import PromptTools
import ScriptRuntime
import ScriptSyntax

/// What `:predict` asks before a turn: the statements that wait, and what they then do.
final class PromptPrediction {
  var isOn = false
  /// What the statements sent that were predicted.
  private(set) var events: [Event] = []
  /// Whether such statements run; otherwise their events would only take room.
  private var isHearing = false
  var explanations: [Explanation] = []
  private var held: ParsedScript?

  /// Whether statements wait for a prediction.
  var isHolding: Bool { held != nil }

  /// Takes an event, if it was predicted.
  func hear(_ event: Event) { if isHearing { events.append(event) } }

  /// Begins to hear events, or ends it.
  func setHearing(_ isHearing: Bool) {
    self.isHearing = isHearing
    if isHearing { events = [] }
  }

  func hold(_ script: ParsedScript) { held = script }

  /// The statements that wait, which then wait no longer.
  func takeHeld() -> ParsedScript? {
    defer { held = nil }
    return held
  }

  /// Whether somebody could predict something of statements: they change something, and a
  /// controller follows.
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

  /// Whether an answer needs no further line.
  static func isComplete(_ entry: String) -> Bool {
    let lines = entry.linesOfText
    return entry.allSatisfy(\.isWhitespace) || lines == ["nothing"]
      || lines.count > 1 && lines.last?.allSatisfy(\.isWhitespace) == true
  }
}

extension PromptSession {
  /// Runs statements of which was predicted what they send, and says what of it is right.
  ///
  /// - Parameter prediction: The lines; blank ones alone are not a prediction.
  func run(_ script: ParsedScript, predicted lines: [String]) {
    prediction.setHearing(true)
    prediction.explanations = []
    timeline.interpreter.hearExplanations = { [prediction] in prediction.explanations += $0 }
    _ = run(script)
    timeline.interpreter.hearExplanations = nil
    prediction.setHearing(false)
    guard lines.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else { return }
    let grade = Grade(
      ofPrediction: lines, events: prediction.events, explanations: prediction.explanations)
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
