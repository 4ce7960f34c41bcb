package import FetchedResults
package import ScriptRuntime
import ScriptSyntax
import TableViews

/// A session in which a lesson's statements run.
package final class LessonSession {
  /// The effects of a statement.
  package struct Turn {
    package var events: [Event] = []
    package var explanations: [Explanation] = []
    /// The error that stopped the statement.
    package var error: ScriptError?

    /// The lines that a script prints for the statement.
    package var lines: [String] {
      events.flatMap(\.lines)
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

  private let limit: (any StatementLimit)?

  /// - Parameter limit: The limit for the statements; nil for none.
  package init(
    environment: any ScriptEnvironment, evaluation: EvaluationEnvironment,
    limit: (any StatementLimit)? = nil
  ) {
    let log = Log()
    turn = log
    self.limit = limit
    interpreter = Interpreter(environment: environment, evaluation: evaluation) {
      limit?.note($0)
      log.turn.events.append($0)
    }
    interpreter.onExplanations = { log.turn.explanations += $0 }
    interpreter.keepReasons()
  }

  /// Runs a statement.
  func run(_ statement: Statement, in source: SourceText) -> Turn {
    turn.turn = Turn()
    limit?.beginStatement()
    do throws(ScriptError) {
      try interpreter.run(statement, in: source)
    } catch {
      turn.turn.error = error
      if error.kind == .interrupted, let excess = limit?.excess {
        turn.turn.error = ScriptError(.engine(excess), range: error.range, source: error.source)
      }
    }
    return turn.turn
  }

  /// Runs a range of a script's statements.
  func run(_ script: ParsedScript, _ statements: Range<Int>) -> [Turn] {
    script.statements[statements].map { run($0, in: script.source) }
  }

  /// Returns the first syntax error of a text; nil if it parses.
  static func syntaxError(in text: String) -> String? {
    parse(text).diagnostics.first { $0.severity == .error }?.message
  }

  private static func parse(_ text: String) -> ParsedScript {
    ScriptParser.parse(SourceText(name: sourceName, text: text))
  }

  /// Runs statements that a person typed or that were made at random.
  ///
  /// - Returns: Nil if the text does not parse.
  func run(text: String) -> [Turn]? {
    let script = Self.parse(text)
    guard !script.hasErrors else { return nil }
    return run(script, script.statements.indices)
  }

  static let sourceName = "<lesson>"

  /// A description of what is wrong with the session's tables; nil if all show what their
  /// controllers have.
  var tableFault: (reason: String, words: String)? {
    for name in interpreter.session.tableNames {
      guard let binding = interpreter.session.tables[name] else { continue }
      let table = ShownTable(binding)
      if table.isBroken { return ("crash", "\(name) raised an exception") }
      if table.isDetached { return ("detached", "\(name) is not the controller's delegate") }
      if table.isSuspended { return ("suspended", "\(name) is suspended") }
      if table.dataSource != nil {
        return ("stale", "\(name) shows different rows than its controller")
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
