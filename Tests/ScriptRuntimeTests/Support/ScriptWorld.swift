import ScriptRuntime
import ScriptSyntax
import Testing

/// A session of its own and everything it printed.
final class ScriptWorld {
  private(set) var interpreter: Interpreter!
  private(set) var lines: [String] = []

  var session: Session { interpreter.session }

  init() {
    interpreter = Interpreter(environment: NoFiles()) { [unowned self] event in
      lines += EventFormatter.text.lines(for: event)
    }
  }

  convenience init(_ script: String) throws {
    self.init()
    try run(script)
  }

  /// Runs a script that must be right.
  func run(_ text: String) throws {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    try #require(script.diagnostics.map(\.message) == [])
    do {
      try interpreter.run(script)
    } catch {
      Issue.record("\(DiagnosticRenderer().render(error.diagnostic, in: error.source))")
      throw error
    }
  }

  /// There are no files, and nobody presses Ctrl-C.
  private final class NoFiles: ScriptEnvironment {
    var isInterrupted: Bool { false }

    func source(
      at path: String, includedFrom includer: String
    ) throws(UnreadableSource) -> SourceText {
      throw UnreadableSource(reason: "there are no files here")
    }
  }
}
