import FetchedResults
import Foundation
import GoldenTesting
import Lessons
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite struct CourseDialogTests {
  private func dialog(_ lesson: Int, _ progress: CourseProgress = CourseProgress()) -> CourseDialog
  {
    CourseDialog(
      .builtIn, progress: progress, examiner: LessonFiles.examiner, index: lesson - 1)
  }

  private func opened(_ lesson: Int, _ progress: CourseProgress = CourseProgress()) -> CourseDialog
  {
    let dialog = dialog(lesson, progress)
    _ = dialog.open()
    return dialog
  }

  private func record(_ lesson: Int, _ dialog: CourseDialog) -> CourseProgress.Record? {
    dialog.progress.lessons[Course.builtIn.lessons[lesson - 1].name]
  }

  private func number(_ title: String) throws -> Int {
    try #require(Course.builtIn.lessons.firstIndex { $0.title == title }) + 1
  }

  @Test("a wrong answer is explained and counted, a right one says why and leads on")
  func answers() {
    let dialog = opened(1)

    let wrong = dialog.take("update Book/1 [0, 0]")
    #expect(wrong.lines.first?.kind == .graded(.wrong))
    #expect(wrong.lines.last?.text == "Not yet. Try again; :hint helps.")
    let right = dialog.take("insert Book/1 [0, 0]\n")
    #expect(right.lines.contains { $0.text.hasPrefix("Right. A new object that matches") })
    #expect(record(1, dialog)?.state == .solved)
    #expect(record(1, dialog)?.tries == 2)
    #expect(dialog.prompt == "next> ")
    #expect(
      dialog.take("").lines.contains {
        $0.text == "Lesson 2 of \(Course.builtIn.lessons.count): In the right place"
      })
  }

  @Test("an answer whose statements were stopped is not judged, nor counted", arguments: [1, 9])
  func stopped(lesson: Int) {
    var evaluation = EvaluationEnvironment()
    evaluation.isCancelled = { true }
    let dialog = CourseDialog(
      .builtIn, progress: CourseProgress(),
      examiner: LessonExaminer(environment: { StoreFiles() }, evaluation: evaluation),
      index: lesson - 1)
    _ = dialog.open()

    let reply = dialog.take(lesson == 1 ? "insert Book/1 [0, 0]\n" : "Book/1.pages = 1")
    #expect(
      reply.lines.last?.text == "Your answer was not judged, because statements were stopped.")
    #expect(reply.lines.allSatisfy { $0.kind == .note || $0.kind == .code })
    #expect(record(lesson, dialog)?.tries == 0)
    #expect(record(lesson, dialog)?.state != .solved)
  }

  @Test("a lesson that cannot run says why, and grades nothing", arguments: [1, 2])
  func fault(number: Int) throws {
    let name = Course.builtIn.lessons[number - 1].name
    let text = try LessonFiles.text(name)
      .replacing("controller books", with: "include \"world.frc\"\ncontroller books")
    let source = SourceText(name: "a.frc", text: text)
    let lesson = try #require(LessonReader.read(source, named: "a").lesson)
    let dialog = CourseDialog(
      Course(name: "/course", lessons: [lesson]), progress: CourseProgress(),
      examiner: LessonFiles.examiner)

    let words = try #require(dialog.open().last).text
    #expect(
      words.hasPrefix(
        "This lesson cannot run, so no answer is graded: cannot include 'world.frc'"))
    for answer in [lesson.solution.joined(separator: "\n") + "\n", "print 1", ""] {
      #expect(dialog.take(answer).lines.map(\.text) == [words])
    }
    #expect(dialog.progress.lessons["a"]?.tries == 0)
    #expect(dialog.take(":hint").lines.first?.text.hasPrefix("Hint 1") == true)
  }

  @Test("there are three hints, then the solution, and it shows in the progress")
  func help() {
    let dialog = opened(1)

    let hints = (0..<4).map { _ in dialog.take(":hint").lines[0].text }
    #expect(hints[0].hasPrefix("Hint 1 of 3: "))
    #expect(hints[2].hasPrefix("Hint 3 of 3: "))
    #expect(hints[3].hasSuffix("(:solution shows an answer.)"))
    #expect(record(1, dialog)?.hints == 3)
    let solution = dialog.take(":solution").lines.filter { $0.kind == .code }.map(\.text)
    #expect(
      solution == [
        "books willChangeContent", "books didChange object insert Book/1 \"Dune\" -> [0, 0]",
        "books didChangeContent",
      ])
    _ = dialog.take(solution.joined(separator: "\n") + "\n")
    #expect(record(1, dialog)?.state == .shown)
  }

  @Test("counts in a file that no dialog can reach do no harm", arguments: [Int.min, -1, Int.max])
  func impossibleCounts(count: Int) throws {
    let name = Course.builtIn.lessons[0].name
    let file = """
      {"lessons": {"\(name)": {"state": "begun", "tries": \(count), "hints": \(count), "sawSolution": false}}}
      """
    let progress = try JSONDecoder().decode(CourseProgress.self, from: Data(file.utf8))
    let dialog = opened(1, progress)

    #expect(dialog.take(":hint").lines.first?.text.hasPrefix("Hint ") == true)
    #expect(dialog.take("update Book/1 [0, 0]").lines.first?.kind == .graded(.wrong))
  }

  @Test("what an older frc saved for a learner counts until something is saved by the new name")
  func formerName() throws {
    let course = Course.builtIn.taken(by: "Ada")
    let name = Course.builtIn.lessons[0].name
    let file = """
      {"courses": {"frc as Ada": {"lessons": {
        "\(name)": {"state": "solved", "tries": 2, "hints": 0, "sawSolution": false}}}}}
      """
    var saved = try JSONDecoder().decode(LearnerProgress.self, from: Data(file.utf8))
    #expect(saved[course].lessons[name]?.tries == 2)
    let others = [saved[.builtIn], saved[Course.builtIn.taken(by: "Bo")]]
    #expect(others == [CourseProgress(), CourseProgress()])

    saved[course].lessons[name]?.tries = 3
    saved = try JSONDecoder().decode(LearnerProgress.self, from: JSONEncoder().encode(saved))
    #expect(saved[course].lessons[name]?.tries == 3)
    saved[course] = CourseProgress()
    saved = try JSONDecoder().decode(LearnerProgress.self, from: JSONEncoder().encode(saved))
    #expect(saved[course] == CourseProgress())
  }

  @Test("a lesson can be skipped, and the next dialog begins at the first that is open")
  func skip() {
    let first = dialog(1)
    _ = first.open()
    _ = first.take(":skip")

    #expect(record(1, first)?.state == .skipped)
    #expect(first.progress.next(in: .builtIn) == 1)
    #expect(first.take(":quit").isOver)
    #expect(first.take(":nosuch").lines.first?.text == "unknown command ':nosuch'")
  }

  @Test("a lesson that is solved stays so when it is skipped, or solved again after the solution")
  func solvedBefore() {
    let first = dialog(1)
    _ = first.open()
    _ = first.take("insert Book/1 [0, 0]\n")
    let again = dialog(1, first.progress)
    _ = again.open()
    _ = again.take(":skip")
    #expect(record(1, again)?.state == .solved)

    let third = dialog(1, again.progress)
    _ = third.open()
    _ = third.take(":solution")
    _ = third.take("insert Book/1 [0, 0]\n")
    #expect(record(1, third)?.state == .solved)
  }

  @Test("a statement that failed is not counted")
  func failedStatement() {
    let dialog = opened(2)

    _ = dialog.take("delete Book/9")
    let right = dialog.take("insert Book(title: \"Emma\")")
    #expect(right.lines.contains { $0.text == "the state is reached with 1 statement" })
    #expect(record(2, dialog)?.state == .solved)
  }

  @Test("the note on leaving names the command that opens the course")
  func shell() {
    let dialog = CourseDialog(
      .builtIn, progress: CourseProgress(), examiner: LessonFiles.examiner,
      shell: "frc learn mine --as Ann")
    _ = dialog.open()

    #expect(
      dialog.take(":help").lines.last?.text
        == ":quit  leaves; 'frc learn mine --as Ann' continues here")
  }

  @Test("too many statements are partly right, and the world is as at first")
  func reach() throws {
    let dialog = opened(2)

    #expect(dialog.take("show books").lines.count == 3)
    #expect(
      dialog.take("insert Book(title: \"Zama\")").lines.suffix(5).map(\.text) == [
        "Not there yet after 1 statement. :again restarts the lesson.",
        "expected: [0, 1] Book/3 \"Emma\"", "found:    [0, 1] Book/2 \"Ubik\"",
        "expected: [0, 2] Book/2 \"Ubik\"", "found:    [0, 2] Book/3 \"Zama\"",
      ])
    let late = dialog.take("Book/3.title = \"Emma\"")
    #expect(late.lines.contains { $0.text == "with 2 statements; 1 is enough" })
    #expect(late.lines.contains { $0.text == "Partly right. Try again; :hint helps." })
    #expect(!dialog.take("inser Book").diagnostics.isEmpty)
    let right = dialog.take("insert Book(title: \"Emma\")")
    #expect(right.lines.contains { $0.text == "the state is reached with 1 statement" })
    #expect(record(2, dialog)?.tries == 2)
  }

  @Test("a list that only looks right is compared with the right one")
  func numbers() {
    let dialog = opened(2)
    _ = dialog.take("insert Book(title: \"Zoo\")")
    _ = dialog.take("delete Book/3")

    #expect(
      dialog.take("insert Book(title: \"Emma\")").lines.suffix(4).map(\.text) == [
        "Not there yet after 3 statements. :again restarts the lesson.",
        "expected: [0, 1] Book/3 \"Emma\"", "found:    [0, 1] Book/4 \"Emma\"",
        "  every new object gets a new number; :again starts from the first",
      ])
  }

  @Test("a word that the lesson does without is refused, and is no try")
  func without() throws {
    let dialog = opened(try number("Touch it"))

    #expect(
      dialog.take("perform { fetch books }").lines.map(\.text) == ["find a way without 'fetch'"])
    #expect(record(try number("Touch it"), dialog)?.tries == 0)
  }

  @Test("reactions that are wrong are shown a turn that breaks them")
  func mend() throws {
    let dialog = opened(try number("Sections that come and go"))

    let wrong = dialog.take("table view = users { sectionDelete nothing }")
    #expect(wrong.lines[0].text.hasPrefix("random turn "))
    #expect(wrong.lines.contains { $0.text.hasPrefix("rule section-emptied: ") })
    #expect(wrong.lines.contains { $0.text.contains("invalid number of sections") })
    #expect(dialog.take("print 1").lines[0].text.hasPrefix("random turn "))
    #expect(
      dialog.take("nonsense").lines[0].text
        == "this line has a syntax error: unknown statement 'nonsense'")
    // Reactions that are left out are the standard ones, which are right.
    #expect(
      dialog.take("table view = users").lines.map(\.text) == [
        "the table was right after 1000 random turns",
        "the reactions to sectionInsert and sectionDelete are missing",
        "  write it in braces: table view = ... { sectionInsert ... }",
        "Partly right. Try again; :hint helps.",
      ])
    #expect(
      dialog.take(
        "table view = users { sectionInsert insertSections; sectionDelete deleteSections }"
      ).lines.contains { $0.text.hasPrefix("Right. ") })
  }

  @Test("half of a find is partly right")
  func find() throws {
    let dialog = dialog(try number("Which statement?"))
    let opening = dialog.open()

    #expect(opening.contains { $0.text == "3  Book/2.pages = 60" })
    #expect(opening.contains { $0.text.contains("invalid number of rows in section 0") })
    #expect(dialog.take("3").lines.last?.text.hasPrefix("Partly right.") == true)
    #expect(dialog.take("2 delete").lines.last?.text.hasPrefix("Partly right.") == true)
    #expect(
      dialog.take("Book/2.pages = 60").lines.map(\.text).contains(
        "the reaction is missing: insert, delete, update, move, sectionInsert, sectionDelete"))
    #expect(dialog.take("9 delete").lines[0].text == "statement 9 does not exist; there are 4")
    #expect(
      dialog.take("2 3 delete").lines.map(\.text).prefix(3) == [
        "2 3 delete", "  frc cannot read this answer: it names two statements",
        "  write a number and a reaction, for example '7 update'",
      ])
    #expect(dialog.take("1 move").lines.last?.text.hasPrefix("Not yet.") == true)
    #expect(dialog.take("3, delete").lines.contains { $0.text.hasPrefix("Right. Emma") })
  }

  @Test("the text of a statement is not that of another one with which it begins")
  func longestStatement() throws {
    let text = try LessonFiles.text("10-which-statement")
      .replacing("Book/1.title = \"Zama\"", with: "Book/1.pages = 4130")
    let source = SourceText(name: "10.frc", text: text)
    let lesson = try #require(LessonReader.read(source, named: "10").lesson)
    let dialog = CourseDialog(
      Course(name: "/course", lessons: [lesson]), progress: CourseProgress(),
      examiner: LessonFiles.examiner)
    _ = dialog.open()

    #expect(
      dialog.take("Book/1.pages = 4130 move").lines.contains {
        $0.text == "statement 4 comes after the crash"
      })
  }

  @Test("a letter chooses an answer")
  func choices() throws {
    let number = try number("Two rows change places")
    let lesson = Course.builtIn.lessons[number - 1]
    let dialog = opened(number)

    let right = try #require(lesson.choices.firstIndex(of: lesson.solution))
    for index in lesson.choices.indices where index != right {
      let letter = String(UnicodeScalar(UInt8(97 + index)))
      #expect(dialog.take(letter).lines.last?.text.contains("Try again") == true)
    }
    let reply = dialog.take(String(UnicodeScalar(UInt8(97 + right))))
    #expect(reply.lines.contains { $0.text.hasPrefix("Right. ") })
  }

  @Test("an answer ends with an empty line, and a command or a letter at once")
  func completeness() throws {
    let dialog = dialog(1)
    #expect(!dialog.isComplete("insert Book/1 [0, 0]"))
    #expect(dialog.isComplete("insert Book/1 [0, 0]\n"))
    #expect(dialog.isComplete(":hint"))
    #expect(dialog.isComplete("insert Book/1 [0, 0]\n:hint"))
    #expect(!dialog.isComplete("nothing"))
    #expect(dialog.isComplete("nothing\n"))
    let reach = self.dialog(2)
    #expect(reach.isComplete("fetch books"))
    #expect(!reach.isComplete("perform {"))
    #expect(reach.isComplete("perform {\n:quit"))
    let choices = self.dialog(try number("Two rows change places"))
    #expect(choices.isComplete("b"))
    #expect(!choices.isComplete("users willChangeContent"))
  }

  @Test("an answer goes on after a command, and a line of it can be taken back")
  func draft() throws {
    let dialog = opened(1)

    let hint = dialog.take("update Book/1 [0, 0]\n:hint").lines.map(\.text)
    #expect(hint[0].hasPrefix("Hint 1 of 3: "))
    #expect(
      hint.suffix(2) == ["Your answer so far; an empty line ends it:", "update Book/1 [0, 0]"])
    #expect(dialog.prompt == "...> ")
    #expect(dialog.take(":undo").lines.map(\.text) == ["Undone: update Book/1 [0, 0]"])
    #expect(dialog.prompt == "guess> ")
    #expect(dialog.take(":undo").lines.map(\.text) == ["There is nothing to take back."])
    _ = dialog.take("books willChangeContent\n:list")
    #expect(!dialog.isComplete("insert Book/1 [0, 0]"))
    _ = dialog.take("insert Book/1 [0, 0]\n:help")
    #expect(dialog.take("books didChangeContent\n").lines.contains { $0.text.hasPrefix("Right. ") })
    #expect(record(1, dialog)?.tries == 1)
  }

  @Test("a draft ends with Ctrl-C, and with another lesson")
  func droppedDraft() throws {
    let dialog = opened(2)

    _ = dialog.take("perform {\n:hint")
    dialog.dropDraft()
    #expect(dialog.prompt == "frc> ")
    _ = dialog.take("perform {\n:hint")
    #expect(dialog.take(":back").lines.contains { $0.text.hasPrefix("Lesson 1 of ") })
    #expect(dialog.prompt == "guess> ")
    #expect(dialog.take(":back").lines.map(\.text) == ["This is the first lesson."])
  }

  @Test("a statement of 'reach' can be taken back")
  func undo() {
    let dialog = opened(2)

    _ = dialog.take("insert Book(title: \"Zoo\")")
    #expect(dialog.take(":undo").lines.map(\.text) == ["Undone: insert Book(title: \"Zoo\")"])
    #expect(
      dialog.take("insert Book(title: \"Emma\")").lines.contains {
        $0.text == "the state is reached with 1 statement"
      })
  }

  @Test("a dialog continues with the lesson that was opened last, or with the open one after it")
  func current() {
    let first = dialog(5)
    _ = first.open()
    #expect(first.progress.next(in: .builtIn) == 4)
    _ = first.take("move Book/1 [0, 0] -> [0, 2]\n")
    #expect(first.progress.next(in: .builtIn) == 5)
    var all = first.progress
    for lesson in Course.builtIn.lessons.dropFirst() {
      all.lessons[lesson.name] = first.progress.lessons[Course.builtIn.lessons[4].name]
    }
    #expect(all.next(in: .builtIn) == 0)
  }

  @Test(
    "a lesson's opening does not contain its answer, and says how to write one",
    arguments: Course.builtIn.lessons.indices)
  func opening(index: Int) throws {
    let lesson = Course.builtIn.lessons[index]
    let dialog = dialog(index + 1)
    let opening = dialog.open()

    let way = try #require(opening.last { $0.kind == .note }).text
    let asksForCallbacks = lesson.solution.contains { $0.contains(" didChange") }
    switch lesson.kind {
    case .predict where lesson.offersChoices: #expect(way.contains("letter"))
    case .predict:
      #expect(way.contains("callback") == (asksForCallbacks || lesson.solution == ["nothing"]))
      #expect(way.contains("empty line"))
    case .reach: #expect(way.contains("statements"))
    case .mend: #expect(way.contains("statement"))
    case .find: #expect(way.contains("number") && way.contains("reaction"))
    }
    // A callback's line has an index path; a statement is the whole answer.
    let forms = AnswerForms(lesson).right.flatMap { $0.split(separator: "\n") }.map(String.init)
    let answers =
      lesson.kind == .predict ? forms.filter { $0.contains("[") } : [lesson.solution.joined()]
    guard !lesson.offersChoices else { return }
    let told = opening.map(\.text).filter { text in answers.contains { text.contains($0) } }
    #expect(told == [])
  }
}
