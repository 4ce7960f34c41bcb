package import ScriptRuntime
import ScriptSyntax

/// A separate session, and all of its output.
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
      output.lines += event.lines
    }
  }

  package convenience init(_ script: String) throws {
    self.init()
    try run(script)
  }

  /// Runs a script that must be correct, and adds to the output.
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

  /// The error of a script that must be correct, as it is displayed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
  }
}
