package import FetchedResults
import GoldenTesting
package import ScriptRuntime
import ScriptSyntax

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

/// A learner's attempt to reach a state, statement by statement.
final class ReachAttempt {
  let world: LessonSession
  private let lesson: Lesson
  /// The number of statements so far that changed something.
  private(set) var count = 0
  /// The entries that ran.
  private(set) var entries: [String] = []

  init(_ lesson: Lesson, _ world: LessonSession) {
    self.lesson = lesson
    self.world = world
  }

  /// The effects of an entry.
  struct Step {
    /// The lines that its statements printed.
    var lines: [String] = []
    /// The diagnostics of its text.
    var diagnostics: [Diagnostic] = []
    var source: SourceText
    /// Nil while the state is not reached.
    var grade: Grade?
  }

  /// Runs the statements of an entry.
  ///
  /// If one of them does not parse, none runs, and the grade says so.
  func take(_ entry: String) -> Step {
    let script = ScriptParser.parse(SourceText(name: LessonSession.sourceName, text: entry))
    var step = Step(diagnostics: script.diagnostics, source: script.source)
    guard !script.hasErrors else {
      step.grade = Grade(.wrong, reasons: ["error"])
      return step
    }
    if let word = forbiddenWord(in: script) {
      let line = Grade.Line(.wrong, "find a way without '\(word)'")
      step.grade = Grade(.wrong, [line], reasons: ["without"])
      return step
    }
    entries.append(entry)
    for statement in script.statements {
      let turn = world.run(statement, in: script.source)
      // One that failed changed nothing, but a part of a block may have.
      let hasRun = turn.error == nil || !statement.inner.isEmpty
      if hasRun, !statement.traits.onlyLooks { count += 1 }
      step.lines += turn.lines
      if turn.error != nil {
        step.grade = Grade(.wrong, reasons: ["error"])
        return step
      }
      if turn.isCrash {
        step.grade = crash(turn)
        return step
      }
    }
    guard !isMissing else { return step }
    let fewest = lesson.fewestStatements
    let words = { (count: Int) in "\(count) \(count == 1 ? "statement" : "statements")" }
    step.grade =
      count <= fewest
      ? Grade(.right, [Grade.Line(.right, "the state is reached with \(words(count))")])
      : Grade(
        .partly,
        [
          Grade.Line(.right, "the state is reached"),
          Grade.Line(
            .wrong, "with \(words(count)); \(fewest) \(fewest == 1 ? "is" : "are") enough"),
        ], reasons: ["statements"])
    return step
  }

  /// Returns the forbidden word with which one of the statements begins; nil if there is none.
  private func forbiddenWord(in script: ParsedScript) -> String? {
    func words(_ statement: Statement) -> [String] {
      let word = script.source.text(in: statement.range).prefix { $0.isLetter }
      return [String(word)] + statement.inner.flatMap(words)
    }
    return script.statements.flatMap(words).first(where: lesson.without.contains)
  }

  private func crash(_ turn: LessonSession.Turn) -> Grade {
    var lines = [Grade.Line(.wrong, "the table raised an exception")]
    for explanation in turn.explanations where !explanation.isFrame {
      lines += explanation.reasonLines.prefix(1).map { Grade.Line(.none, $0) }
    }
    return Grade(.wrong, lines, reasons: ["crash"])
  }

  /// Whether the goal's statements do not print yet what the lesson asks for.
  private var isMissing: Bool {
    world.run(lesson.script, lesson.goal.statements).flatMap(\.lines) != lesson.goal.expected
  }

  /// The lines of the goal that differ, each with what is there at present.
  var differences: [Grade.Line] {
    var lines: [Grade.Line] = []
    let script = lesson.script
    for group in script.groups
    where lesson.goal.statements.contains(group.statements.lowerBound) {
      let expected = group.expected.map(\.text)
      let found = world.run(script, group.statements).flatMap(\.lines)
      if expected.count == found.count {
        for (wanted, present) in zip(expected, found) where wanted != present {
          lines += Self.lines(expected: [wanted], found: [present])
          guard Self.differInNumber(wanted, present) else { continue }
          lines.append(
            Grade.Line(.none, "  every new object gets a new number; :again starts from the first"))
        }
      } else {
        lines += Self.lines(
          expected: expected.filter { !found.contains($0) },
          found: found.filter { !expected.contains($0) })
      }
    }
    let most = 12
    guard lines.count > most else { return lines }
    return lines.prefix(most) + [Grade.Line(.none, "  and \(lines.count - most) other lines")]
  }

  private static func lines(expected: [String], found: [String]) -> [Grade.Line] {
    expected.map { Grade.Line(.missing, "expected: \($0.trimmed)") }
      + found.map { Grade.Line(.wrong, "found:    \($0.trimmed)") }
  }

  /// Whether two lines are equal but for the numbers of their objects, as in `Book/3` and `Book/4`.
  private static func differInNumber(_ one: String, _ other: String) -> Bool {
    func parts(_ line: String) -> [Substring] {
      line.split(separator: " ").map { word in
        word.lastIndex(of: "/").map { word[...$0] } ?? word
      }
    }
    return one.contains("/") && parts(one) == parts(other)
  }
}

extension Explanation {
  /// Whether the explanation is about one of the callbacks around a batch.
  fileprivate var isFrame: Bool { rule == .batch }
}
