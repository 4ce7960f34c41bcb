import Lessons
import ScriptSyntax
import Testing

/// Lessons as they are handed out: without what a learner must not read.
@Suite struct LessonHandoutTests {
  @Test(
    "a file for learners shows no answer and no hint, and contains the whole lesson",
    arguments: Course.builtIn.lessons.map(\.name))
  func handout(_ name: String) throws {
    let lesson = try #require(Course.builtIn.lessons.first { $0.name == name })
    let text = LessonHandout(lesson).sealedText
    let lines = text.split(separator: "\n").map(String.init)

    let sentences = lesson.hints + lesson.why + lesson.wrong.map(\.text)
    let answers =
      (lesson.offersChoices ? [] : lesson.wrong.flatMap(\.lines))
      + (lesson.kind == .predict && !lesson.offersChoices ? lesson.task.expected : [])
      + (lesson.kind == .reach || lesson.kind == .mend ? lesson.answer.lines : [])
    let given = lesson.world.lines + lesson.broken.lines + lesson.task.lines
    // 'table view = users {' begins the broken statement, too.
    let told =
      sentences.filter { text.contains($0) }
      + answers.filter { !given.contains($0) && lines.contains($0) }
    #expect(told == [])
    #expect(!text.contains("#>"))

    let script = ScriptParser.parse(SourceText(name: "a.frc", text: text))
    #expect(!script.hasErrors)
    #expect(script.isLesson)
    let read = LessonReader.read(script.source, named: name)
    #expect(read.problems.isEmpty)
    let opened = try #require(read.lesson)
    #expect(opened.solution == lesson.solution)
    #expect(opened.hints == lesson.hints)
    #expect(opened.choices == lesson.choices)
    #expect(read.seal != nil)
  }

  @Test("a damaged seal, and a sealed lesson with an error, are reported at the seal")
  func damaged() throws {
    let lesson = Course.builtIn.lessons[0]
    let text = LessonHandout(lesson).sealedText
    let source = SourceText(name: "a.frc", text: text + "# !!!!\n")
    let damaged = LessonReader.read(source, named: "a")
    #expect(damaged.hasErrors)
    #expect(
      damaged.problems.map(\.message) == ["the sealed lesson is damaged; ask for the file again"])

    let wrong = try LessonFiles.text("01-an-object-appears").replacing("#@ why", with: "# why")
    let inner = LessonReader.read(SourceText(name: "b.frc", text: wrong), named: "b")
    let sealed = LessonHandout(try #require(inner.lesson)).sealedText
    let problems = LessonCheck(LessonFiles.examiner)
      .problems(in: SourceText(name: "b.frc", text: sealed), named: "b")
    #expect(
      problems.map(\.message).first?.hasPrefix("in the sealed lesson: expected '#@ why'") == true)
    #expect(problems.allSatisfy { $0.range.upperBound <= sealed.utf8.count })
  }

  @Test("a sealed lesson is checked as the open one")
  func check() {
    let text = LessonHandout(Course.builtIn.lessons[0]).sealedText
    #expect(
      LessonCheck(LessonFiles.examiner)
        .problems(in: SourceText(name: "a.frc", text: text), named: "a").isEmpty)
  }

  @Test("a problem of a hint is at this hint")
  func hints() throws {
    let text = try LessonFiles.text("01-an-object-appears")
      .replacing(
        "Write: insert Book/1 and then its index path [0, 0].", with: "Think again, please.")
    let source = SourceText(name: "a.frc", text: text)
    let problem = try #require(
      LessonCheck(LessonFiles.examiner).problems(in: source, named: "a").first)

    #expect(problem.message == "the last hint does not mention any part of the answer")
    #expect(source.text(in: problem.range).contains("Think again"))
  }
}
