import ArgumentParser
import FetchedResults
import LineEditor
import LogReplay
import Platform
import ScriptRuntime
import ScriptSyntax

/// Runs scripts one after another, each in a session of its own.
struct ScriptRun {
  let settings: SessionSettings
  let format: OutputFormat

  enum Input: Equatable {
    case file(String)
    case standardInput
    case text(String, name: String)

    /// The path of the file; nil for statements that were typed.
    var file: String? {
      switch self {
      case .file(let path): path
      case .standardInput, .text: nil
      }
    }
  }

  /// Runs the scripts.
  ///
  /// If a script has syntax errors, none of them runs.
  ///
  /// - Returns: The exit status: 0, 1 after an error in a running script, 2 after a syntax error or
  ///   if a file cannot be read.
  func run(_ inputs: [Input]) -> ExitCode {
    // A script that is interrupted still prints its output and saves its section caches.
    EndingWatch.begin()
    let output = Output(isRaw: settings.isRaw)
    defer { output.flush() }
    let renderer = DiagnosticRenderer(
      usesColor: settings.color.appliesTo(.standardError),
      columns: TerminalSize(of: .standardError)?.columns)
    if inputs == [.standardInput], let piped = PipedScript() {
      return run(piped, renderer, output)
    }
    var scripts: [(script: ParsedScript, file: String?)] = []
    var hasErrors = false
    for input in inputs {
      guard let source = read(input, output) else {
        hasErrors = true
        continue
      }
      let script = ScriptParser.parse(source)
      if !source.isQuotable || !explainCrash(script, output) {
        reportSyntax(of: script, renderer, output)
      }
      hasErrors = hasErrors || script.hasErrors
      scripts.append((script, input.file))
    }
    // If the program waited for a file, the file cannot be read after a signal.
    if let status = InterruptFlag.exitStatus { return ExitCode(status) }
    guard !hasErrors else { return ExitCode(2) }
    output.warn(ofLocale: settings.locale)
    var status = ExitCode.success
    for (index, (script, file)) in scripts.enumerated() where InterruptFlag.exitStatus == nil {
      let isLast = index == scripts.count - 1
      if !run(script, from: file, isLast: isLast, renderer, output) { status = ExitCode(1) }
    }
    return InterruptFlag.exitStatus.map { ExitCode($0) } ?? status
  }

  /// Reports the errors and warnings of a script's text.
  ///
  /// A file that must not be quoted is only said to be no script, because messages contain words of
  /// it.
  func reportSyntax(
    of script: ParsedScript, _ renderer: DiagnosticRenderer, _ output: Output
  ) {
    guard script.source.isQuotable || script.diagnostics.isEmpty else {
      if script.hasErrors {
        output.writeError(
          "frc: error: '\(script.source.name)' is a link to a file that is not a script; to see "
            + "its errors, name the file itself")
      }
      return
    }
    for diagnostic in script.diagnostics {
      report(diagnostic, in: script.source, renderer, output)
    }
  }

  /// Runs a script that comes through a pipe in parts.
  private func run(
    _ piped: PipedScript, _ renderer: DiagnosticRenderer, _ output: Output
  ) -> ExitCode {
    var piped = piped
    output.warn(ofLocale: settings.locale)
    let interpreter = interpreter(from: nil, renderer, output)
    defer { close(interpreter, output) }
    do throws(UnreadableSource) {
      while let part = try piped.next() {
        let script = ScriptParser.parse(part.source)
        if !explainCrash(script, output) {
          for diagnostic in script.diagnostics {
            report(diagnostic, in: part.source, renderer, output)
          }
        }
        guard !script.hasErrors else { return ExitCode(2) }
        let isDone = run(script, by: interpreter, renderer, output)
        if let status = InterruptFlag.exitStatus { return ExitCode(status) }
        guard isDone else { return ExitCode(1) }
        output.flush()
        if part.isLast { return .success }
      }
    } catch {
      reportUnreadable("-", error, output)
      return ExitCode(2)
    }
    return InterruptFlag.exitStatus.map { ExitCode($0) } ?? .success
  }

  private func run(
    _ script: ParsedScript, from file: String?, isLast: Bool, _ renderer: DiagnosticRenderer,
    _ output: Output
  ) -> Bool {
    let interpreter = interpreter(from: file, renderer, output)
    defer { close(interpreter, output) }
    let isDone = run(script, by: interpreter, renderer, output)
    // The program is about to end, and freeing a million objects takes a tenth of the run. But a
    // store in a file has to be closed.
    if isLast, interpreter.session.openStore == nil { _ = Unmanaged.passRetained(interpreter) }
    return isDone
  }

  /// - Parameter hear: Called before each event is printed; returns whether to print it.
  func interpreter(
    from file: String?, _ renderer: DiagnosticRenderer, _ output: Output,
    hear: ((Event) -> Bool)? = nil
  ) -> Interpreter {
    let interpreter = Interpreter(
      environment: settings.environment(of: file), evaluation: settings.evaluation
    ) { event in
      if hear?(event) ?? true { print(event, output) }
    }
    settings.nameStore(to: interpreter)
    interpreter.hearWarning = { warning, source in
      output.writeError(painted: renderer.render(warning, in: source))
    }
    return interpreter
  }

  /// Prints an event.
  ///
  /// In formats for other programs, Core Data's console messages go to standard error. In CSV, so
  /// does everything except rows.
  func print(_ event: Event, _ output: Output) {
    if belongsOnError(event) {
      for line in EventFormatter.text.lines(for: event) { output.writeError(line) }
    } else {
      switch format {
      case .text:
        EventFormatter.text.forEachPart(
          of: event, line: { output.write($0) }, { output.write(lines: $0) })
      case .json: for line in EventFormatter.json.lines(for: event) { output.write(line) }
      // A field of CSV may contain line ends.
      case .csv: for line in format.lines(for: event) { output.write(fields: line) }
      case .table, .markdown: for line in format.lines(for: event) { output.write(line) }
      }
    }
  }

  private func belongsOnError(_ event: Event) -> Bool {
    switch format {
    case .text, .table, .markdown: return false
    case .csv: return !format.lists(event)
    case .json:
      if case .console = event { return true }
      return false
    }
  }

  func close(_ interpreter: Interpreter, _ output: Output) {
    for problem in interpreter.close() { output.writeError("frc: warning: \(problem)") }
  }

  func run(
    _ script: ParsedScript, by interpreter: Interpreter, _ renderer: DiagnosticRenderer,
    _ output: Output
  ) -> Bool {
    do {
      try interpreter.run(script)
      return true
    } catch {
      report(error.diagnostic, in: error.source, renderer, output)
      return false
    }
  }

  /// Answers a crash text or a log where a script was expected.
  ///
  /// - Returns: Whether the script is such a text, so that its errors are not worth showing.
  private func explainCrash(_ script: ParsedScript, _ output: Output) -> Bool {
    guard script.hasErrors, let answer = CrashAnswer(script) else { return false }
    let source = script.source
    let isFile = ![StandardInput.name, "-e"].contains(source.name)
    let report = CrashAnswerText(answer, file: isFile ? source.name : nil)
    if format == .json, let error = script.diagnostics.first(where: { $0.severity == .error }) {
      let event = Event.error(
        message: report.message, file: source.name, line: source.line(of: error.range.lowerBound),
        column: nil)
      for line in EventFormatter.json.lines(for: event) { output.write(line) }
    }
    output.writeError("\(source.name): \(report.message)")
    for line in report.lines { output.writeError(line) }
    return true
  }

  func report(
    _ diagnostic: Diagnostic, in source: SourceText, _ renderer: DiagnosticRenderer,
    _ output: Output
  ) {
    if format == .json, diagnostic.severity == .error {
      for line in EventFormatter.json.lines(for: .error(diagnostic, in: source)) {
        output.write(line)
      }
    }
    output.writeError(painted: renderer.render(diagnostic, in: source))
  }

  func read(_ input: Input, _ output: Output) -> SourceText? {
    let path: String
    switch input {
    case .text(let text, let name): return SourceText(name: name, text: text)
    case .standardInput: path = "-"
    case .file(let file): path = file
    }
    do {
      return try StandardInput.read(orFile: path)
    } catch {
      reportUnreadable(path, error, output)
      return nil
    }
  }

  private func reportUnreadable(_ path: String, _ error: UnreadableSource, _ output: Output) {
    let message = "cannot read '\(path)': \(error.reason)"
    if format == .json {
      let event = Event.error(message: message, file: path, line: nil, column: nil)
      for line in EventFormatter.json.lines(for: event) { output.write(line) }
    }
    output.writeError("frc: error: \(message)")
  }
}

/// `frc run FILE…`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run scripts, each in a session of its own.")

  @Argument(help: ArgumentHelp("The scripts; - is standard input.", valueName: "file"))
  var files: [String]

  @OptionGroup var options: SessionOptions

  @Option(help: "How to print events.")
  var format: OutputFormat = .text

  /// The inputs and settings that the arguments ask for.
  var start: SessionStart {
    SessionStart(inputs: files.map { .file($0) }, settings: options.settings, format: format)
  }

  func run() throws { throw start.run() }
}
