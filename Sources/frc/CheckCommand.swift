import ArgumentParser
import GoldenTesting
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc check PATH…`: parses scripts and checks their names without running them.
struct CheckCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the syntax and the names of scripts, without running them.",
    discussion: """
      A PATH is a script or a folder. In a folder, all *.frc files are checked.

      With --json, each line of standard output is an object with the keys "file", "severity", \
      "message", "range" and "fixes". A range has a start and an end. Each has a line and a column, counted from 1, and \
      an offset in bytes. A fix has a title and edits, each with a range and a text.
      """)

  @Argument(help: .value("path", "Scripts or folders; - is standard input."))
  var paths: [String]

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  @OptionGroup var access: ReadingOptions

  @Flag(help: "Print one JSON object per finding, each on a line, with its range and fixes.")
  var json = false

  func run(writingTo output: Output) throws {
    var hasErrors = false
    // A mistake in a file that many scripts include is found in each of them.
    var told: Set<String> = []
    let renderer = DiagnosticRenderer(usesColor: color.appliesTo(.standardError))
    let isJSON = json
    let permissions = access.paths.permissions(ofTests: paths)
    ScriptFiles.perform(paths, permissions, output) { source in
      Self.findings(in: source, permissions).map { finding in
        Line(
          text: isJSON
            ? finding.json.description : renderer.render(finding.diagnostic, in: finding.source),
          isError: finding.diagnostic.severity == .error)
      }
    } deliver: { path, result in
      switch result {
      case .success(let lines):
        guard InterruptFlag.exitStatus == nil else { return }
        for line in lines {
          hasErrors = hasErrors || line.isError
          if json {
            output.write(line.text)
          } else if told.insert(line.text).inserted {
            output.writeError(painted: line.text)
          }
        }
      case .failure(let error):
        output.writeError("frc: error: cannot read '\(path)': \(error.reason)")
        hasErrors = true
      }
    }
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if hasErrors { throw ExitCode(1) }
  }

  /// The lines that are printed for a finding.
  private struct Line: Sendable {
    let text: String
    let isError: Bool
  }

  private static func findings(in source: SourceText, _ permissions: Permissions) -> [Finding] {
    CheckedScript(source, environment: FileEnvironment(permissions: permissions)).findings
  }
}
