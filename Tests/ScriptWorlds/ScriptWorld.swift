package import ScriptRuntime
import ScriptSyntax

/// A session of its own and everything it printed.
package final class ScriptWorld {
  package let interpreter: Interpreter
  private let output = Output()

  package var session: Session { interpreter.session }
  package var lines: [String] { output.lines }

  private final class Output {
    var lines: [String] = []
  }

  package init() {
    interpreter = Interpreter(environment: ScriptFiles()) { [output] event in
      output.lines += EventFormatter.text.lines(for: event)
    }
  }

  package convenience init(_ script: String) throws {
    self.init()
    try run(script)
  }

  /// Runs a script that must be right, and forgets nothing of what it printed.
  ///
  /// - Throws: `Failure`.
  package func run(_ text: String) throws {
    let script = ScriptParser.parse(SourceText(name: "test", text: text))
    if !script.diagnostics.isEmpty {
      throw Failure(DiagnosticRenderer().render(script.diagnostics, in: script.source))
    }
    do {
      try interpreter.run(script)
    } catch {
      throw Failure(DiagnosticRenderer().render(error.diagnostic, in: error.source))
    }
  }

  /// What is wrong with a script that must be right, as a person reads it.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
  }
}
