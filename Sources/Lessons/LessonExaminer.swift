import Basics
package import FetchedResults
package import GoldenTesting
import ScriptFuzzing
package import ScriptRuntime
import ScriptSyntax

/// Runs a lesson's world, and grades answers by what happens in it.
package struct LessonExaminer {
  private let makeEnvironment: () -> any ScriptEnvironment
  private let evaluation: EvaluationEnvironment
  private let limit: (any StatementLimit)?
  /// The number of random turns that a fixed table has to follow.
  private let randomTurns: Int
  private static let turnsPerWorld = 40

  /// - Parameters:
  ///   - environment: Makes the environment that provides a session's files.
  ///   - evaluation: The clock and the locale of every session.
  ///   - limit: The limit for the statements of all sessions; nil for none. The environment and the
  ///     evaluation stop statements that exceed it.
  ///   - randomTurns: The number of random turns that a fixed table has to follow.
  package init(
    environment: @escaping () -> any ScriptEnvironment, evaluation: EvaluationEnvironment,
    limit: (any StatementLimit)? = nil, randomTurns: Int = 1_000
  ) {
    makeEnvironment = environment
    self.evaluation = evaluation
    self.limit = limit
    self.randomTurns = randomTurns
  }

  /// Whether the user asked to stop.
  var isInterrupted: Bool { evaluation.isCancelled?() ?? false }

  /// Returns a session in which the lesson's world and its broken part have run.
  func world(of lesson: Lesson, changing change: ((Statement) -> Statement)? = nil) -> LessonSession
  {
    let world = emptyWorld(of: lesson)
    let script = lesson.script
    for statement in script.statements[lesson.world.statements]
      + script.statements[lesson.broken.statements]
    {
      _ = world.run(change?(statement) ?? statement, in: script.source)
    }
    return world
  }

  /// Returns the first error of the lesson's statements that the lesson does not expect; nil if
  /// there is none, or if the user asked to stop.
  func fault(in lesson: Lesson) -> ScriptError? {
    let world = emptyWorld(of: lesson)
    for group in lesson.script.groups
    where !group.expected.contains(where: { $0.text.hasPrefix("error: ") }) {
      let turns = world.run(lesson.script, group.statements)
      if let error = turns.lazy.compactMap(\.error).first { return isInterrupted ? nil : error }
    }
    return nil
  }

  /// Returns a session in which nothing has run yet.
  func emptyWorld(of lesson: Lesson) -> LessonSession {
    let world = LessonSession(
      environment: makeEnvironment(), evaluation: evaluation, limit: limit)
    world.interpreter.prepare(for: lesson.script)
    return world
  }

  /// Grades a complete answer.
  package func grade(_ answer: String, to lesson: Lesson) -> Grade {
    switch lesson.kind {
    case .predict: gradePrediction(answer.linesOfText, lesson)
    case .reach: gradeReaching(answer, lesson)
    case .mend: gradeMending(answer, lesson)
    case .find: gradeFinding(answer, lesson)
    }
  }

  // MARK: Predict

  private func gradePrediction(_ lines: [String], _ lesson: Lesson) -> Grade {
    let world = world(of: lesson)
    let turns = world.run(lesson.script, lesson.task.statements)
    return Grade(
      ofPrediction: lesson.chosen(lines), events: turns.flatMap(\.events),
      explanations: turns.flatMap(\.explanations), in: world.interpreter.session)
  }

  // MARK: Reach

  private func gradeReaching(_ answer: String, _ lesson: Lesson) -> Grade {
    let attempt = ReachAttempt(lesson, world(of: lesson))
    return attempt.take(answer).grade
      ?? Grade(.wrong, attempt.differences, reasons: ["state"])
  }

  // MARK: Mend

  /// Grades the broken part as it is; nil if random turns leave its tables right.
  func tableFault(ofBroken lesson: Lesson) -> Grade? {
    let grade = gradeMending(nil, lesson)
    return grade.verdict == .right ? nil : grade
  }

  /// - Parameter answer: The learner's answer; nil to grade the lesson's broken part.
  private func gradeMending(_ answer: String?, _ lesson: Lesson) -> Grade {
    var random = SeededGenerator(seed: 1)
    var made = 0
    while made < randomTurns {
      let world = world(of: lesson)
      if let answer, let grade = failure(of: answer, in: world) { return grade }
      // Short turns come first, so that a turn that breaks the table is easy to read.
      let length = made < randomTurns / 3 ? 1 : 6
      for _ in 0..<Self.turnsPerWorld {
        guard !isInterrupted else { return Grade(.wrong, reasons: ["interrupted"]) }
        made += 1
        var writer = RandomTurns(world.interpreter.session)
        let text = writer.turn(atMost: length, &random)
        let turns = world.run(text: text) ?? []
        guard let fault = world.tableFault else { continue }
        return failure(fault, turn: made, text, turns)
      }
    }
    var grade = Grade(
      .right, [Grade.Line(.right, "the table was right after \(randomTurns) random turns")])
    if let answer, let unnamed = lesson.unnamedReactions(in: answer) {
      grade.verdict = .partly
      grade.lines += unnamed
      grade.reasons.insert("reaction")
    }
    return grade
  }

  /// Runs an answer and returns its grade if it has an error.
  private func failure(of answer: String, in world: LessonSession) -> Grade? {
    let turns = world.run(text: answer) ?? []
    guard !turns.isEmpty else {
      let words =
        LessonSession.syntaxError(in: answer).map { "this line has a syntax error: \($0)" }
        ?? "expected a statement"
      let way = "  write the whole statement again, as it is above, with your change"
      return Grade(
        .wrong, [Grade.Line(.wrong, words), Grade.Line(.none, way)], reasons: ["error"])
    }
    guard let error = turns.compactMap(\.error).first else { return nil }
    return Grade(.wrong, [Grade.Line(.wrong, "error: \(error.kind)")], reasons: ["error"])
  }

  private func failure(
    _ fault: (reason: String, words: String), turn: Int, _ text: String,
    _ turns: [LessonSession.Turn]
  ) -> Grade {
    var lines = [
      Grade.Line(.wrong, "random turn \(turn) of \(randomTurns): \(fault.words)")
    ]
    lines += text.linesOfText.map { Grade.Line(.none, $0) }
    lines += turns.flatMap(\.lines).map { Grade.Line(.none, "  " + $0) }
    let rules = turns.flatMap(\.explanations).filter(\.isSentChange).map(\.rule)
    for rule in Rule.allCases where rules.contains(rule) {
      lines.append(Grade.Line(.none, "rule \(rule.rawValue): \(rule.summary)"))
    }
    return Grade(turn > 1 ? .partly : .wrong, lines, reasons: [fault.reason])
  }

  // MARK: Find

  /// Runs the task's statements one by one, and stops after the first that crashes.
  func turns(of lesson: Lesson) -> [LessonSession.Turn] {
    turns(of: lesson, in: world(of: lesson))
  }

  private func turns(of lesson: Lesson, in world: LessonSession) -> [LessonSession.Turn] {
    var turns: [LessonSession.Turn] = []
    for statement in lesson.script.statements[lesson.task.statements] {
      turns.append(world.run(statement, in: lesson.script.source))
      if turns.last?.isCrash == true { break }
    }
    return turns
  }

  /// Returns the console's lines about the crash, and the objects that the store then has.
  func crashLog(of lesson: Lesson) -> [String] {
    let world = world(of: lesson)
    let turns = turns(of: lesson, in: world)
    let log = turns.last?.events.compactMap { event -> String? in
      if case .console(let text) = event { text } else { nil }
    }
    let session = world.interpreter.session
    let entities = session.controllerNames.compactMap {
      session.controllers[$0]?.controller.fetchRequest.entity.name
    }
    let objects = Set(entities).sorted().flatMap { name in
      (world.run(text: "fetch \(name)") ?? []).flatMap(\.lines)
    }
    return ["", "The log:"] + (log ?? []) + ["", "The objects after the crash:"] + objects
  }

  /// Returns the number of the statement that crashes, counted from 1; nil if none does.
  func crash(in lesson: Lesson) -> Int? {
    turns(of: lesson).firstIndex(where: \.isCrash).map { $0 + 1 }
  }

  /// Returns the reactions that cause the crash: if one of them is replaced by the template's, the
  /// statement does not crash.
  func culprits(in lesson: Lesson) -> [TableReactionSyntax.Change] {
    guard let crash = crash(in: lesson) else { return [] }
    return TableReactionSyntax.Change.allCases.filter { change in
      let world = world(of: lesson) { $0.withoutReaction(to: change) }
      let turns = turns(of: lesson, in: world)
      return turns.count > crash || turns.count == crash && turns.last?.isCrash == false
    }
  }

  /// The reactions that an answer may name.
  private static let reactions = TableReactionSyntax.Change.allCases.map(\.rawValue)
    .joined(separator: ", ")

  private func gradeFinding(_ answer: String, _ lesson: Lesson) -> Grade {
    let statements = lesson.script.statements[lesson.task.statements].map {
      lesson.script.source.text(in: $0.range)
    }
    let said: FindAnswer
    switch FindAnswer.read(answer, statements: statements) {
    case .success(let read): said = read
    case .failure(let problem):
      return Grade(
        .wrong,
        [
          Grade.Line(.wrong, answer.trimmed),
          Grade.Line(.none, "  frc cannot read this answer: \(problem.reason)"),
          Grade.Line(.none, "  write a number and a reaction, for example '7 update'"),
        ], reasons: ["statement", "reaction"])
    }
    let crash = crash(in: lesson)
    var grade = Grade(.right)
    if let number = said.statement, number == crash {
      grade.lines.append(Grade.Line(.right, "statement \(number)"))
    } else if let number = said.statement {
      let isLate = crash.map { number > $0 } ?? false
      let words =
        !(1...statements.count).contains(number)
        ? "does not exist; there are \(statements.count)"
        : isLate ? "comes after the crash" : "does not crash"
      grade.lines.append(Grade.Line(.wrong, "statement \(number) \(words)"))
      grade.reasons.insert("statement")
    } else {
      grade.lines.append(Grade.Line(.missing, "the number of the statement is missing"))
      grade.reasons.insert("statement")
    }
    if let reaction = said.reaction, culprits(in: lesson).contains(reaction) {
      grade.lines.append(Grade.Line(.right, reaction.rawValue))
    } else if let reaction = said.reaction {
      grade.lines.append(
        Grade.Line(
          .wrong,
          "\(reaction.rawValue) is not the cause: with the standard reaction to "
            + "\(reaction.rawValue) it still crashes"))
      grade.reasons.insert("reaction")
    } else {
      grade.lines.append(Grade.Line(.missing, "the reaction is missing: \(Self.reactions)"))
      grade.reasons.insert("reaction")
    }
    if !grade.reasons.isEmpty { grade.verdict = grade.reasons.count == 1 ? .partly : .wrong }
    return grade
  }
}

extension Explanation {
  /// Whether the explanation is about a change that was sent.
  fileprivate var isSentChange: Bool {
    switch subject {
    case .callback(let callback): callback.type != nil
    case .part, .unsent, .silence, .unanswered: false
    }
  }
}

extension Statement {
  /// Returns the statement with the template's reaction to a change, if the statement sets up a
  /// table.
  fileprivate func withoutReaction(to change: TableReactionSyntax.Change) -> Statement {
    guard case .table(let name, let controller, .reactions(let reactions)) = kind else {
      return self
    }
    let others = reactions.filter { $0.change != change }
    return Statement(.table(name, of: controller, .reactions(others)), range: range)
  }
}

extension Lesson {
  /// Returns the choice that a letter names, as in `b` or `b)`; any other answer is returned
  /// unchanged.
  func chosen(_ lines: [String]) -> [String] { choice(lines.joined(separator: "\n")) ?? lines }

  /// Whether an answer is the letter of a choice.
  func isChoice(_ answer: String) -> Bool { choice(answer) != nil }

  private func choice(_ answer: String) -> [String]? {
    let said = answer.trimmed.lowercased()
    let letters = said.unicodeScalars.filter { !"().:".unicodeScalars.contains($0) }
    guard said.count <= 3, letters.count == 1, let letter = letters.first,
      ("a"..."z").contains(letter)
    else { return nil }
    let index = Int(letter.value) - 97
    return choices.indices.contains(index) ? choices[index] : nil
  }

  /// Returns what is missing in an answer that leaves out a reaction that the lesson asks for, so
  /// that the table uses the standard one; nil if it names all of them.
  fileprivate func unnamedReactions(in text: String) -> [Grade.Line]? {
    let broken = script.statements[broken.statements].compactMap(\.tableReactions).last
    let said = ScriptParser.parse(SourceText(name: LessonSession.sourceName, text: text))
    guard let broken else { return nil }
    let named = said.statements.compactMap(\.tableReactions).last { $0.table == broken.table }
    let missing = broken.changes.filter { named?.changes.contains($0) != true }.map(\.rawValue)
    guard !missing.isEmpty else { return nil }
    return [
      Grade.Line(
        .missing,
        "\(missing.count == 1 ? "the reaction" : "the reactions") to "
          + "\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") missing"),
      Grade.Line(.none, "  write it in braces: table \(broken.table) = ... { \(missing[0]) ... }"),
    ]
  }
}

extension Statement {
  /// The table that the statement sets up, and the changes whose reactions it names; nil if it sets
  /// up no table.
  fileprivate var tableReactions: (table: String, changes: [TableReactionSyntax.Change])? {
    guard case .table(let name, _, let mode) = kind else { return nil }
    switch mode {
    case .template, .reload: return (name.text, [])
    case .reactions(let reactions): return (name.text, reactions.map(\.change))
    }
  }
}

/// An answer that names a statement and a reaction: `2 sectionDelete`, `statement 2, section
/// delete`, or the statement's text and the reaction.
struct FindAnswer: Equatable {
  private(set) var statement: Int?
  private(set) var reaction: TableReactionSyntax.Change?

  /// The reason why an answer cannot be read.
  struct Problem: Error {
    var reason: String
  }

  private static let numbers = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
  ]
  private static let fillers: Set<String> = [
    "the", "a", "and", "is", "it", "statement", "number", "no", "reaction", "to", "for", "in", "of",
    "crashed", "crashes", "with", "line",
  ]

  /// Reads an answer.
  ///
  /// - Parameter statements: The statements to search; an answer may repeat the text of one.
  static func read(_ text: String, statements: [String]) -> Result<FindAnswer, Problem> {
    var answer = FindAnswer()
    var rest = text
    // One statement can be the beginning of another.
    let named = statements.indices.filter { text.contains(statements[$0]) }
    if let index = named.max(by: { statements[$0].count < statements[$1].count }) {
      answer.statement = index + 1
      rest = rest.replacing(statements[index], with: " ")
    }
    do throws(Problem) {
      for word in words(of: rest) { try answer.take(word) }
    } catch {
      return .failure(error)
    }
    return .success(answer)
  }

  /// Returns the words of an answer, with `section delete` as one word.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    let parts = text.split { $0.isWhitespace || ",.:;#()".contains($0) }.map { $0.lowercased() }
    for word in parts {
      if words.last == "section", change(word) != nil {
        words[words.count - 1] += word
      } else {
        words.append(word)
      }
    }
    return words
  }

  private static func change(_ word: String) -> TableReactionSyntax.Change? {
    let stems = [word, String(word.dropLast()), String(word.dropLast(2))]
    return TableReactionSyntax.Change.allCases.first { stems.contains($0.rawValue.lowercased()) }
  }

  private mutating func take(_ word: String) throws(Problem) {
    if let number = Int(word) ?? Self.numbers.firstIndex(of: word).map({ $0 + 1 }) {
      guard statement == nil || statement == number else {
        throw Problem(reason: "it names two statements")
      }
      statement = number
    } else if let change = Self.change(word) {
      guard reaction == nil || reaction == change else {
        throw Problem(reason: "it names two reactions")
      }
      reaction = change
    } else if !Self.fillers.contains(word) {
      throw Problem(reason: "the word '\(word)' has no meaning here")
    }
  }

  /// Reads the answer in a lesson's file; nil if it names neither a statement nor a reaction.
  init?(_ text: String) {
    guard case .success(let answer) = Self.read(text, statements: []),
      answer.statement != nil || answer.reaction != nil
    else { return nil }
    self = answer
  }

  private init() {}
}
