import Foundation
import GoldenTesting
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
    guard timeline.position > 0 else { return console.answer([PromptWords.nothingToPlay]) }
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
    guard timeline.position > 0 else { return console.answer([PromptWords.nothingToPlay]) }
    guard recorded.contains(path) || !FileStatus.exists(path) else {
      return console.answer(["'\(path)' is there already, and this session has not written it"])
    }
    let script = script(at: path)
    let recorder = PlayRecorder(
      title: "A session of frc", environment: environment.asTest(),
      evaluation: settings.evaluation, prepare: { _ in })
    let page = PlayPage(recorder.record(script, shownAs: script.source))
    do {
      try FileEnvironment.replace(path, with: Array(page.html.utf8))
    } catch {
      return console.answer(["cannot write '\(path)': \(error.reason)"])
    }
    recorded.insert(path)
    let count = script.statements.count
    console.acknowledge("# \(path): \(count) \(count == 1 ? "statement" : "statements")")
  }
}

extension Event {
  /// The controller whose batch ends with the event; nil for other events.
  fileprivate var batchController: String? {
    switch self {
    case .didChangeContent(let name), .snapshot(let name, _), .difference(let name, _),
      .counts(let name, _):
      name
    case .willChangeContent, .didChangeObject, .didChangeSection, .hook, .notification, .show,
      .table, .dataSource, .exception, .showTable, .request, .value, .rows, .objects, .objectIDs,
      .dictionaries, .batch, .evaluation, .explainedTurn, .explanation, .swift, .cache,
      .statistics, .history, .remoteChange, .statement, .model, .note, .console, .error:
      nil
    }
  }
}
