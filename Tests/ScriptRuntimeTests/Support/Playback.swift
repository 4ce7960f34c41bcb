import FetchedResults
import Foundation
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds

/// A script's run, and its output.
final class Playback {
  /// The events as lines of text.
  private(set) var lines: [String] = []
  /// The events as lines of JSON.
  private(set) var json: [String] = []
  /// The error that ended the script, as it is displayed.
  private(set) var failure: String?
  private let environment: ScriptFiles

  /// Runs a script called `test.frc` up to its first error.
  ///
  /// - Parameter files: The files for `include`, by name.
  init(_ text: String, files: [String: String] = [:]) {
    environment = ScriptFiles(files)
    let source = SourceText(name: "test.frc", text: text)
    let script = ScriptParser.parse(source)
    guard !script.hasErrors else {
      failure = DiagnosticRenderer().render(script.diagnostics, in: source)
      return
    }
    let clock = Date(timeIntervalSince1970: 1_767_225_600)
    let interpreter = Interpreter(
      environment: environment, evaluation: EvaluationEnvironment(now: { clock })
    ) { [unowned self] event in
      lines += event.lines
      json += event.jsonLines
    }
    do {
      try interpreter.run(script)
    } catch {
      failure = DiagnosticRenderer().render(error.diagnostic, in: error.source)
    }
  }
}
