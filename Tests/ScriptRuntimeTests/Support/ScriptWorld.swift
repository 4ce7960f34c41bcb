import ScriptRuntime
import ScriptSyntax
import Testing

/// A session of its own and everything it printed.
final class ScriptWorld {
  private(set) var lines: [String] = []
  private(set) var interpreter: Interpreter?

  var session: Session {
    get throws { try #require(interpreter).session }
  }

  init() {
    interpreter = Interpreter(environment: NoFiles()) { [unowned self] event in
      lines += EventFormatter.text.lines(for: event)
    }
  }

  convenience init(_ script: String) throws {
    self.init()
    try run(script)
  }

  /// Runs a script that must be right, and forgets nothing of what it printed.
  func run(_ text: String) throws {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    try #require(script.diagnostics.map(\.message) == [])
    for statement in script.statements { try run(statement, in: script.source) }
  }

  private func run(_ statement: Statement, in source: SourceText) throws {
    let interpreter = try #require(interpreter)
    do {
      try interpreter.run(statement, in: source)
    } catch {
      Issue.record("\(DiagnosticRenderer().render(error.diagnostic, in: error.source))")
      throw error
    }
  }

  /// Runs a script and returns what is acknowledged of its last statement.
  func acknowledgements(of text: String) throws -> [String] {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    try #require(script.diagnostics.map(\.message) == [])
    let last = try #require(script.statements.last)
    for statement in script.statements.dropLast() { try run(statement, in: script.source) }
    let before = try session.tally
    try run(last, in: script.source)
    return Acknowledgement.all(of: last, before: before, session: try session)
      .map(\.description)
  }
}

/// There are no files, and nobody presses Ctrl-C.
final class NoFiles: ScriptEnvironment {
  var isInterrupted: Bool { false }

  func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    throw UnreadableSource(reason: "there are no files here")
  }
}
