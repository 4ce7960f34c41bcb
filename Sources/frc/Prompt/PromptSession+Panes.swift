import PromptTools
import ScriptRuntime
import ScriptSyntax

extension PromptSession {
  /// `:pane books`, `:pane off`.
  ///
  /// Without a name, or with `on`, shows the only controller.
  func setPane(_ name: String?) {
    let isNamed = name != nil && (name != "on" || session.controllers["on"] != nil)
    if !isNamed, let shown = companion.paneName { return console.answer(["pane \(shown)"]) }
    let known = session.controllerNames
    guard let name = isNamed ? name : known.count == 1 ? known.first : nil else {
      return console.answer([PromptWords.pane(of: known)])
    }
    guard name != "off" else {
      companion.paneName = nil
      return console.acknowledge("# no pane")
    }
    guard console.isEditing, companion.isAllowed else {
      return console.answer([PromptWords.noPane])
    }
    var wanted = name
    // For a table, the pane shows the table's controller.
    if let table = session.tables[name] { wanted = table.controller.name }
    guard session.controllers[wanted] != nil else {
      return console.answer([PromptWords.noController(name, known: session.controllerNames)])
    }
    companion.paneName = wanted
    console.acknowledge("# the sections of \(wanted) are beside the line; :pane off hides them")
  }

  /// `:would insert Book(title: "Dune")`.
  func tellTrial(of text: String?) {
    guard let text else { return usage(.would) }
    let source = SourceText(name: Self.sourceName, text: text)
    let script = ScriptParser.parse(source, as: .prompt)
    for diagnostic in script.diagnostics { console.show(diagnostic, in: source) }
    guard !script.hasErrors else { return }
    guard timeline.canTry(script) else { return console.answer([PromptWords.notTried]) }
    guard let outcome = timeline.trial(of: script, within: PromptWords.longestTrial) else {
      return console.answer([PromptWords.trialTooLong])
    }
    WouldLine(callbacks: outcome.callbacks, failure: outcome.failure).lines
      .forEach(console.acknowledge)
  }
}

extension PromptWords {
  static let noPane =
    "no pane here: it needs a terminal in which the line can be drawn again, and no --plain"

  /// The answer if no pane is shown, and it is not clear which one is wanted.
  static func pane(of known: [String]) -> String {
    known.isEmpty
      ? "pane off; define a controller first"
      : "pane off; write ':pane \(known[0])', or another of \(known.joined(separator: ", "))"
  }

  static func noController(_ name: String, known: [String]) -> String {
    "no controller or table '\(name)'"
      + (known.isEmpty
        ? "; define a controller first"
        : "; there \(known.count == 1 ? "is" : "are") \(known.joined(separator: ", "))")
  }

  /// The longest time that `:would` tries a statement.
  static let longestTrial = Duration.seconds(10)

  static let notTried =
    "not tried: only statements without effects outside of the session are, on objects in memory, "
    + "where no hook or callback prints"
  static let trialTooLong = "not tried: it took more than 10 seconds, or was interrupted"
}

extension Diagnostic {
  /// Returns the corrected entry; nil if the correction is unknown.
  ///
  /// - Parameter start: The start of the part that has not run, in UTF-8 bytes.
  func correction(of source: SourceText, from start: Int = 0) -> String? {
    guard let replacement, severity == .error else { return nil }
    let bytes = source.bytes
    guard start <= range.lowerBound, range.upperBound <= bytes.count else { return nil }
    let before = String(decoding: bytes[start..<range.lowerBound], as: UTF8.self)
    let after = String(decoding: bytes[range.upperBound...], as: UTF8.self)
    return before + replacement + after
  }
}
