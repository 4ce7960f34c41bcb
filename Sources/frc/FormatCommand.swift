import ArgumentParser
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc fmt FILE…`: formats scripts in place.
struct FormatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt", abstract: "Format scripts in place.",
    discussion: """
      Indentation, blanks between words and signs, the empty lines at the end and comments behind statements are \
      put in order; statements stay on their lines, and lines that begin with #> or #@ stay as \
      they are. A script with an error is left as it is. The path - stands for standard input, \
      formatted to standard output.
      """)

  @Argument(help: ArgumentHelp("The scripts; - is standard input.", valueName: "file"))
  var files: [String]

  @Flag(help: "Write nothing; name the scripts that are not formatted, and fail.")
  var check = false

  @Option(help: "When to use colour.")
  var color: ColorChoice = .auto

  func run() throws {
    let output = Output()
    defer { output.flush() }
    var hasFailed = false
    for path in files where !format(path, output) { hasFailed = true }
    if hasFailed { throw ExitCode(1) }
  }

  /// Formats one script; tells whether nothing is left to complain of.
  private func format(_ path: String, _ output: Output) -> Bool {
    let reason: String
    do {
      let source = try StandardInput.read(orFile: path)
      let script = ScriptParser.parse(source)
      if let error = script.diagnostics.first(where: { $0.severity == .error }) {
        let renderer = DiagnosticRenderer(usesColor: color.appliesTo(.standardError))
        output.writeError(renderer.render(error, in: source))
        return false
      }
      let formatted = ScriptFormatter.format(script)
      if check {
        if formatted != source.bytes { output.write(source.name) }
        return formatted == source.bytes
      }
      if path == "-" {
        output.write(bytes: formatted)
      } else if formatted != source.bytes {
        try FileEnvironment.replace(path, with: formatted)
      }
      return true
    } catch let error as UnreadableSource {
      reason = error.reason
    } catch let error as UnwritableFile {
      reason = error.reason
    } catch {
      reason = "\(error)"
    }
    output.writeError("frc: error: cannot format '\(path)': \(reason)")
    return false
  }
}
