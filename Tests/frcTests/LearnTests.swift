import Foundation
import Lessons
import PseudoTerminal
import Testing

/// `frc learn` at its own terminal, as a learner uses it.
final class LearningSession {
  let home: TemporaryHome
  let terminal: PseudoTerminal

  init(_ arguments: [String] = [], home: TemporaryHome? = nil, rows: Int = 60) throws {
    self.home = try home ?? TemporaryHome()
    terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("frc"), arguments: ["learn"] + arguments,
      environment: ["HOME": self.home.path, "NO_COLOR": "1"], columns: 100, rows: rows)
  }

  /// Types lines, each at its prompt, and waits for a prompt of the course after the last one.
  func enter(_ lines: [String], until prompt: String) throws {
    for (index, line) in lines.enumerated() {
      try terminal.type(line + Key.enter)
      try wait(for: index == lines.count - 1 ? prompt : "...> ")
    }
  }

  /// Waits until a prompt is ready for text.
  ///
  /// A hint may follow the cursor.
  func wait(for prompt: String) throws {
    try terminal.wait(for: "the prompt '\(prompt)'", seconds: 180) { terminal in
      terminal.isRaw && terminal.hasAnswered && terminal.screen.cursor.column == prompt.count
        && (terminal.screen.cursorRow + " ").hasPrefix(prompt)
    }
  }

  /// Everything that was displayed.
  var transcript: String {
    (terminal.screen.scrolledOff + terminal.screen.rows).joined(separator: "\n") + "\n"
  }
}

@Suite struct LearnTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("a learner answers, is helped, goes on, and comes back to where the visit ended")
  func visit() throws {
    let session = try LearningSession()
    let terminal = session.terminal
    try terminal.wait(forPrompt: "guess> ")

    try session.enter(["update Book/1 [0, 0]", ""], until: "guess> ")
    #expect(terminal.screen.text.contains("✗ update Book/1 [0, 0]"))
    try session.enter([":hint"], until: "guess> ")
    try session.enter(["insert Book/1 [0, 0]", ""], until: "next> ")
    try session.enter([""], until: "frc> ")
    try session.enter(["insert Book(title: \"Emma\")"], until: "next> ")
    try terminal.type(":quit\r")
    #expect(try terminal.waitForExit() == .code(0))
    #expect(session.home.read(".local/state/frc/lessons.json")?.contains("\"solved\"") == true)

    let again = try LearningSession(home: session.home)
    try again.terminal.wait(forText: "Lesson 3 of ")

    // A lesson that was chosen by its number is where the next visit begins.
    let chosen = try LearningSession(["9"], home: session.home)
    try chosen.wait(for: "frc> ")
    try chosen.terminal.type(":quit\r")
    #expect(try chosen.terminal.waitForExit() == .code(0))
    let last = try LearningSession(home: session.home)
    try last.terminal.wait(forText: "Lesson 9 of ")
  }

  @Test("commands work below the first lines of an answer, which goes on after them")
  func draft() throws {
    let session = try LearningSession(["12"])
    try session.wait(for: "guess> ")

    try session.enter(["section insert 0 \"A\"", "delete User/2 [0, 0]", ":hint"], until: "...> ")
    try session.terminal.wait(forText: "Hint 1 of 3")
    try session.enter([":undo"], until: "...> ")
    try session.terminal.wait(forText: "Taken back: delete User/2 [0, 0]")
    try session.enter(["insert User/2 [0, 0]", ""], until: "next> ")
    #expect(session.terminal.screen.text.contains("Right. "))
    try session.enter([":back"], until: "mend> ")
    try session.terminal.type("table view = books {\r")
    try session.wait(for: "...> ")
    try session.terminal.type(":quit\r")
    #expect(try session.terminal.waitForExit() == .code(0))
  }

  @Test("an empty line after 'nothing' ends the answer, and does not open the next lesson")
  func nothing() throws {
    let session = try LearningSession(["20"])
    try session.wait(for: "guess> ")

    try session.enter(["nothing", ""], until: "next> ")

    #expect(!session.terminal.screen.text.contains("Lesson 21 of"))
  }

  @Test("the whole course, with answers that are right, half right and wrong, is as recorded")
  func course() throws {
    let session = try LearningSession()
    var prompts: [Lesson.Kind: String] = [:]
    for kind in Lesson.Kind.allCases {
      prompts[kind] =
        switch kind {
        case .predict: "guess> "
        case .reach: "frc> "
        case .mend: "mend> "
        case .find: "find> "
        }
    }
    let lessons = Course.builtIn.lessons
    for (index, lesson) in lessons.enumerated() {
      let prompt = try #require(prompts[lesson.kind])
      try session.wait(for: prompt)
      for wrong in lesson.wrong { try answer(wrong.lines, to: lesson, session, until: prompt) }
      try session.enter([":hint"], until: prompt)
      try answer(lesson.solution, to: lesson, session, until: "next> ")
      if index < lessons.count - 1 { try session.terminal.type(Key.enter) }
    }
    try session.terminal.type(Key.enter)
    #expect(try session.terminal.waitForExit() == .code(0))

    let file = Self.root.appendingPathComponent("Tests/frcTests/Courses/course.txt")
    let transcript = session.transcript
    if ProcessInfo.processInfo.environment["FRC_RECORD"] != nil {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(transcript.utf8).write(to: file)
      Issue.record("course.txt was written; read the difference")
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let lines = zip(recorded.split(separator: "\n"), transcript.split(separator: "\n"))
    if let (old, new) = lines.first(where: { $0 != $1 }) {
      Issue.record("recorded '\(old)', found '\(new)'")
    }
    #expect(recorded == transcript)
  }

  /// Types an answer in the form for the lesson's kind.
  private func answer(
    _ lines: [String], to lesson: Lesson, _ session: LearningSession, until prompt: String
  ) throws {
    if lesson.offersChoices {
      let index = try #require(lesson.choices.firstIndex(of: lines))
      return try session.enter([String(UnicodeScalar(UInt8(97 + index)))], until: prompt)
    }
    switch lesson.kind {
    case .predict:
      try session.enter(lines + [""], until: prompt)
    case .reach:
      // The answer is typed statement by statement.
      for line in lines { try session.enter([line], until: line == lines.last ? prompt : "frc> ") }
      // If the goal was not reached, the next answer starts again.
      if prompt != "next> " { try session.enter([":again"], until: prompt) }
    case .mend, .find: try session.enter(lines, until: prompt)
    }
  }

  @Test("lessons are listed, one is chosen by its number, progress is forgotten and reported")
  func command() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/state/lessons.json"]
    let count = Course.builtIn.lessons.count

    let first = try program.run(
      "learn", "2", input: "insert Book(title: \"Emma\")\n:quit\n", environment: state)
    #expect(first.output.hasPrefix("Lesson 2 of \(count): In the right place\n"))
    #expect(first.output.contains("Right. E comes between D and U"))
    let list = try program.run("learn", "--list", environment: state).output
    #expect(list.hasPrefix("   1  An object appears"))
    #expect(list.contains("\n✓  2  In the right place"))
    #expect(list.hasSuffix("\n1 of \(count) solved\n"))
    let report = try program.run("learn", "--report", "json", environment: state).output
      .split(separator: "\n")
    #expect(report.count == count + 1)
    #expect(
      report[1] == """
        {"event":"lesson","course":"frc","number":2,"name":"02-in-the-right-place",\
        "title":"In the right place","kind":"reach","state":"solved","tries":1,"hints":0}
        """)
    #expect(
      report.last == """
        {"event":"summary","course":"frc","lessons":\(count),"solved":1,"shown":0,"skipped":0,"begun":0}
        """)
    #expect(try program.run("learn", "--reset", environment: state).status == 0)
    #expect(
      try program.run("learn", "--list", environment: state).output
        .hasSuffix("\n0 of \(count) solved\n"))
    #expect(try program.run("learn", "99", environment: state).status != 0)
  }

  @Test("visits at the same time keep what the other has solved")
  func visitsTogether() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/lessons.json"]

    // The first visit begins before the second one, and ends after it.
    let result = try program.shell(
      """
      { until test -e second; do sleep 0.02; done; echo 'insert Book(title: "Emma")'; echo :quit; } \
        | frc learn 2 > first.txt &
      until grep -q 'Lesson 2' first.txt; do sleep 0.02; done
      printf 'insert Book/1 [0, 0]\n\n:quit\n' | frc learn 1 > second.txt
      touch second
      wait
      frc learn --list
      """, environment: state)

    #expect(result.output.hasPrefix("✓  1  An object appears"), "\(result)")
    #expect(result.output.contains("\n✓  2  In the right place"))
    #expect(try program.run("learn", "1", input: ":quit\n", environment: state).status == 0)
  }

  @Test("lessons are pages of a site, by their titles")
  func site() throws {
    let program = try FRCProgram()
    let folder = Self.root.appendingPathComponent("Examples/Lessons").path

    let result = try program.run("play", folder, "-o", "site")

    #expect(result.status == 0, "\(result.errors)")
    let index = try program.read("site/index.html")
    for lesson in Course.builtIn.lessons {
      #expect(index.contains("Lessons/\(lesson.name).html"))
      #expect(index.contains(lesson.title.replacing("'", with: "&#39;")))
    }
  }

  @Test("a folder is a course of its own, with progress of its own")
  func folder() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/lessons.json"]
    let lessons = Self.root.appendingPathComponent("Examples/Lessons")
    let text = try String(
      contentsOf: lessons.appendingPathComponent("01-an-object-appears.frc"), encoding: .utf8)
    try program.write(text.replacing("An object appears", with: "Mine"), to: "course/a.frc")
    try program.write("print 1\n", to: "course/helper.frc")
    // A run of tests in this folder leaves this file.
    try program.write("{}\n", to: "course/.frc/last.json")

    let visit = try program.run(
      "learn", "course", input: "insert Book/1 [0, 0]\n\n\n", environment: state)
    #expect(visit.output.hasPrefix("Lesson 1 of 1: Mine\n"))
    #expect(visit.output.contains("1 of 1 solved. This was the last lesson."))
    #expect(
      try program.run("learn", "course", environment: state).output.hasPrefix("1 of 1 solved."))
    #expect(
      try program.run("learn", "--list", environment: state).output.hasSuffix(
        "0 of \(Course.builtIn.lessons.count) solved\n"))
    #expect(try program.run("lesson", "check", "course/a.frc").output == "course/a.frc: ok\n")
    try program.write(text.replacing("#@ why", with: "# why"), to: "course/b.frc")
    #expect(try program.run("learn", "course", environment: state).status == 2)
    let check = try program.run("lesson", "check", "course/b.frc")
    #expect(check.status == 1)
    #expect(check.errors.contains("course/b.frc:1:1: error: expected '#@ why'"))
    try program.write("print 1\n", to: "empty/helper.frc")
    #expect(
      try program.run("learn", "empty", environment: state).errors.contains("no lesson in 'empty'"))
  }
}
