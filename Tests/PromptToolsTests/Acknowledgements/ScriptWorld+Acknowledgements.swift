import PromptTools
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

extension ScriptWorld {
  /// Runs a script, and returns the comments on its last statement.
  func acknowledgements(of text: String) throws -> [String] {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    try #require(script.diagnostics.map(\.message) == [])
    let last = try #require(script.statements.last)
    for statement in script.statements.dropLast() {
      try interpreter.run(statement, in: script.source)
    }
    let before = session.tally
    try interpreter.run(last, in: script.source)
    return Acknowledgement.all(of: last, before: before, session: session).map(\.description)
  }
}
