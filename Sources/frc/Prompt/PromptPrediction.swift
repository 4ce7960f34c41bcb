import GoldenTesting
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
  private var isRecording = false
  var explanations: [Explanation] = []
  private var held: ParsedScript?

  /// Whether statements wait for a prediction.
  var isHolding: Bool { held != nil }

  /// Records an event of a predicted statement.
  func record(_ event: Event) { if isRecording { events.append(event) } }

  /// Starts or stops recording events.
  func setRecording(_ isRecording: Bool) {
    self.isRecording = isRecording
    if isRecording { events = [] }
  }

  func hold(_ script: ParsedScript) { held = script }

  /// The lines of a prediction that a command interrupted.
  private(set) var draft: [String] = []

  /// Returns and removes the waiting statements, with the lines of the prediction.
  func takeHeld(predicted entry: String) -> (script: ParsedScript, lines: [String])? {
    guard let script = held else { return nil }
    defer { (held, draft) = (nil, []) }
    return (script, draft + entry.linesOfText)
  }

  /// Keeps the lines of a prediction above a command.
  func keepDraft(_ lines: [String]) {
    draft += lines.filter { !$0.allSatisfy(\.isWhitespace) }
  }

  /// Takes back the last line of the prediction, or else the waiting statements.
  ///
  /// - Returns: The line; nil if the statements were dropped.
  func undo() -> String? {
    let line = draft.popLast()
    if line == nil { held = nil }
    return line
  }

  /// Returns the lines above a command in the last line of a prediction, and the command; nil if
  /// there is none.
  static func command(in entry: String) -> (lines: [String], command: PromptEntry)? {
    let lines = entry.linesOfText
    guard let last = lines.last?.drop(while: \.isWhitespace), last.first == ":",
      let command = PromptEntry(String(last))
    else { return nil }
    return (lines.dropLast(), command)
  }

  /// Whether statements can be predicted: they change something, and a controller follows changes.
  func asks(for script: ParsedScript, in session: Session) -> Bool {
    isOn && session.controllers.values.contains { $0.sections != nil }
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
    return entry.allSatisfy(\.isWhitespace) || lines == ["nothing"] || command(in: entry) != nil
      || lines.count > 1 && lines.last?.allSatisfy(\.isWhitespace) == true
  }
}

extension PromptSession {
  /// Runs predicted statements, and grades the prediction.
  ///
  /// - Parameter prediction: The predicted lines. Only blank lines are no prediction.
  func run(_ script: ParsedScript, predicted lines: [String]) {
    prediction.setRecording(true)
    prediction.explanations = []
    timeline.interpreter.onExplanations = { [prediction] in prediction.explanations += $0 }
    run(script)
    timeline.interpreter.onExplanations = nil
    prediction.setRecording(false)
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

  /// Handles a command that was typed where a prediction is asked for.
  ///
  /// The statements and the lines so far wait until the command is done.
  ///
  /// - Returns: Whether the session continues.
  func take(_ command: PromptEntry, duringPrediction lines: [String]) -> Bool {
    prediction.keepDraft(lines)
    if command == .command(.undo, argument: nil) {
      let line = prediction.undo()
      console.acknowledge(line.map { "# undone: \($0)" } ?? "# the statement did not run")
      return true
    }
    guard take(command) else { return false }
    if !prediction.isOn, let (script, _) = prediction.takeHeld(predicted: "") {
      run(script, predicted: [])
    } else if !prediction.draft.isEmpty {
      console.acknowledge("# your prediction so far; an empty line ends it:")
      for line in prediction.draft { console.acknowledge("#   \(line)") }
    }
    return true
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
