import Foundation
import GoldenTesting
import Lessons
import Testing

/// Answers in other words, and answers one step away, for each lesson of the course.
@Suite struct JudgedAnswersTests {
  @Test(
    "right answers in other words pass, and wrong answers one step away do not",
    arguments: Course.builtIn.lessons.map(\.name))
  func lesson(_ name: String) throws {
    let lesson = try #require(Course.builtIn.lessons.first { $0.name == name })
    let forms = AnswerForms(lesson)
    // A lesson's own answer follows a thousand turns in LessonFileTests. Here are the same reactions
    // in other words, and reactions that leave one out.
    let examiner = LessonFiles.examiner(randomTurns: 160)

    let refused = forms.right.filter { examiner.grade($0, to: lesson).verdict != .right }
    let wrong = forms.wrong.map { (answer: $0, grade: examiner.grade($0, to: lesson)) }
    let accepted = wrong.filter { $0.grade.verdict == .right }.map(\.answer)

    #expect(refused.isEmpty, "right, and refused: \(refused.joined(separator: "\n--\n"))")
    #expect(accepted.isEmpty, "wrong, and accepted: \(accepted.joined(separator: "\n--\n"))")
    // Each refused line of a prediction has its reason below it.
    for (answer, grade) in wrong where lesson.kind == .predict {
      let lines = grade.lines
      for (index, line) in lines.enumerated() where line.mark == .wrong && line.text != "nothing" {
        #expect(index + 1 < lines.count && lines[index + 1].mark == .none, "\(answer)")
      }
    }
    if let path = ProcessInfo.processInfo.environment["FRC_JUDGED"] {
      let line =
        "\(name) \(forms.right.count) \(refused.count) \(forms.wrong.count) \(accepted.count)\n"
      try append(line, to: path)
    }
  }

  @Test("the examples in messages are the answer to no lesson")
  func examples() {
    for lesson in Course.builtIn.lessons {
      let solution = lesson.solution.joined(separator: "\n")
      for example in ["Book/7 [0, 4]", "section insert 5", "7 update"] {
        #expect(!solution.contains(example))
      }
    }
  }

  @Test("the course has thousands of such answers")
  func count() {
    let forms = Course.builtIn.lessons.map(AnswerForms.init)

    #expect(forms.reduce(0) { $0 + $1.right.count } > 500)
    #expect(forms.reduce(0) { $0 + $1.wrong.count } > 1_500)
  }

  private func append(_ line: String, to path: String) throws {
    if !FileManager.default.fileExists(atPath: path) {
      try Data().write(to: URL(fileURLWithPath: path))
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(line.utf8))
    try file.close()
  }
}
