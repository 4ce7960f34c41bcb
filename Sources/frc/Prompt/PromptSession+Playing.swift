import Foundation
import GoldenTesting
import LogReplay
import Platform
import PromptTools
import ScriptPages
import ScriptRuntime
import ScriptSyntax

extension PromptSession {
  /// Returns the statements in force as a script, without their output.
  private func script(at path: String) -> ParsedScript {
    let script = SessionScript(
      timeline.points[..<timeline.position], printing: nil, keepsFailures: true, path: path,
      locale: settings.locale, store: settings.store)
    return ScriptParser.parse(SourceText(name: path, text: script.text))
  }

  /// Runs the session's statements again in another session.
  ///
  /// For each it shows the statement, its effects, and then the controllers that it concerned. A
  /// key continues.
  func play() {
    guard timeline.position > 0 else { return console.answer([PromptWords.nothing(to: "play")]) }
    let script = script(at: Self.sourceName)
    var concerned: [String] = []
    let interpreter = Interpreter(
      environment: environment.asTest(), evaluation: settings.evaluation
    ) { [console] event in
      if let name = event.batchController, !concerned.contains(name) { concerned.append(name) }
      console.show(event)
    }
    interpreter.keepReasons()
    interpreter.prepare(for: script)
    var waits = true
    for (index, statement) in script.statements.enumerated() {
      if waits {
        waits = console.ask(PromptWords.played(index + 1, of: script.statements.count))
      }
      console.echo(script.source.text(in: statement.range))
      concerned = []
      do throws(ScriptError) {
        try interpreter.run(statement, in: script.source)
      } catch {
        console.show(error.diagnostic, in: error.source)
        if error.kind == .interrupted { return }
      }
      for name in concerned {
        let show = ScriptParser.parse(SourceText(name: Self.sourceName, text: "show \(name)"))
        try? interpreter.run(show)
      }
    }
  }

  /// Writes the session as a page that plays it.
  func share(_ argument: String?) {
    guard let path = argument?.expandingHome else { return usage(.share) }
    guard timeline.position > 0 else { return console.answer([PromptWords.nothing(to: "play")]) }
    guard recorded.contains(path) || !FileStatus.exists(path) else {
      return console.answer(["'\(path)' is there already, and this session has not written it"])
    }
    // The names of files count from the page's folder, which is known once the page is there.
    guard FileStatus.exists(path) || write("", to: path) else { return }
    let script = script(at: path)
    let recorder = PlayRecorder(
      title: "A session of frc", environment: environment.asTest(),
      evaluation: settings.evaluation, prepare: { _ in })
    let page = PlayPage(recorder.record(script, shownAs: script.source))
    guard write(page.html, to: path) else { return }
    let count = script.statements.count
    console.acknowledge("# \(path): \(count) \(count == 1 ? "statement" : "statements")")
  }
}

extension Event {
  /// The controller whose batch ends with the event; nil for other events.
  fileprivate var batchController: String? {
    callback.flatMap { $0.endsBatch ? $0.controller : nil }
  }
}

/// A crash text that was pasted at the prompt.
///
/// Some terminals do not mark a paste. The text then comes line by line, as if it were typed fast.
struct PastedCrash {
  private var text = ""
  private var shown: [String] = []
  private var end: ContinuousClock.Instant?

  /// How long a line may take that belongs to a paste: a second, and some time for each character.
  private static func time(of line: String) -> Duration {
    .milliseconds(1_000 + 10 * line.utf8.count)
  }

  /// How much of a text is read again with each line.
  private static let mostBytes = 64_000

  /// Whether the first line of an entry is surely crash text.
  static func begins(_ entry: String) -> Bool {
    entry.linesOfText.first { !$0.isEmpty }.map { CrashAnswer($0) != nil } ?? false
  }

  /// Whether an entry with a syntax error is the next line of the same paste.
  func continues(with entry: String) -> Bool {
    guard let end, text.utf8.count + entry.utf8.count < Self.mostBytes,
      ContinuousClock.now - end < Self.time(of: entry)
    else { return false }
    return CrashAnswer.continues(text, with: entry)
  }

  /// Adds a line, and returns the answer if it is another one now.
  mutating func add(_ entry: String) -> CrashAnswer? {
    text += "\n" + entry
    guard let answer = CrashAnswer(text), answer.lines != shown else { return nil }
    shown = answer.lines
    return answer
  }

  /// Begins a paste.
  mutating func begin(_ entry: String, _ answer: CrashAnswer) {
    text = entry
    shown = answer.lines
  }

  /// Notes that the answer was shown.
  mutating func noteEnd() { end = .now }
}

extension PromptSession {
  /// The longest script that is shown with the answer.
  private static let mostLines = 24

  /// Answers a crash text that was pasted instead of statements.
  ///
  /// - Returns: Whether the entry is such a text, or a line of one.
  func explainCrash(_ entry: String, _ script: ParsedScript) -> Bool {
    if crash.continues(with: entry) {
      if let answer = crash.add(entry) { explain(answer) }
    } else {
      guard let answer = CrashAnswer(script) else { return false }
      crash.begin(entry, answer)
      explain(answer)
    }
    crash.noteEnd()
    return true
  }

  /// Shows what a crash text means, and offers the script that does it again.
  func explain(_ answer: CrashAnswer) {
    for line in answer.linesWithLesson { console.acknowledge("# \(line)") }
    let lines = (answer.script ?? "").split(separator: "\n").map(String.init)
    // Also without a script: else `:try` would run that of an earlier text.
    topic = HelpTopic(script: lines)
    guard !lines.isEmpty else { return }
    guard lines.count <= Self.mostLines else {
      return console.acknowledge("# A script of \(lines.count) lines does it again: :try runs it")
    }
    console.acknowledge("# This script does it again; :try runs it:")
    for line in lines { console.acknowledge("#   \(line)") }
  }
}
