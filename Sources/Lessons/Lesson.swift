import Foundation
import ScriptRuntime
package import ScriptSyntax

/// One lesson: a script whose `#@` lines ask the learner something.
///
/// The script also contains the answer and its output, so it is a test like any other.
package struct Lesson: Sendable {
  /// The kind of task; the raw value is the word in a file.
  package enum Kind: String, Sendable, CaseIterable {
    /// Predict what a turn prints before it runs.
    case predict
    /// Bring the results to a given state.
    case reach
    /// Fix a table's reactions until the table is right after random turns.
    case mend
    /// Find the statement and the reaction that make a table crash.
    case find
  }

  /// A group of the script's statements.
  package struct Part: Sendable {
    /// The indices of the statements in the script.
    package var statements: Range<Int> = 0..<0
    /// The lines that the learner sees: without expected output and directives.
    package var lines: [String] = []
    /// The expected output in the file.
    package var expected: [String] = []
  }

  /// A typical wrong answer.
  package struct WrongAnswer: Sendable {
    /// The reason for which its grade must fail.
    package var reason: String
    /// The misconception that leads to this answer.
    package var text: String
    package var lines: [String]
    package var range: Range<Int>
  }

  /// The file's name without its extension.
  package var name: String
  package var kind: Kind
  package var title: String
  /// The lines of the text above the world; empty lines separate paragraphs.
  package var text: [String] = []
  package var covers: [String] = []
  /// Where to read more.
  package var see: String?
  package var world = Part()
  /// The statements to fix; empty in other kinds of lesson.
  package var broken = Part()
  package var question: [String] = []
  /// The statements that the question is about.
  package var task = Part()
  /// The statements of a right answer.
  package var answer = Part()
  /// The words after `#@ answer`.
  package var answerWords = ""
  package var goal = Part()
  /// The first words of statements that the learner may not use.
  package var without: [String] = []
  package var offersChoices = false
  package var wrong: [WrongAnswer] = []
  package var hints: [String] = []
  package var why: [String] = []
  package var script: ParsedScript

  /// The right answer as a learner would type it.
  package var solution: [String] {
    switch kind {
    case .predict: task.expected.isEmpty ? ["nothing"] : task.expected
    case .reach, .mend: answer.lines
    case .find: [answerWords]
    }
  }

  /// The answers to choose from.
  ///
  /// Their order depends on the lesson only.
  package var choices: [[String]] {
    guard offersChoices else { return [] }
    var answers = wrong.map(\.lines)
    let place = name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 9973 } % (answers.count + 1)
    answers.insert(solution, at: place)
    return answers
  }

  /// The number of the answer's statements that change something.
  package var fewestStatements: Int {
    script.statements[answer.statements].count { !$0.traits.onlyLooks }
  }
}

/// The text of a lesson as a learner sees it.
struct LessonText {
  private let lesson: Lesson

  init(_ lesson: Lesson) { self.lesson = lesson }

  /// Returns the title, the text, the world and the question.
  ///
  /// - Parameters:
  ///   - place: The number of the lesson, and of all lessons.
  ///   - log: The console's lines and the objects after the crash; only for a lesson that asks to
  ///     find a crash.
  func introduction(place: String, log: [String]) -> [DialogLine] {
    var lines = [DialogLine(.title, "\(place) \(lesson.title)"), DialogLine(.text, "")]
    lines += lesson.text.map { DialogLine(.text, $0) } + [DialogLine(.text, "")]
    lines += lesson.world.lines.map { DialogLine(.code, $0) }
    lines += lesson.broken.lines.map { DialogLine(.code, $0) }
    lines.append(DialogLine(.text, ""))
    lines += lesson.question.map { DialogLine(.text, $0) }
    switch lesson.kind {
    case .predict: lines += lesson.task.lines.map { DialogLine(.code, $0) }
    case .reach: lines += goal
    case .mend: break
    case .find:
      let statements = lesson.script.statements[lesson.task.statements]
      for (index, statement) in statements.enumerated() {
        let text = lesson.script.source.text(in: statement.range).linesOfText
        for (row, line) in text.enumerated() {
          lines.append(DialogLine(.code, (row == 0 ? "\(index + 1)  " : "   ") + line))
        }
      }
    }
    lines += log.map { DialogLine(.code, $0) }
    for (index, choice) in lesson.choices.enumerated() {
      let letter = String(UnicodeScalar(UInt8(97 + index % 26)))
      for (row, line) in choice.enumerated() {
        lines.append(DialogLine(.code, (row == 0 ? "\(letter)  " : "   ") + line))
      }
    }
    return lines + [DialogLine(.note, way)]
  }

  /// The statements of the goal, each with its expected output.
  private var goal: [DialogLine] {
    let script = lesson.script
    return script.groups.filter { lesson.goal.statements.contains($0.statements.lowerBound) }
      .flatMap { group in
        group.lines.map { DialogLine(.code, script.source.text(ofLine: $0)) }
          + group.expected.map { DialogLine(.code, "  " + $0.text) }
      }
  }

  /// Whether the answer is callbacks, or that none is sent.
  private var asksForCallbacks: Bool {
    lesson.task.expected.isEmpty
      || lesson.task.expected.contains { line in
        ["willChangeContent", "didChange", "didChangeContent"].contains { line.contains(" \($0)") }
      }
  }

  /// A sentence that says how to answer, with an example that is not the answer.
  var way: String {
    switch lesson.kind {
    case .predict where lesson.offersChoices: "Type the letter of your answer. :hint helps."
    case .predict where !asksForCallbacks:
      "Write each line that is printed; an empty line ends the answer. :hint helps."
    case .predict:
      "Write a callback on each line, such as '\(example("update Book/7 [0, 4]", "insert Page/7 [3, 4]"))'; "
        + "an empty line ends the answer. Write 'nothing' if nothing is sent. :hint helps."
    case .reach: "Type statements until the state is reached. Looking is free. :hint helps."
    case .mend: "Type the statement as it should be. :hint helps."
    case .find:
      "Type the number of the statement and the reaction, such as "
        + "'\(example("7 update", "8 insert"))'. :hint helps."
    }
  }

  /// Returns the first example, or the other one if the first is part of the answer.
  private func example(_ first: String, _ other: String) -> String {
    lesson.solution.joined(separator: " ").contains(first) ? other : first
  }
}

/// A lesson as it is handed to learners: without answers, wrong answers, hints and expected output.
///
/// The file still contains all of them, *sealed*: as Base64, so they are not read by accident.
/// `frc learn` opens the seal. It protects no secret: anyone can decode it.
package struct LessonHandout {
  private let lesson: Lesson

  package init(_ lesson: Lesson) { self.lesson = lesson }

  /// The lines that a learner may see.
  package var lines: [String] {
    var lines = ["#@ lesson \(lesson.kind.rawValue) \(lesson.title)"]
    lines += lesson.text.map(Self.comment)
    lines += [""] + lesson.world.lines
    if !lesson.broken.lines.isEmpty { lines += ["", "#@ broken"] + lesson.broken.lines }
    lines += ["", "#@ task " + (lesson.question.first ?? "")]
    lines += lesson.question.dropFirst().map(Self.comment)
    lines += lesson.kind == .mend || lesson.kind == .reach ? [] : lesson.task.lines
    if lesson.kind == .reach { lines += ["", "# The state to reach:"] + goal.map(Self.comment) }
    for (index, choice) in lesson.choices.enumerated() {
      let letter = String(UnicodeScalar(UInt8(97 + index % 26)))
      for (row, line) in choice.enumerated() {
        lines.append(Self.comment((row == 0 ? "\(letter)  " : "   ") + line))
      }
    }
    return lines
  }

  /// The text of a file for learners: what they may see, and the whole lesson sealed.
  package var sealedText: String {
    let source = lesson.script.source
    let text = Data((1...source.lineCount).map(source.text(ofLine:)).joined(separator: "\n").utf8)
    let seal = text.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
    let sealed = seal.split(separator: "\n").map { "# " + $0 }
    let note = "# The rest of the lesson is for frc learn: answers and hints."
    return (lines + ["", note, "#@ sealed"] + sealed).joined(separator: "\n") + "\n"
  }

  private var goal: [String] {
    let script = lesson.script
    return script.groups.filter { lesson.goal.statements.contains($0.statements.lowerBound) }
      .flatMap { group in
        group.lines.map { "  " + script.source.text(ofLine: $0) }
          + group.expected.map { "    " + $0.text }
      }
  }

  private static func comment(_ line: String) -> String { line.isEmpty ? "#" : "# " + line }

  /// Returns the sealed lesson in a file; nil if there is none, or if it cannot be read.
  static func opened(_ lines: [String], named name: String) -> SourceText? {
    guard let data = Data(base64Encoded: lines.joined()),
      let text = String(data: data, encoding: .utf8)
    else { return nil }
    return SourceText(name: name, text: text)
  }
}
