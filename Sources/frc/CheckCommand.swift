import ArgumentParser
import ScriptRuntime
import ScriptSyntax

/// `frc check FILE…`: parses and resolves without running.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Parse scripts and look their names up, without running.")

  @Argument(help: ArgumentHelp("The scripts; - is standard input.", valueName: "file"))
  var files: [String]

  @Option(help: "When to use colour.")
  var color: ColorChoice = .auto

  func run() throws {
    let output = Output()
    defer { output.flush() }
    let renderer = DiagnosticRenderer(usesColor: color.appliesTo(2))
    var isFaulty = false
    for path in files {
      do {
        let source = path == "-" ? StandardInput.read() : try FileEnvironment.read(path)
        let script = ScriptParser.parse(source)
        for diagnostic in script.diagnostics {
          output.writeError(renderer.render(diagnostic, in: source))
        }
        isFaulty = isFaulty || script.hasErrors
        // A statement that is not understood would make others look wrong.
        if script.hasErrors { continue }
        for finding in Checker(environment: FileEnvironment()).check(script) {
          output.writeError(renderer.render(finding.diagnostic, in: finding.source))
          isFaulty = isFaulty || finding.diagnostic.severity == .error
        }
      } catch {
        output.writeError("frc: error: cannot read '\(path)': \(error.reason)")
        isFaulty = true
      }
    }
    if isFaulty { throw ExitCode(1) }
  }
}
