import LineEditor
import ScriptRuntime

/// How the prompt shows what statements print.
enum PromptMode: String, CaseIterable {
  case text
  case json
  case table

  var summary: String {
    switch self {
    case .text: "as scripts print it"
    case .json: "one JSON object a line"
    case .table: "rows and sections as tables, all else as text"
    }
  }

  /// Returns the lines of an event.
  func lines(for event: Event) -> [String] {
    switch self {
    case .text: EventFormatter.text.lines(for: event)
    case .json: EventFormatter.json.lines(for: event)
    case .table:
      EventTable(event) { !InterruptFlag.isRaised }?.lines
        ?? EventFormatter.text.lines(for: event)
    }
  }
}
