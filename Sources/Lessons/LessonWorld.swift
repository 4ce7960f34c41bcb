package import FetchedResults
package import ScriptRuntime
import ScriptSyntax
import TableViews

/// A session in which a lesson's statements run.
package final class LessonWorld {
  /// What a statement did.
  package struct Turn {
    package var events: [Event] = []
    package var explanations: [Explanation] = []
    /// Why it did not run to its end.
    package var error: ScriptError?

    /// What a script prints of it.
    package var lines: [String] {
      events.flatMap(EventFormatter.text.lines)
        + (error.map { "error: \($0.kind)".linesOfText } ?? [])
    }

    package var isCrash: Bool {
      events.contains { if case .exception = $0 { true } else { false } }
    }
  }

  package let interpreter: Interpreter
  private let turn: Log

  private final class Log {
    var turn = Turn()
  }

  package init(environment: any ScriptEnvironment, evaluation: EvaluationEnvironment) {
    let log = Log()
    turn = log
    interpreter = Interpreter(environment: environment, evaluation: evaluation) {
      log.turn.events.append($0)
    }
    interpreter.hearExplanations = { log.turn.explanations += $0 }
    interpreter.keepReasons()
  }

  /// Runs a statement.
  func run(_ statement: Statement, in source: SourceText) -> Turn {
    turn.turn = Turn()
    do throws(ScriptError) {
      try interpreter.run(statement, in: source)
    } catch {
      turn.turn.error = error
    }
    return turn.turn
  }

  /// Runs some statements of a script.
  func run(_ script: ParsedScript, _ statements: Range<Int>) -> [Turn] {
    script.statements[statements].map { run($0, in: script.source) }
  }

  /// Runs what a person or a random writer wrote.
  ///
  /// - Returns: Nil if it does not parse.
  func run(text: String) -> [Turn]? {
    let script = ScriptParser.parse(SourceText(name: LessonWorld.sourceName, text: text))
    guard !script.hasErrors else { return nil }
    return run(script, script.statements.indices)
  }

  static let sourceName = "<lesson>"

  /// What is not right with the session's tables, in words; nil if all show what their
  /// controllers have.
  var tableFault: (reason: String, words: String)? {
    for name in interpreter.session.tableNames {
      guard let binding = interpreter.session.tables[name] else { continue }
      let table = ShownTable(binding)
      if table.isBroken { return ("crash", "\(name) stopped following after an exception") }
      if table.isDetached { return ("detached", "\(name) is not the controller's delegate") }
      if table.isSuspended { return ("suspended", "\(name) is suspended") }
      if table.dataSource != nil {
        return ("stale", "\(name) shows other rows than its controller")
      }
      if let line = table.lines.first(where: { $0.staleness != nil }) {
        return ("stale", "\(name) shows \(line.text), but \(line.staleness ?? "")")
      }
    }
    return nil
  }
}

extension ShownTable.Line {
  fileprivate var text: String {
    switch kind {
    case .header(let title): "the header \(title)"
    case .row(let path, let object): "\(path) \(object)"
    }
  }
}
