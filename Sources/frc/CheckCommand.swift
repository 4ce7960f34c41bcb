import ArgumentParser
import GoldenTesting
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc check FILE…`: parses and resolves without running.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Parse scripts and look their names up, without running.",
    discussion: """
      With --json, each line of standard output is {"file", "severity", "message", "range", \
      "fixes"}: a range has a start and an end, each with line and column, counted from 1, and an \
      offset in bytes; a fix has a title and edits, each with a range and a text.
      """)

  @Argument(help: ArgumentHelp("The scripts; - is standard input.", valueName: "file"))
  var files: [String]

  @Option(help: "When to use colour.")
  var color: ColorChoice = .auto

  @Flag(help: "Print each finding as one JSON object a line, with its range and fixes.")
  var json = false

  func run() throws {
    let output = Output()
    defer { output.flush() }
    let renderer = DiagnosticRenderer(usesColor: color.appliesTo(.standardError))
    var hasErrors = false
    for path in files {
      do {
        let source = try StandardInput.read(orFile: path)
        for finding in findings(in: source) {
          hasErrors = hasErrors || finding.diagnostic.severity == .error
          if json {
            output.write(finding.json.description)
          } else {
            output.writeError(renderer.render(finding.diagnostic, in: finding.source))
          }
        }
      } catch {
        output.writeError("frc: error: cannot read '\(path)': \(error.reason)")
        hasErrors = true
      }
    }
    if hasErrors { throw ExitCode(1) }
  }

  private func findings(in source: SourceText) -> [Finding] {
    let script = ScriptParser.parse(source)
    let faults = script.diagnostics.map { Finding($0, in: source) }
    // A statement that is not understood would make others look wrong.
    guard !script.hasErrors else { return faults }
    let directives = TestDirectives(script).diagnostics
    return faults + directives.map { Finding($0, in: source) }
      + Checker(environment: FileEnvironment()).check(script)
  }
}
