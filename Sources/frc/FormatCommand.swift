import ArgumentParser
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc fmt FILE…`: formats scripts in place.
struct FormatCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt", abstract: "Format scripts in place.",
    discussion: """
      A PATH is a script or a folder. In a folder, all *.frc files are formatted.

      fmt changes the indentation, the blanks between words and signs, and the columns of \
      comments after statements. It removes empty lines at the end. Statements stay on their \
      lines, and lines that begin with #> or #@ are not changed. Neither is a script with an \
      error. The path - is standard input, and the result goes to standard output.
      """)

  @Argument(help: .value("path", "Scripts or folders; - is standard input."))
  var paths: [String]

  @Flag(help: "Write nothing. List the scripts that are not formatted, and fail if there are any.")
  var check = false

  @OptionGroup var access: PermissionOptions

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  func run(writingTo output: Output) throws {
    var hasFailed = false
    let renderer = DiagnosticRenderer(usesColor: color.appliesTo(.standardError))
    let permissions = access.paths.permissions(ofTests: paths)
    ScriptFiles.perform(paths, permissions, output) { source in
      Self.form(of: source, renderer)
    } deliver: { path, result in
      switch result {
      case .success(let form):
        guard InterruptFlag.exitStatus == nil else { return }
        if !finish(form, of: path, permissions, output) { hasFailed = true }
      case .failure(let error):
        hasFailed = true
        complain(error.reason, path, output)
      }
    }
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if hasFailed { throw ExitCode(1) }
  }

  /// The result of formatting a script.
  private enum Form: Sendable {
    /// The formatted bytes, which may equal the present ones.
    case right(name: String, [UInt8], isFormatted: Bool)
    /// An error, as a message.
    case wrong(String)
  }

  private static func form(of source: SourceText, _ renderer: DiagnosticRenderer) -> Form {
    let script = ScriptParser.parse(source)
    if let error = script.diagnostics.first(where: { $0.severity == .error }) {
      return .wrong(renderer.render(error, in: source))
    }
    let formatted = ScriptFormatter.format(script)
    return .right(name: source.name, formatted, isFormatted: formatted == source.bytes)
  }

  /// Writes or names a script that is not formatted.
  ///
  /// Returns whether there is no complaint.
  private func finish(
    _ form: Form, of path: String, _ permissions: Permissions, _ output: Output
  ) -> Bool {
    switch form {
    case .wrong(let words):
      output.writeError(painted: words)
      return false
    case .right(let name, let bytes, let isFormatted):
      if check {
        if !isFormatted { output.write(name) }
        return isFormatted
      }
      if path == "-" {
        output.write(document: bytes)
        return true
      }
      if isFormatted { return true }
      do {
        try permissions.replace(path, with: bytes)
        return true
      } catch {
        complain(error.reason, path, output)
        return false
      }
    }
  }

  private func complain(_ reason: String, _ path: String, _ output: Output) {
    output.writeError("frc: error: cannot format '\(path)': \(reason)")
  }
}
