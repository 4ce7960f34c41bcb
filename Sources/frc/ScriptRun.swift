import ArgumentParser
import Lessons
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
    KillTimer.begin()
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
    // `for` over the inputs would make the runtime look for a conformance among all of the
    // program's.
    for index in inputs.indices {
      guard let source = read(inputs[index], output) else {
        hasErrors = true
        continue
      }
      let script = ScriptParser.parse(source)
      if !source.isQuotable || !explainCrash(script, output) {
        reportSyntax(of: script, renderer, output)
      }
      hasErrors = hasErrors || script.hasErrors
      scripts.append((script, inputs[index].file))
    }
    // If the program waited for a file, the file cannot be read after a signal.
    if let status = InterruptFlag.exitStatus { return ExitCode(status) }
    guard !hasErrors else { return ExitCode(2) }
    output.warn(ofLocale: settings.locale)
    var status = ExitCode.success
    var index = 0
    while index < scripts.count, InterruptFlag.exitStatus == nil {
      let (script, file) = scripts[index]
      index += 1
      let isLast = index == scripts.count
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
    // Without optimisation, a loop is prepared even if it has nothing to do.
    if script.diagnostics.isEmpty { return }
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

  /// - Parameter shouldPrint: Called before each event is printed; returns whether to print it.
  func interpreter(
    from file: String?, _ renderer: DiagnosticRenderer, _ output: Output,
    shouldPrint: ((Event) -> Bool)? = nil
  ) -> Interpreter {
    let interpreter = Interpreter(
      environment: settings.environment(of: file), evaluation: settings.evaluation
    ) { event in
      if shouldPrint?(event) ?? true { print(event, output) }
    }
    interpreter.eventsAreReadAtOnce = shouldPrint == nil
    settings.nameStore(to: interpreter)
    interpreter.onWarning = { warning, source in
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
      for line in event.lines { output.writeError(line) }
    } else {
      switch format {
      case .text:
        event.forEachPart(line: { output.write($0) }, { output.write(lines: $0) })
      case .json: for line in event.jsonLines { output.write(line) }
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
    let problems = interpreter.close()
    if problems.isEmpty { return }
    for problem in problems { output.writeError("frc: warning: \(problem)") }
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
      for line in event.jsonLines { output.write(line) }
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
      for line in Event.error(diagnostic, in: source).jsonLines {
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
      return try StandardInput.read(orFile: path).refusingMarkdown()
    } catch {
      reportUnreadable(path, error, output)
      return nil
    }
  }

  private func reportUnreadable(_ path: String, _ error: UnreadableSource, _ output: Output) {
    let message = "cannot read '\(path)': \(error.reason)"
    if format == .json {
      let event = Event.error(message: message, file: path, line: nil, column: nil)
      for line in event.jsonLines { output.write(line) }
    }
    output.writeError("frc: error: \(message)")
  }
}

/// `frc run FILE…`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run scripts, each in a session of its own.")

  @Argument(help: .value("file", "The scripts; - is standard input."))
  var files: [String]

  @OptionGroup var store: StoreChoice

  @OptionGroup var options: SessionOptions

  @Option(help: "How to print events.")
  var format: OutputFormat = .text

  /// The inputs and settings that the arguments ask for.
  var start: SessionStart {
    SessionStart(
      inputs: files.map { .file($0) }, settings: options.settings(for: store.store), format: format)
  }

  func run() throws { throw start.run() }
}

/// A script that comes through a pipe in parts.
///
/// Complete statements run when the pipe pauses, so that the writer sees results before the end.
///
/// A script that arrives at once is one part, and an error in it keeps all of it from running.
struct PipedScript {
  /// A part of the script, with lines counted from its start.
  struct Part {
    let source: SourceText
    /// Whether this is the last part.
    let isLast: Bool
  }

  private let descriptor: FileDescriptor
  /// How long nothing must arrive until this is a pause, in milliseconds.
  private static let pause: Int32 = 100

  private var bytes: [UInt8] = []
  /// Whether the present text is known to be incomplete.
  private var isWanting = false
  /// The number of lines in the earlier parts.
  private var lineCount = 0
  private var isAtEnd = false

  /// Returns nil if the input is a file, which never pauses.
  init?(_ descriptor: FileDescriptor = .standardInput) {
    guard let status = try? FileStatus(of: descriptor), status.kind != .regular else { return nil }
    self.descriptor = descriptor
  }

  /// Waits for the next part.
  ///
  /// - Returns: Nil if the program was asked to end.
  mutating func next() throws(UnreadableSource) -> Part? {
    while true {
      if isAtEnd { return part(bytes.count, isLast: true) }
      switch FileDescriptor.wait(for: [descriptor], milliseconds: Self.pause) {
      case .timeout:
        if InterruptFlag.isRaised { return nil }
        // Incomplete text waits for its rest without a time limit.
        let whole = isWanting ? 0 : wholeCount
        if whole > 0 { return part(whole, isLast: false) }
        isWanting = true
      case .interrupted:
        if InterruptFlag.isRaised { return nil }
      case .ready, .failed:
        try fill()
      }
    }
  }

  private mutating func fill() throws(UnreadableSource) {
    do throws(SystemError) {
      let piece = try descriptor.readOnce(upTo: 1 << 16)
      isAtEnd = piece.isEmpty
      bytes += piece
      isWanting = false
      if bytes.count > Permissions.mostScriptBytes { throw .tooLarge }
    } catch {
      if !error.mayPass { throw UnreadableSource(error) }
    }
  }

  /// The number of bytes that form complete lines and statements.
  private var wholeCount: Int {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return 0 }
    let text = String(decoding: bytes[...end], as: UTF8.self)
    guard text.contains(where: { !$0.isWhitespace }) else { return 0 }
    if ScriptParser.completeness(of: text) == .complete { return end + 1 }
    // This is the text before the incomplete statement.
    let source = SourceText(name: "", bytes: Array(bytes[...end]))
    for statement in ScriptParser.parse(source).statements.suffix(2).reversed() {
      let line = source.line(of: statement.range.upperBound)
      let count = min(source.range(ofLine: line).upperBound + 1, end + 1)
      let before = String(decoding: bytes[..<count], as: UTF8.self)
      if ScriptParser.completeness(of: before) == .complete { return count }
    }
    return 0
  }

  private mutating func part(_ count: Int, isLast: Bool) -> Part {
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: lineCount)
    let source = SourceText(name: StandardInput.name, bytes: lines + bytes[..<count])
    lineCount += bytes[..<count].count { $0 == UInt8(ascii: "\n") }
    bytes.removeFirst(count)
    return Part(source: source, isLast: isLast)
  }
}

extension CrashAnswer {
  /// Answers a text that is no script because it is a crash text or a log; nil for any other text.
  ///
  /// Such a text begins at the line of the first error. A report may have other lines before the
  /// exception, but no statement, since a script may print an exception or expect one.
  init?(_ script: ParsedScript) {
    guard let error = script.diagnostics.first(where: { $0.severity == .error }) else { return nil }
    let source = script.source
    let first = source.range(ofLine: source.line(of: error.range.lowerBound)).lowerBound
    guard let place = Self.place(in: source, from: first),
      !script.statements.contains(where: { first..<place ~= $0.range.lowerBound })
    else { return nil }
    self.init(source.text(in: first..<source.bytes.count))
  }

  /// How many lines may come before the exception.
  private static let mostLines = 40

  /// Returns where the first line is that is crash text.
  private static func place(in source: SourceText, from start: Int) -> Int? {
    let end = min(source.bytes.count, start + 16_000)
    // A line may end with CR and LF, which together are one character.
    let lines = source.bytes[start..<end].split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let first = firstLine(of: source.text(in: start..<end)),
      first <= min(mostLines, lines.count),
      lines[first - 1].first(where: { $0 != UInt8(ascii: " ") }) != UInt8(ascii: "#")
    else { return nil }
    return lines[..<(first - 1)].reduce(start) { $0 + $1.count + 1 }
  }

  /// The answer with the name of the lesson: `Lesson 48 teaches this: frc learn 48 (Moves)`.
  var linesWithLesson: [String] {
    guard let lesson,
      let index = Course.builtIn.lessons.firstIndex(where: { $0.title == lesson })
    else { return lines }
    return lines + ["Lesson \(index + 1) teaches this: frc learn \(index + 1) (\(lesson))"]
  }
}

/// Answers a crash text where a command of the shell expected a script.
struct CrashAnswerText {
  /// The lines to print.
  let lines: [String]
  /// The summary for other programs.
  let message = "this is a crash text or a log, not a script"

  /// - Parameters:
  ///   - file: The file that has the text; nil if it is not a file.
  init(_ answer: CrashAnswer, file: String?) {
    var lines = answer.linesWithLesson
    if let script = answer.script {
      lines += ["", "This script does it again:", ""]
      lines += script.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map(String.init)
      lines += ["", "Save the script as again.frc, or let frc write it:"]
      let log = file?.asShellWord ?? "LOG"
      lines.append("  frc replay \(log) --script again.frc --html again.html")
      lines.append("Run it with: frc run again.frc. The page again.html plays it.")
    }
    self.lines = lines
  }
}
