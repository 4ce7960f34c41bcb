import Foundation
import Lessons
import Testing

/// What learners hand in, and the table that a teacher makes of it.
@Suite struct SubmissionTests {
  /// A clock that a test sets.
  private final class Clock {
    var time = 0.0
  }

  private func progress(_ entries: [(time: Double, text: String)]) -> CourseProgress {
    let clock = Clock()
    let dialog = CourseDialog(
      .builtIn, progress: CourseProgress(), examiner: LessonFiles.examiner, index: 0,
      now: { clock.time })
    _ = dialog.open()
    for entry in entries {
      clock.time = entry.time
      _ = dialog.take(entry.text)
    }
    return dialog.progress
  }

  private var ada: Submission {
    Submission(
      name: "Ada", course: .builtIn,
      progress: progress([
        (20, "update Book/1 [0, 0]\n"), (31.4, ":hint"), (100, "insert Book/1 [0, 0]\n"), (500, ""),
      ]))
  }

  @Test("results have tries, hints, the time and the last wrong answer")
  func results() {
    let first = ada.lessons.first
    #expect(first?.lesson == "01-an-object-appears")
    #expect(first?.title == "An object appears")
    #expect(first?.state == "solved")
    #expect(first?.tries == 2)
    #expect(first?.hints == 1)
    #expect(first?.seconds == 100)
    #expect(first?.lastWrong == "update Book/1 [0, 0]")
    // The second lesson was opened.
    #expect(ada.lessons.map(\.number) == [1, 2])
    #expect(ada.lessons.last?.state == "begun")
  }

  @Test("results are taken over where a lesson is new, or over only there, and stay in bounds")
  func takenOver() {
    var results = ada
    results.lessons[0].tries = .max
    results.lessons[0].seconds = .max
    results.lessons[0].lastWrong = String(repeating: "x", count: 2_000)
    var progress = CourseProgress()
    progress.takeOver(results)
    let first = progress.lessons["01-an-object-appears"]
    #expect(first?.state == .solved && first?.hints == 1)
    #expect(first?.tries == 1_000_000_000 && first?.seconds == 1_000_000_000)
    #expect(first?.lastWrong?.count == 500)
    #expect(progress.lessons["02-in-the-right-place"] == CourseProgress.Record())

    let solved = progress
    results.lessons[0].state = "skipped"
    results.lessons[1].tries = 3
    progress.takeOver(results)
    #expect(progress == solved)
    results.lessons[1].state = "shown"
    progress.takeOver(results)
    #expect(progress.lessons["02-in-the-right-place"]?.state == .shown)
    #expect(progress.lessons["02-in-the-right-place"]?.sawSolution == true)
    results.lessons[0].lesson = "new"
    results.lessons[0].state = "later"
    progress.takeOver(results)
    #expect(progress.lessons["new"] == nil)
  }

  @Test("a long pause counts as ten minutes, and a clock that goes back as none")
  func pauses() {
    let dialog = progress([(90_000, ":list"), (80_000, ":list"), (80_005, ":list")])
    #expect(dialog.lessons["01-an-object-appears"]?.seconds == 605)
  }

  @Test("a statement that does not reach the state is the last wrong answer, too")
  func reach() {
    let lesson = progress([
      (1, "insert Book/1 [0, 0]\n"), (2, ""), (3, "insert Book(title: \"Zoo\")"),
    ]).lessons["02-in-the-right-place"]
    #expect(lesson?.lastWrong == "insert Book(title: \"Zoo\")")
    #expect(lesson?.tries == 0)
  }

  @Test("a file for the teacher has no path, and is read again as it was written")
  func file() throws {
    let course = Course(name: "/home/ada/lessons", lessons: Course.builtIn.lessons)
    let submission = Submission(
      name: "Ada", course: course.taken(by: "Ada"), progress: CourseProgress())
    let text = String(decoding: try JSONEncoder().encode(submission), as: UTF8.self)

    #expect(!text.contains("home"))
    #expect(submission.course == "lessons")
    // Another folder of the same name is another course, and so is one that is called frc.
    let others = ["/home/bo/lessons", "/home/ada/frc"].map { Course(name: $0, lessons: []) }
    #expect(Set((others + [course, .builtIn]).map(\.mark)).count == 4)
    #expect(others.allSatisfy { !$0.isBuiltIn } && Course.builtIn.taken(by: "Ada").isBuiltIn)
    #expect(course.taken(by: "Ada").mark == course.mark)
    // A folder may have the name of another one and of its learner.
    let folders = ["/a as Ada", "/a"].map { Course(name: $0, lessons: []) }
    let courses = folders + folders.map { $0.taken(by: "Ada") } + [folders[1].taken(by: "Bo")]
    #expect(Set(courses.map(\.name)).count == 5)
    #expect(try JSONDecoder().decode(Submission.self, from: Data(text.utf8)) == submission)
    #expect(ada.fault == nil)
  }

  @Test("a table has a line for each lesson of each learner, as text, CSV and JSON")
  func table() {
    var bo = ada
    bo.name = "Bo, the \"second\""
    bo.lessons = [ada.lessons[0]]
    bo.lessons[0].lastWrong = "=HYPERLINK(\"x\")\nsecond line"
    let table = ClassTable([ada, bo])

    #expect(
      table.text == [
        "name              lesson                 state   tries  hints  time  last wrong answer",
        "Ada               01-an-object-appears   solved      2      1  1:40  update Book/1 [0, 0]",
        "Ada               02-in-the-right-place  begun       0      0  0:00",
        "Bo, the \"second\"  01-an-object-appears   solved      2      1  1:40  "
          + "=HYPERLINK(\"x\") / second line",
      ])
    #expect(
      table.csv.first
        == "name,course,number,lesson,title,state,tries,hints,seconds,last wrong answer")
    #expect(
      table.csv[1]
        == "Ada,frc,1,01-an-object-appears,An object appears,solved,2,1,100,\"update Book/1 [0, 0]\""
    )
    // Columns are as wide as on a terminal.
    bo.name = "本\n2"
    bo.lessons[0].lastWrong = nil
    #expect(
      ClassTable([bo]).text == [
        "name      lesson                state   tries  hints  time  last wrong answer",
        "本\\u{a}2  01-an-object-appears  solved      2      1  1:40",
      ])
    // A spreadsheet must not run what a learner wrote.
    #expect(
      table.csv.last
        == "\"Bo, the \"\"second\"\"\",frc,1,01-an-object-appears,An object appears,solved,2,1,100,"
        + "\"'=HYPERLINK(\"\"x\"\")\nsecond line\"")
    #expect(table.json.count == 3)
    #expect(
      table.json[1].hasSuffix("\"tries\":0,\"hints\":0,\"seconds\":0,\"lastWrong\":null}"))
  }

  @Test("results that nobody can have are refused with the reason")
  func faults() {
    var other = ada
    other.format = "frc results 9"
    #expect(other.fault == "its format is 'frc results 9', not 'frc results 1'")
    var nameless = ada
    nameless.name = " "
    #expect(nameless.fault == "it has no name")
    var impossible = ada
    impossible.lessons[0].tries = -1
    #expect(impossible.fault == "it has a number below zero")
    var wide = ada
    wide.lessons[0].lesson = String(repeating: "x", count: 2_000)
    #expect(wide.fault == "it has a text or a list that is too long")
  }
}
