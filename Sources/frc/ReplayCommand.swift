import ArgumentParser
import FetchedResults
import GoldenTesting
import LineEditor
import LogReplay
import Platform
import ScriptPages
import ScriptRuntime
import ScriptSyntax

/// `frc replay LOG`: shows what went wrong in the log of an app, and by which rule.
struct ReplayCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Find the callbacks that broke an app's table, from its log.",
    usage: """
      frc replay LOG [--pattern PATTERN]
      frc replay LOG --script SCRIPT
      frc replay LOG --html PAGE
      frc replay LOG --explain-reading
      """,
    discussion: """
      LOG is a file from the recorder (frc swift --recorder), the output of frc run --format json, \
      JSON of log show or of a crash report, or console text with the callbacks that the app \
      prints, and exceptions. The path - is standard input.

      --pattern says how the app prints a callback, as in '{type} {object} at {old} -> {new}'. \
      Other placeholders are {index} and {name} for sections, and {any} for text to skip.

      --explain-reading shows first what each line was taken for.

      The exit status is 1 if the log shows a mistake, 0 if it shows none, and 2 if it cannot be \
      read.
      """)

  @Argument(help: .value("log", "A log; - is standard input."))
  var log: String

  @Option(help: .value("pattern", "How the app prints its callbacks."))
  var pattern: [String] = []

  @Flag(help: "Show how each line of the log was read.")
  var explainReading = false

  @Option(help: .value("size", "How much of a long log to read, such as 200MB; 64MB by default."))
  var limit: String?

  @Option(help: .value("file", "Write a script that repeats the first mistake."))
  var script: String?

  @Option(help: .value("file", "Write a page that plays that script."))
  var html: String?

  @OptionGroup(title: "Limits of the page's script") var limits: LimitOptions

  @OptionGroup var access: ReadingOptions

  func validate() throws {
    for (option, path) in [("--script", script), ("--html", html)] where path == "-" {
      throw ValidationError("\(option) -: what is found is printed there; name a file")
    }
    guard let limit, Int(wordsOfBytes: limit).map({ $0 > 0 }) != true else { return }
    throw ValidationError("--limit \(limit): a size is needed, such as 64kB, 500MB or 2GB")
  }

  func run(writingTo output: Output) throws {
    if let refused = InputFiles([log]).refusal(ofOutputs: [script, html].compactMap(\.self)) {
      throw output.failure("cannot write '\(refused.path)': \(refused.reason)", status: 2)
    }
    let diagnosis = try diagnosis(output)
    if explainReading {
      for line in diagnosis.log.readingLines { output.write(line) }
      output.write("")
    }
    for line in diagnosis.lines { output.write(line) }
    if script != nil || html != nil { try writeFiles(diagnosis, output) }
    if diagnosis.hasMistakes { throw ExitCode(1) }
  }

  /// Writes the script, and the page that plays it.
  private func writeFiles(_ diagnosis: Diagnosis, _ output: Output) throws {
    let text: String
    do throws(ReproducingScript.Problem) {
      text = try ReproducingScript(diagnosis).text
    } catch {
      throw output.failure("no script: \(error.words)", status: 2)
    }
    if let script { try write(text, to: script, output) }
    if let html {
      try write(page(of: text, named: script ?? "replay.frc", output), to: html, output)
    }
  }

  private func page(of text: String, named name: String, _ output: Output) throws -> String {
    let source = SourceText(name: name, text: text)
    let limit = SessionLimit(limits)
    var evaluation = EvaluationEnvironment()
    evaluation.isCancelled = { SessionLimit.isStopped(by: limit) }
    let recorder = PlayRecorder(
      title: log, environment: FileEnvironment(storeFolder: ScratchFolder(), limit: limit),
      evaluation: evaluation, limit: limit
    ) { _ in }
    let recording = recorder.record(ScriptParser.parse(source), shownAs: source)
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if let excess = limit.excess {
      throw output.failure("no page: the script \(excess)", status: 2)
    }
    return PlayPage(recording).html
  }

  private func write(_ text: String, to path: String, _ output: Output) throws {
    do throws(UnwritableFile) {
      try FileEnvironment.write(Array(text.utf8), to: path)
    } catch {
      throw output.failure("cannot write '\(path)': \(error.reason)", status: 2)
    }
  }

  private func diagnosis(_ output: Output) throws -> Diagnosis {
    let patterns = try pattern.map { text in
      do throws(CallbackPattern.Problem) {
        return try CallbackPattern(text)
      } catch {
        throw ValidationError("--pattern '\(text)': \(error.words)")
      }
    }
    var options = LogReader.Options()
    options.patterns = patterns
    options.keepsReadings = explainReading
    if let limit = limit.flatMap({ Int(wordsOfBytes: $0) }) { options.limit = limit }
    let bytes: [UInt8]
    do throws(UnreadableSource) {
      bytes = try access.paths.permissions(ofTests: [log])
        .beginning(ofNamed: log, atMost: options.limit)
    } catch {
      throw output.failure(
        "cannot read '\(log)': \(error.reason)", status: InterruptFlag.exitStatus ?? 2)
    }
    do throws(UnreadableLog) {
      return Diagnosis(try LogReader.read(bytes, named: log, options))
    } catch {
      throw output.failure("'\(log)' is not a log: \(error.reason)", status: 2)
    }
  }
}
