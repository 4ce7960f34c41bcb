import FetchedResults
import Foundation
import GoldenTesting
import Lessons
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite struct CourseVisitTests {
  private func visit(_ lesson: Int, _ progress: CourseProgress = CourseProgress()) -> CourseVisit {
    CourseVisit(
      .builtIn, progress: progress, examiner: LessonFiles.examiner, index: lesson - 1)
  }

  private func record(_ lesson: Int, _ visit: CourseVisit) -> CourseProgress.Record? {
    visit.progress.lessons[Course.builtIn.lessons[lesson - 1].name]
  }

  private func number(_ title: String) throws -> Int {
    try #require(Course.builtIn.lessons.firstIndex { $0.title == title }) + 1
  }

  @Test("a wrong answer is explained and counted, a right one says why and leads on")
  func answers() {
    let visit = visit(1)
    _ = visit.open()

    let wrong = visit.take("update Book/1 [0, 0]")
    #expect(wrong.lines.first?.kind == .graded(.wrong))
    #expect(wrong.lines.last?.text == "Not yet. Try again; :hint helps.")
    let right = visit.take("insert Book/1 [0, 0]\n")
    #expect(right.lines.contains { $0.text.hasPrefix("Right. A new object that matches") })
    #expect(record(1, visit)?.state == .solved)
    #expect(record(1, visit)?.tries == 2)
    #expect(visit.prompt == "next> ")
    #expect(
      visit.take("").lines.contains {
        $0.text == "Lesson 2 of \(Course.builtIn.lessons.count): In the right place"
      })
  }

  @Test("an answer whose statements were stopped is not judged, nor counted", arguments: [1, 9])
  func stopped(lesson: Int) {
    var evaluation = EvaluationEnvironment()
    evaluation.isCancelled = { true }
    let visit = CourseVisit(
      .builtIn, progress: CourseProgress(),
      examiner: LessonExaminer(environment: { StoreFiles() }, evaluation: evaluation),
      index: lesson - 1)
    _ = visit.open()

    let reply = visit.take(lesson == 1 ? "insert Book/1 [0, 0]\n" : "Book/1.pages = 1")
    #expect(
      reply.lines.last?.text == "Your answer was not judged, because statements were stopped.")
    #expect(reply.lines.allSatisfy { $0.kind == .note || $0.kind == .code })
    #expect(record(lesson, visit)?.tries == 0)
    #expect(record(lesson, visit)?.state != .solved)
  }

  @Test("there are three hints, then the solution, and it shows in the progress")
  func help() {
    let visit = visit(1)
    _ = visit.open()

    let hints = (0..<4).map { _ in visit.take(":hint").lines[0].text }
    #expect(hints[0].hasPrefix("Hint 1 of 3: "))
    #expect(hints[2].hasPrefix("Hint 3 of 3: "))
    #expect(hints[3].hasSuffix("(:solution shows an answer.)"))
    #expect(record(1, visit)?.hints == 3)
    let solution = visit.take(":solution").lines.filter { $0.kind == .code }.map(\.text)
    #expect(
      solution == [
        "books willChangeContent", "books didChange object insert Book/1 \"Dune\" -> [0, 0]",
        "books didChangeContent",
      ])
    _ = visit.take(solution.joined(separator: "\n") + "\n")
    #expect(record(1, visit)?.state == .shown)
  }

  @Test("counts in a file that no visit can reach do no harm", arguments: [Int.min, -1, Int.max])
  func impossibleCounts(count: Int) throws {
    let name = Course.builtIn.lessons[0].name
    let file = """
      {"lessons": {"\(name)": {"state": "begun", "tries": \(count), "hints": \(count), "sawSolution": false}}}
      """
    let progress = try JSONDecoder().decode(CourseProgress.self, from: Data(file.utf8))
    let visit = visit(1, progress)
    _ = visit.open()

    #expect(visit.take(":hint").lines.first?.text.hasPrefix("Hint ") == true)
    #expect(visit.take("update Book/1 [0, 0]").lines.first?.kind == .graded(.wrong))
  }

  @Test("a lesson can be skipped, and the next visit begins at the first that is open")
  func skip() {
    let first = visit(1)
    _ = first.open()
    _ = first.take(":skip")

    #expect(record(1, first)?.state == .skipped)
    #expect(first.progress.next(in: .builtIn) == 1)
    #expect(first.take(":quit").isOver)
    #expect(first.take(":nosuch").lines.first?.text == "unknown command ':nosuch'")
  }

  @Test("too many statements are partly right, and the world is as at first")
  func reach() throws {
    let visit = visit(2)
    _ = visit.open()

    #expect(visit.take("show books").lines.count == 3)
    #expect(
      visit.take("insert Book(title: \"Zama\")").lines.suffix(5).map(\.text) == [
        "Not there yet after 1 statement. :again restarts the lesson.",
        "expected: [0, 1] Book/3 \"Emma\"", "found:    [0, 1] Book/2 \"Ubik\"",
        "expected: [0, 2] Book/2 \"Ubik\"", "found:    [0, 2] Book/3 \"Zama\"",
      ])
    let late = visit.take("Book/3.title = \"Emma\"")
    #expect(late.lines.contains { $0.text == "with 2 statements; 1 is enough" })
    #expect(late.lines.contains { $0.text == "Partly right. Try again; :hint helps." })
    #expect(!visit.take("inser Book").diagnostics.isEmpty)
    let right = visit.take("insert Book(title: \"Emma\")")
    #expect(right.lines.contains { $0.text == "the state is reached with 1 statement" })
    #expect(record(2, visit)?.tries == 2)
  }

  @Test("a list that only looks right is compared with the right one")
  func numbers() {
    let visit = visit(2)
    _ = visit.open()
    _ = visit.take("insert Book(title: \"Zoo\")")
    _ = visit.take("delete Book/3")

    #expect(
      visit.take("insert Book(title: \"Emma\")").lines.suffix(4).map(\.text) == [
        "Not there yet after 3 statements. :again restarts the lesson.",
        "expected: [0, 1] Book/3 \"Emma\"", "found:    [0, 1] Book/4 \"Emma\"",
        "  every new object gets a new number; :again starts from the first",
      ])
  }

  @Test("a word that the lesson does without is refused, and is no try")
  func without() throws {
    let visit = visit(try number("Touch it"))
    _ = visit.open()

    #expect(
      visit.take("perform { fetch books }").lines.map(\.text) == ["find a way without 'fetch'"])
    #expect(record(try number("Touch it"), visit)?.tries == 0)
  }

  @Test("reactions that are wrong are shown a turn that breaks them")
  func mend() throws {
    let visit = visit(try number("Sections that come and go"))
    _ = visit.open()

    let wrong = visit.take("table view = users { sectionDelete nothing }")
    #expect(wrong.lines[0].text.hasPrefix("random turn "))
    #expect(wrong.lines.contains { $0.text.hasPrefix("rule section-emptied: ") })
    #expect(wrong.lines.contains { $0.text.contains("invalid number of sections") })
    #expect(visit.take("print 1").lines[0].text.hasPrefix("random turn "))
    #expect(
      visit.take("nonsense").lines[0].text
        == "this line has a syntax error: unknown statement 'nonsense'")
    // Reactions that are left out are the standard ones, which are right.
    #expect(
      visit.take("table view = users").lines.map(\.text) == [
        "the table was right after 1000 random turns",
        "the reactions to sectionInsert and sectionDelete are missing",
        "  write it in braces: table view = ... { sectionInsert ... }",
        "Partly right. Try again; :hint helps.",
      ])
    #expect(
      visit.take(
        "table view = users { sectionInsert insertSections; sectionDelete deleteSections }"
      ).lines.contains { $0.text.hasPrefix("Right. ") })
  }

  @Test("half of a find is partly right")
  func find() throws {
    let visit = visit(try number("Which statement?"))
    let opening = visit.open()

    #expect(opening.contains { $0.text == "3  Book/2.pages = 60" })
    #expect(opening.contains { $0.text.contains("invalid number of rows in section 0") })
    #expect(visit.take("3").lines.last?.text.hasPrefix("Partly right.") == true)
    #expect(visit.take("2 delete").lines.last?.text.hasPrefix("Partly right.") == true)
    #expect(
      visit.take("Book/2.pages = 60").lines.map(\.text).contains(
        "the reaction is missing: insert, delete, update, move, sectionInsert, sectionDelete"))
    #expect(visit.take("9 delete").lines[0].text == "statement 9 does not exist; there are 4")
    #expect(
      visit.take("2 3 delete").lines.map(\.text).prefix(3) == [
        "2 3 delete", "  frc cannot read this answer: it names two statements",
        "  write a number and a reaction, for example '7 update'",
      ])
    #expect(visit.take("1 move").lines.last?.text.hasPrefix("Not yet.") == true)
    #expect(visit.take("3, delete").lines.contains { $0.text.hasPrefix("Right. Emma") })
  }

  @Test("a letter chooses an answer")
  func choices() throws {
    let number = try number("Two rows change places")
    let lesson = Course.builtIn.lessons[number - 1]
    let visit = visit(number)
    _ = visit.open()

    let right = try #require(lesson.choices.firstIndex(of: lesson.solution))
    for index in lesson.choices.indices where index != right {
      let letter = String(UnicodeScalar(UInt8(97 + index)))
      #expect(visit.take(letter).lines.last?.text.contains("Try again") == true)
    }
    let reply = visit.take(String(UnicodeScalar(UInt8(97 + right))))
    #expect(reply.lines.contains { $0.text.hasPrefix("Right. ") })
  }

  @Test("an answer ends with an empty line, and a command or a letter at once")
  func completeness() throws {
    let visit = visit(1)
    #expect(!visit.isComplete("insert Book/1 [0, 0]"))
    #expect(visit.isComplete("insert Book/1 [0, 0]\n"))
    #expect(visit.isComplete(":hint"))
    #expect(visit.isComplete("insert Book/1 [0, 0]\n:hint"))
    #expect(!visit.isComplete("nothing"))
    #expect(visit.isComplete("nothing\n"))
    let reach = self.visit(2)
    #expect(reach.isComplete("fetch books"))
    #expect(!reach.isComplete("perform {"))
    #expect(reach.isComplete("perform {\n:quit"))
    let choices = self.visit(try number("Two rows change places"))
    #expect(choices.isComplete("b"))
    #expect(!choices.isComplete("users willChangeContent"))
  }

  @Test("an answer goes on after a command, and a line of it can be taken back")
  func draft() throws {
    let visit = visit(1)
    _ = visit.open()

    let hint = visit.take("update Book/1 [0, 0]\n:hint").lines.map(\.text)
    #expect(hint[0].hasPrefix("Hint 1 of 3: "))
    #expect(
      hint.suffix(2) == ["Your answer so far; an empty line ends it:", "update Book/1 [0, 0]"])
    #expect(visit.prompt == "...> ")
    #expect(visit.take(":undo").lines.map(\.text) == ["Taken back: update Book/1 [0, 0]"])
    #expect(visit.prompt == "guess> ")
    #expect(visit.take(":undo").lines.map(\.text) == ["There is nothing to take back."])
    _ = visit.take("books willChangeContent\n:list")
    #expect(!visit.isComplete("insert Book/1 [0, 0]"))
    _ = visit.take("insert Book/1 [0, 0]\n:help")
    #expect(visit.take("books didChangeContent\n").lines.contains { $0.text.hasPrefix("Right. ") })
    #expect(record(1, visit)?.tries == 1)
  }

  @Test("a draft ends with Ctrl-C, and with another lesson")
  func droppedDraft() throws {
    let visit = visit(2)
    _ = visit.open()

    _ = visit.take("perform {\n:hint")
    visit.dropDraft()
    #expect(visit.prompt == "frc> ")
    _ = visit.take("perform {\n:hint")
    #expect(visit.take(":back").lines.contains { $0.text.hasPrefix("Lesson 1 of ") })
    #expect(visit.prompt == "guess> ")
    #expect(visit.take(":back").lines.map(\.text) == ["This is the first lesson."])
  }

  @Test("a statement of 'reach' can be taken back")
  func undo() {
    let visit = visit(2)
    _ = visit.open()

    _ = visit.take("insert Book(title: \"Zoo\")")
    #expect(visit.take(":undo").lines.map(\.text) == ["Taken back: insert Book(title: \"Zoo\")"])
    #expect(
      visit.take("insert Book(title: \"Emma\")").lines.contains {
        $0.text == "the state is reached with 1 statement"
      })
  }

  @Test("a visit continues with the lesson that was opened last, or with the open one after it")
  func current() {
    let first = visit(5)
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
    let visit = visit(index + 1)
    let opening = visit.open()

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
