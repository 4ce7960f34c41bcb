import GoldenTesting
import ScriptRuntime
package import ScriptSyntax

/// A check of a lesson: its answer passes, each wrong answer fails for the stated reason, and the
/// hints lead to the answer.
package struct LessonCheck {
  private let examiner: LessonExaminer

  package init(_ examiner: LessonExaminer) { self.examiner = examiner }

  /// Returns the problems in a file.
  package func problems(in source: SourceText, named name: String) -> [Diagnostic] {
    let read = LessonReader.read(source, named: name)
    guard let lesson = read.lesson, !read.hasErrors else { return read.problems }
    let problems = self.problems(of: lesson)
    guard let seal = read.seal else { return read.problems + problems }
    return problems.map { Diagnostic(message: "in the sealed lesson: \($0.message)", range: seal) }
  }

  private func problems(of lesson: Lesson) -> [Diagnostic] {
    statements(of: lesson) + answers(to: lesson) + hints(of: lesson)
      + covers(of: lesson)
  }

  private func directive(_ word: LessonWord, of lesson: Lesson) -> Range<Int> {
    lesson.script.directives.first { LessonWord.read($0)?.word == word }?.range ?? 0..<0
  }

  private func problem(_ message: String, _ word: LessonWord, _ lesson: Lesson) -> Diagnostic {
    Diagnostic(message: message, range: directive(word, of: lesson))
  }

  /// Returns a problem of one of the hints, at this hint.
  private func problem(_ message: String, hint index: Int, _ lesson: Lesson) -> Diagnostic {
    let hints = lesson.script.directives.filter { LessonWord.read($0)?.word == .hint }
    return Diagnostic(
      message: message, range: hints.indices.contains(index) ? hints[index].range : 0..<0)
  }

  // MARK: The script

  /// Returns errors, and statements whose output differs from the file's.
  private func statements(of lesson: Lesson) -> [Diagnostic] {
    let world = examiner.emptyWorld(of: lesson)
    for group in lesson.script.groups {
      let turns = world.run(lesson.script, group.statements)
      let lines = turns.flatMap(\.lines)
      let range = lesson.script.statements[group.statements.lowerBound].range
      guard lines != group.expected.map(\.text) else { continue }
      let shown = lines.isEmpty ? "nothing" : "'\(lines.joined(separator: "; "))'"
      return [
        Diagnostic(
          message: "the expected output under this statement is missing or different: it prints "
            + "\(shown); 'frc test --update' can write it", range: range)
      ]
    }
    return []
  }

  // MARK: Answers

  private func answers(to lesson: Lesson) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    let grade = examiner.grade(lesson.solution.joined(separator: "\n"), to: lesson)
    if grade.verdict != .right {
      let lines = grade.lines.filter { $0.mark != .right }.map(\.text).joined(separator: "; ")
      problems.append(
        problem(
          "the answer does not pass: \(lines)", lesson.kind == .predict ? .task : .answer, lesson))
    }
    if lesson.kind == .mend, examiner.tableFault(ofBroken: lesson) == nil {
      problems.append(
        problem(
          "the statements below '#@ broken' follow every random turn; break one of them",
          .broken, lesson))
    }
    for wrong in lesson.wrong {
      let grade = examiner.grade(wrong.lines.joined(separator: "\n"), to: lesson)
      if grade.verdict == .right {
        problems.append(Diagnostic(message: "this answer passes", range: wrong.range))
      } else if !grade.reasons.contains(wrong.reason) {
        problems.append(
          Diagnostic(
            message: "this answer fails because of "
              + grade.reasons.sorted().map { "'\($0)'" }.joined(separator: ", ")
              + ", not '\(wrong.reason)'",
            range: wrong.range))
      }
    }
    return problems
  }

  // MARK: Hints

  /// Checks that each hint says something new, and that the last one names a part of the answer.
  private func hints(of lesson: Lesson) -> [Diagnostic] {
    var known = Self.words(lesson.question.joined(separator: " "))
    var problems: [Diagnostic] = []
    for (index, hint) in lesson.hints.enumerated() {
      let words = Self.words(hint)
      if words.isSubset(of: known) {
        problems.append(
          problem("hint \(index + 1) adds no new word", hint: index, lesson))
      }
      known.formUnion(words)
    }
    let answer = Self.words(lesson.solution.joined(separator: " "))
    if let last = lesson.hints.last, Self.words(last).isDisjoint(with: answer) {
      problems.append(
        problem(
          "the last hint does not mention any part of the answer", hint: lesson.hints.count - 1,
          lesson))
    }
    return problems
  }

  private static func words(_ text: String) -> Set<String> {
    Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
  }

  // MARK: Rules

  /// Checks that each rule in the lesson's `covers` decides something in it, or fails a wrong
  /// answer.
  private func covers(of lesson: Lesson) -> [Diagnostic] {
    let world = examiner.emptyWorld(of: lesson)
    let turns = world.run(lesson.script, lesson.script.statements.indices)
    let decided = Set(
      turns.flatMap(\.explanations).flatMap { [$0.rule, $0.untold].compactMap(\.self) }
        .map(\.rawValue) + lesson.wrong.map(\.reason))
    return lesson.covers.filter { Rule(rawValue: $0) != nil && !decided.contains($0) }.map {
      problem("nothing in this lesson is decided by the rule '\($0)'", .covers, lesson)
    }
  }
}
