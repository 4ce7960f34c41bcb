import Foundation
import Glibc
import Lessons
import PseudoTerminal
import RepositoryFiles
import Testing

/// `frc learn` at its own terminal, as a learner uses it.
final class LearningSession {
  let home: TemporaryHome
  let terminal: PseudoTerminal

  init(
    _ arguments: [String] = [], home: TemporaryHome? = nil, columns: Int = 100, rows: Int = 60,
    until prompt: String? = nil
  ) throws {
    self.home = try home ?? TemporaryHome()
    terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("frc"), arguments: ["learn"] + arguments,
      environment: ["HOME": self.home.path, "NO_COLOR": "1"], columns: columns, rows: rows)
    if let prompt { try wait(for: prompt) }
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
    #expect(try terminal.exit(afterTyping: ":quit\r") == .code(0))
    #expect(session.home.read(".local/state/frc/lessons.json")?.contains("\"solved\"") == true)

    let again = try LearningSession(home: session.home)
    try again.terminal.wait(forText: "Lesson 3 of ")

    // A lesson that was chosen by its number is where the next visit begins.
    let chosen = try LearningSession(["9"], home: session.home, until: "frc> ")
    #expect(try chosen.terminal.exit(afterTyping: ":quit\r") == .code(0))
    let last = try LearningSession(home: session.home)
    try last.terminal.wait(forText: "Lesson 9 of ")
  }

  @Test("a paragraph flows in a narrow window, and an item of a list has a row of its own")
  func narrowWindow() throws {
    let home = try TemporaryHome()
    try home.makeFolder("course")
    let text = try Self.lesson("01-an-object-appears")
      .replacing("# An index path", with: "# - one item\n# - another item\n#\n# An index path")
      .replacing("#@ hint One book comes.", with: "#@ hint One\n# book comes.")
    try home.write(text, to: "course/a.frc")
    let session = try LearningSession(
      [home.path + "/course"], home: home, columns: 60, until: "guess> ")
    try session.enter([":hint"], until: "guess> ")

    #expect(
      session.transcript.contains(
        """
        A list on the screen shows what a fetched results controller
        found. When the data changes, the controller calls its
        delegate, so that the list can follow.

        Every change arrives between willChangeContent and
        didChangeContent. In between, each object that came, went or
        changed has a callback of its own.
        - one item
        - another item

        An index path is [section, row], counted from 0.
        """), "\(session.transcript)")
    #expect(
      session.transcript.contains(
        "\nHint 1 of 3: One\nbook comes. How many callbacks are about a single object?\n"))
  }

  @Test("commands work below the first lines of an answer, which goes on after them")
  func draft() throws {
    let session = try LearningSession(["12"], until: "guess> ")

    try session.enter(["section insert 0 \"A\"", "delete User/2 [0, 0]", ":hint"], until: "...> ")
    try session.terminal.wait(forText: "Hint 1 of 3")
    try session.enter([":undo"], until: "...> ")
    try session.terminal.wait(forText: "Undone: delete User/2 [0, 0]")
    try session.enter(["insert User/2 [0, 0]", ""], until: "next> ")
    #expect(session.terminal.screen.text.contains("Right. "))
    try session.enter([":back"], until: "mend> ")
    try session.terminal.type("table view = books {\r")
    try session.wait(for: "...> ")
    #expect(try session.terminal.exit(afterTyping: ":quit\r") == .code(0))
  }

  @Test("Tab completes a command, also below the first line of an answer")
  func completion() throws {
    let session = try LearningSession(["12"], until: "guess> ")

    try session.enter(["delete User/2 [0, 0]"], until: "...> ")
    try session.terminal.type(":hi\t", showing: "...> :hint")
    try session.terminal.type(Key.enter, showing: "Hint 1 of 3")
  }

  @Test("an empty line after 'nothing' ends the answer, and does not open the next lesson")
  func nothing() throws {
    let session = try LearningSession(["20"], until: "guess> ")

    try session.enter(["nothing", ""], until: "next> ")

    #expect(!session.terminal.screen.text.contains("Lesson 21 of"))
  }

  @Test("a second Ctrl-C within a second ends the course, one after more than a second does not")
  func secondInterrupt() throws {
    let session = try LearningSession(["2"])
    let terminal = session.terminal
    try session.wait(for: "frc> ")
    try terminal.type("repeat 9223372036854775807 { let a = 1 }" + Key.enter)
    try terminal.wait(for: "the statement") { !$0.isRaw }
    try terminal.type(Key.control("C"))
    try session.wait(for: "frc> ")
    usleep(1_100_000)
    try terminal.type(Key.control("C"))
    try terminal.type("print 40 + 2" + Key.enter)
    try terminal.wait(for: "the answer") { $0.screen.rows.contains("  42") }
    try session.wait(for: "frc> ")

    try terminal.type("repeat 9223372036854775807 { let a = 1 }" + Key.enter)
    try terminal.wait(for: "the statement") { !$0.isRaw }
    try terminal.type(Key.control("C"))
    // The system makes one signal of two that come before the program runs again.
    try session.wait(for: "frc> ")
    #expect(try terminal.exit(afterTyping: Key.control("C")) == .code(130))
    #expect(!terminal.isRaw)
    #expect(terminal.screen.rows.last == "# ended by a second Ctrl-C; what was not saved is lost")
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
    #expect(try session.terminal.exit(afterTyping: Key.enter) == .code(0))

    try compare(session.transcript, with: "course.txt")
  }

  /// Compares what was displayed with a file, or writes the file if `FRC_RECORD` is set.
  private func compare(_ transcript: String, with name: String) throws {
    let file = RepositoryFiles.url("Tests/frcTests/Courses/" + name)
    if ProcessInfo.processInfo.environment["FRC_RECORD"] != nil {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(transcript.utf8).write(to: file)
      Issue.record("\(name) was written; read the difference")
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let lines = zip(recorded.split(separator: "\n"), transcript.split(separator: "\n"))
    if let (old, new) = lines.first(where: { $0 != $1 }) {
      Issue.record("recorded '\(old)', found '\(new)'")
    }
    #expect(recorded == transcript)
  }

  /// What a beginner types at one prompt, and the prompt that follows.
  private static let beginner: [(lines: [String], prompt: String)] = [
    // 1. No index path, an object that does not exist, a row that is counted from 1.
    (["Dune is inserted", ""], "guess> "), (["insert Book/2 [0, 0]", ""], "guess> "),
    (["insrt Book/1 [0, 0]", ""], "guess> "), ([":hint"], "guess> "),
    (["insert Book/1 [0, 1]", ""], "guess> "), (["insert Book/1 at [0, 0]", ""], "next> "),
    // 2. A statement from another language, and a book with another number.
    ([""], "frc> "), (["insert Book title \"Emma\""], "frc> "), (["show books"], "frc> "),
    (["insert Book(title: \"Zoo\")"], "frc> "), (["delete Book/3"], "frc> "),
    (["insert Book(title: \"Emma\")"], "frc> "), ([":again"], "frc> "),
    (["insert Book(title: \"Emma\")"], "next> "),
    // 3. A deleted row with a new path, and a callback for a row that only shifted.
    ([""], "guess> "), (["delete Book/2 -> [0, 1]", ""], "guess> "),
    (["delete Book/2 [0, 1]", "move Book/3 [0, 2] -> [0, 1]", ""], "guess> "),
    ([":solution"], "guess> "), (["delete Book/2 from [0, 1]", ""], "next> "),
    // 4. A move to the same place, and nothing.
    ([""], "guess> "), (["move Book/1 [0, 0] -> [0, 0]", ""], "guess> "),
    (["nothing", ""], "guess> "), (["update Book/1 [0, 0]", ""], "next> "),
    // 5. A hint in the middle of an answer, a line that is taken back, a path too far.
    ([""], "guess> "), (["update Book/1 [0, 0]", ":hint"], "...> "), ([":undo"], "guess> "),
    (["move Book/1 from [0, 0] to [0, 3]", ""], "guess> "),
    (["didChangeObject move Book/1 from [0, 0] to [0, 2]", ""], "next> "),
    // 6. A choice.
    ([""], "guess> "), (["a"], "guess> "), (["b"], "guess> "), (["c"], "next> "),
    // 7. The standard table, half a reaction, a reaction without its table.
    ([""], "mend> "), (["table view = books"], "mend> "),
    (["table view = books { move moveRow }"], "mend> "),
    (["move deleteRows insertRows"], "mend> "),
    (["table view = books { move deleteRows insertRows }"], "next> "),
    // 8. The object is old, and another object's name.
    ([""], "guess> "), (["update Memo/2 [0, 1]", ""], "guess> "),
    (["insert Memo/2 \"Groceries\" [0, 1]", ""], "guess> "),
    (["insert \"Ideas\" at [0, 1]", ""], "next> "),
    // 9. A forbidden word, a comparison instead of an assignment.
    ([""], "frc> "), (["delete Memo/1"], "frc> "), (["Memo/1.isAvailable == NO"], "frc> "),
    (["Memo/1.isAvailable = NO"], "next> "),
    // 10. A statement's text, a wrong reaction, everything at once.
    ([""], "find> "), (["Book/2.pages = 60"], "find> "), (["3 update"], "find> "),
    (["1 2 3 4 delete"], "find> "), (["statement three, delete"], "next> "),
    // 11. The classic template.
    ([""], "mend> "), (["table view = books { update configureCell }"], "mend> "),
    (["table view = books { update reloadRows }"], "next> "),
    // 12. The section is forgotten, and then named in words.
    ([""], "guess> "), (["insert User/2 [0, 0]", ""], "guess> "),
    (["insert User/2 [0, 0]", "section insert 0", ""], "guess> "),
    (["section \"A\" is inserted", "Anna is inserted at section 0 row 0", ""], "next> "),
  ]

  @Test("the first twelve lessons, with the mistakes of a beginner, are as recorded")
  func beginner() throws {
    let session = try LearningSession(until: "guess> ")
    for (lines, prompt) in Self.beginner { try session.enter(lines, until: prompt) }
    #expect(try session.terminal.exit(afterTyping: ":quit" + Key.enter) == .code(0))

    try compare(session.transcript, with: "beginner.txt")
  }

  @Test("three learners hand in their results, and a teacher collects them beside a bad file")
  func classroom() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/lessons.json"]
    let lessons = [
      ("Ada Lovelace", "update Book/1 [0, 0]\n\n:hint\ninsert Book/1 [0, 0]\n\n:quit\n"),
      ("Bo", "nothing\n\n:skip\ninsert Book(title: \"Emma\")\n:quit\n"), ("Cy", ":quit\n"),
    ]

    for (name, input) in lessons {
      let visit = try program.run("learn", "--as", name, input: input, environment: state)
      #expect(visit.output.hasPrefix("Your results are written to '"), "\(visit)")
    }
    let result = try program.shell(
      """
      mkdir class && mv *.lessons.json class && ls class
      echo '{' > class/broken.json; echo '{}' > class/empty.json
      ln -s /etc/passwd class/link.json; mkdir class/folder.json; mkfifo class/pipe.json
      frc learn --collect class; echo $?
      frc learn --collect class --report csv 2>/dev/null | cut -d, -f 1,3,6-8,10
      frc learn --collect class --report json 2>/dev/null | wc -l
      """, environment: state)

    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.prefix(3) == ["ada-lovelace.lessons.json", "bo.lessons.json", "cy.lessons.json"])
    #expect(
      lines.dropFirst(3).prefix(5).map { $0.replacing(/\d+:\d\d/, with: "0:00") } == [
        "name          lesson                 state    tries  hints  time  last wrong answer",
        "Ada Lovelace  01-an-object-appears   solved       2      1  0:00  update Book/1 [0, 0]",
        "Bo            01-an-object-appears   skipped      1      0  0:00  nothing",
        "Bo            02-in-the-right-place  solved       1      0  0:00",
        "Cy            01-an-object-appears   begun        0      0  0:00",
      ])
    #expect(
      lines.dropFirst(8) == [
        "1", "name,number,state,tries,hints,last wrong answer",
        "Ada Lovelace,1,solved,2,1,\"update Book/1 [0", "Bo,1,skipped,1,0,nothing",
        "Bo,2,solved,1,0,", "Cy,1,begun,0,0,", "4",
      ])
    let errors = result.errors.split(separator: "\n").map(String.init)
    #expect(
      errors == [
        "frc: error: 'broken.json' is left out: it has no results of 'frc learn --as NAME'",
        "frc: error: 'empty.json' is left out: it has no results of 'frc learn --as NAME'",
        "frc: error: 'folder.json' is left out: it is not a regular file",
        "frc: error: 'link.json' is left out: it is a link",
        "frc: error: 'pipe.json' is left out: it is not a regular file",
      ])
    let file = try program.read("class/ada-lovelace.lessons.json")
    #expect(!file.contains(program.folder.path))
    // Each learner has progress of their own.
    #expect(
      try program.run("learn", "--as", "Bo", "--list", environment: state).output
        .contains("\n✓  2  In the right place"))
    #expect(
      try program.run("learn", "--list", environment: state).output.hasSuffix(
        "0 of \(Course.builtIn.lessons.count) solved\n"))
    // A file that was lost is written again, and one that cannot be written is known at once.
    _ = try program.run("learn", "--as", "Bo", input: ":quit\n", environment: state)
    #expect(try program.read("bo.lessons.json").contains("02-in-the-right-place"))
    let refused = try program.run(
      "learn", "--as", "Bo", "--results", "none/bo.json", input: ":quit\n", environment: state)
    #expect(refused.status == 1)
    #expect(refused.errors.hasPrefix("frc: error: cannot write 'none/bo.json': "))
    // Another file, such as notes or a damaged file, is not written over.
    for (text, path) in [("my notes\n", "notes.txt"), ("{", "bo.lessons.json")] {
      try program.write(text, to: path)
      for option in [[], ["--reset"]] {
        try program.expect(
          ["learn", "--as", "Bo", "--results", path] + option, input: ":quit\n", environment: state,
          status: 1,
          errors: "frc: error: cannot write '\(path)': it has no results of "
            + "'frc learn --as NAME'; name another\n")
        #expect(try program.read(path) == text)
      }
    }
    let beside = try program.run("learn", "--as", "Bo", input: ":quit\n", environment: state)
    #expect(beside.output.hasPrefix("Your results are written to 'bo-2.lessons.json'. "))
    // An empty file and a link to a file of one's own are used, and a device keeps nothing.
    try program.write("", to: "folder/empty.json")
    #expect(try program.shell("ln -s folder/empty.json link.json").status == 0)
    for path in ["link.json", "folder/empty.json", "link.json", "/dev/null"] {
      let visit = try program.run(
        "learn", "--as", "Bo", "--results", path, input: ":quit\n", environment: state)
      #expect(visit.status == 0 && visit.errors == "", "\(path): \(visit)")
    }
    #expect(try program.run("learn", "--collect", "nowhere").status == 2)
    #expect(try program.run("learn", "--results", "x.json").status != 0)
  }

  @Test(
    "results stay in the file to hand in where the progress is another, until they are forgotten")
  func anotherProgress() throws {
    let program = try FRCProgram()
    func learn(_ input: String, _ progress: String, _ options: String...) throws -> String {
      let visit = try program.run(
        ["learn", "--as", "Eva"] + options, input: input, environment: ["FRC_PROGRESS": progress])
      #expect(visit.status == 0 && visit.errors == "")
      return visit.output
    }
    func table() throws -> [String] {
      try program.run("learn", "--collect", ".").output.split(separator: "\n").dropFirst()
        .map { $0.split(separator: " ").prefix(5).joined(separator: " ") }
    }

    _ = try learn("nothing\n\ninsert Book/1 [0, 0]\n\n:quit\n", "lab1.json")
    let next = try learn(":hint\n:quit\n", "lab2.json")
    #expect(
      next.hasPrefix(
        "Your results are written to 'eva.lessons.json'. Hand this file in.\n"
          + "1 lesson is taken over from it.\n\nLesson 2 of "), "\(next)")
    #expect(try learn("", "lab2.json", "--list").contains("✓  1  An object appears"))
    #expect(
      try table() == [
        "Eva 01-an-object-appears solved 2 0",
        "Eva 02-in-the-right-place begun 0 1",
      ])
    // So does a learner whose progress is not kept, and one who is back at the first computer.
    #expect(try learn(":skip\n:quit\n", "").contains("\n2 lessons are taken over from it.\n"))
    #expect(try learn(":quit\n", "lab1.json").contains("\nLesson 3 of "))
    // What is forgotten does not come back.
    #expect(
      try learn("", "lab2.json", "--reset") == "The progress in this course is forgotten.\n")
    #expect(try learn(":quit\n", "lab2.json").contains("Hand this file in.\n\nLesson 1 of "))
    #expect(try table() == ["Eva 01-an-object-appears begun 0 0"])
  }

  @Test("learners whose names differ only in case or signs have a file each, and keep it")
  func similarNames() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/progress.json"]
    let long = String(repeating: "x", count: 300)
    let files = [
      ("a b", "a-b.lessons.json"), ("a-b", "a-b-2.lessons.json"), ("A B", "a-b-3.lessons.json"),
      ("a b 2", "a-b-2-2.lessons.json"), ("a b", "a-b.lessons.json"),
      ("A B", "a-b-3.lessons.json"),
      (long + "a", "\(long.prefix(200)).lessons.json"),
      (long + "b", "\(long.prefix(200))-2.lessons.json"),
    ]

    for (name, file) in files {
      let visit = try program.run(
        "learn", "--as", name, input: "nothing\n:quit\n", environment: state)
      #expect(visit.output.contains("Your results are written to '\(file)'"), "\(visit)")
      #expect(try program.read(file).contains("\"name\" : \"\(name)\""))
    }

    let before = try program.read("a-b.lessons.json")
    let refused = try program.run(
      "learn", "--as", "a-b", "--results", "a-b.lessons.json", environment: state)
    #expect(refused.status == 1)
    #expect(
      refused.errors
        == "frc: error: cannot write 'a-b.lessons.json': it has the results of 'a b'; "
        + "name another\n")
    #expect(try program.read("a-b.lessons.json") == before)
    // A learner keeps a file with a number when the first one is gone.
    #expect(try program.shell("rm a-b.lessons.json").status == 0)
    let again = try program.run("learn", "--as", "a-b", input: ":quit\n", environment: state)
    #expect(again.output.contains("'a-b-2.lessons.json'"))
  }

  @Test("a learner whose name is typed in two Unicode forms has one file")
  func nameForms() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/progress"]

    for name in ["\u{e9}va", "e\u{301}va"] {
      let visit = try program.run("learn", "--as", name, input: ":quit\n", environment: state)
      #expect(visit.status == 0, "\(visit)")
    }

    #expect(try program.shell("ls *.lessons.json | wc -l").output.contains("1"))
    let table = try program.run("learn", "--collect", ".", environment: state)
    #expect(table.status == 0 && table.errors.isEmpty, "\(table)")
  }

  @Test("courses with the same folder name, and one named frc, have a file of results each")
  func similarCourses() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/progress.json"]
    let text = try Self.lesson("01-an-object-appears")
    for folder in ["a/lessons", "b/lessons", "frc"] {
      try program.write(text, to: "\(folder)/01.frc")
    }
    let files = [
      ("a/lessons", "ann-lessons.lessons.json"), ("b/lessons", "ann-lessons-2.lessons.json"),
      ("frc", "ann-frc.lessons.json"), ("a/lessons", "ann-lessons.lessons.json"),
    ]

    _ = try program.run("learn", "--as", "Ann", input: ":hint\n:quit\n", environment: state)
    let builtIn = try program.read("ann.lessons.json")
    for (folder, file) in files {
      let visit = try program.run(
        "learn", folder, "--as", "Ann", input: ":quit\n", environment: state)
      #expect(visit.output.hasPrefix("Your results are written to '\(file)'. "), "\(visit)")
    }
    #expect(try program.read("ann.lessons.json") == builtIn)
    let refused = try program.run(
      "learn", "b/lessons", "--as", "Ann", "--results", "ann-lessons.lessons.json",
      environment: state)
    #expect(
      refused.errors
        == "frc: error: cannot write 'ann-lessons.lessons.json': it has the results of 'Ann' in "
        + "another course; name another\n")
    // A file of an older frc is used again.
    let old = try program.read("ann-lessons.lessons.json").replacing(/\ *"mark".*\n/, with: "")
    try program.write(old, to: "ann-lessons.lessons.json")
    let visit = try program.run(
      "learn", "a/lessons", "--as", "Ann", input: ":quit\n", environment: state)
    #expect(visit.output.hasPrefix("Your results are written to 'ann-lessons.lessons.json'. "))
  }

  @Test("the commands at the end of a course are those for this course and learner")
  func commandsAtTheEnd() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/progress.json"]
    try program.write(try Self.lesson("01-an-object-appears"), to: "my course/01.frc")
    let learn = ["learn", "my course", "--as", "Ann"]

    _ = try program.run(learn, input: "insert Book/1 [0, 0]\n\n\n", environment: state)
    let over = try program.run(learn, environment: state)

    let command = "frc learn \"my course\" --as Ann"
    #expect(
      over.output.hasSuffix(
        "1 of 1 solved. '\(command) 1' begins again, '\(command) --reset' forgets it all.\n"))
    let begun = try program.shell("echo :quit | \(command) 1", environment: state)
    #expect(begun.output.contains("Lesson 1 of 1"), "\(begun)")
    let reset = try program.shell("\(command) --reset", environment: state)
    #expect(reset.output == "The progress in this course is forgotten.\n")
    #expect(
      try program.run(learn + ["--list"], environment: state).output.hasSuffix("0 of 1 solved\n"))
  }

  @Test("a name with a line end stays on one line of messages, and in one field of a table")
  func namesWithLineEnds() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/progress.json"]

    let visit = try program.run(
      "learn", "--as", "a\nb", "--results", "a.json", input: ":quit\n", environment: state)
    #expect(visit.output.hasPrefix("Your results are written to 'a.json'. Hand this file in.\n\n"))
    let refused = try program.run(
      "learn", "--as", "Bo", "--results", "a.json", environment: state)
    #expect(
      refused.errors == "frc: error: cannot write 'a.json': it has the results of 'a\\u{a}b'; "
        + "name another\n")
    try program.write(try program.read("a.json"), to: "class/1.json")
    try program.write(try program.read("a.json"), to: "class/2.json")
    let table = try program.run("learn", "--collect", "class", "--report", "csv")
    #expect(table.output.contains("\n\"a\nb\",frc,1,01-an-object-appears,"))
    #expect(
      table.errors
        == "frc: error: '2.json' has the results of 'a\\u{a}b', as '1.json' has\n")
  }

  private static func lesson(_ name: String) throws -> String {
    try RepositoryFiles.text("Examples/Lessons/\(name).frc")
  }

  @Test("lessons of two folders that would be the same handout are refused before any is written")
  func sameHandouts() throws {
    let program = try FRCProgram()
    let text = try Self.lesson("01-an-object-appears")
    for folder in ["a", "b"] { try program.write(text, to: "\(folder)/01.frc") }
    try program.write(text, to: "b/00.frc")

    try program.expect(
      "lesson", "handout", "b", "a/01.frc", "-o", "ho", status: 1,
      errors: "frc: error: 'b/01.frc' and 'a/01.frc' would both be written to 'ho/01.frc'; "
        + "rename one, or write them to two folders\n")
    #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/ho"))
    // A file that is named twice is only one.
    #expect(try program.run("lesson", "handout", "b", "b/01.frc", "-o", "ho").status == 0)
  }

  @Test("lessons are handed out without their answers, and learned from these files")
  func handouts() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": program.folder.path + "/lessons.json"]
    let lessons = RepositoryFiles.url("Examples/Lessons")
    for name in ["01-an-object-appears", "02-in-the-right-place", "16-two-rows-change-places"] {
      let text = try String(
        contentsOf: lessons.appendingPathComponent(name + ".frc"), encoding: .utf8)
      try program.write(text, to: "course/\(name).frc")
    }
    try program.write("#@ lesson predict Half\nprint 1\n", to: "course/half.frc")

    let written = try program.run("lesson", "handout", "course", "-o", "out")
    #expect(written.status == 1)
    #expect(written.output.split(separator: "\n").count == 3)
    #expect(written.errors.contains("course/half.frc:1:1: error: expected"))
    // The answers are only in the lessons themselves.
    let lesson = try program.read("course/02-in-the-right-place.frc")
    let over = try program.run("lesson", "handout", "course", "-o", "course")
    #expect(over.status == 1)
    #expect(over.output == "")
    #expect(over.errors.contains("the same file as 'course/02-in-the-right-place.frc', which is"))
    let handedIn = try program.run(
      "learn", "course", "--as", "Bo", "--results", "course/02-in-the-right-place.frc",
      environment: state)
    #expect(handedIn.status == 1)
    #expect(handedIn.errors.contains("the same file as 'course/02-in-the-right-place.frc', which"))
    #expect(try program.read("course/02-in-the-right-place.frc") == lesson)
    let file = try program.read("out/01-an-object-appears.frc")
    #expect(!file.contains("-> [0, 0]") && !file.contains("hint The list"))
    let visit = try program.run(
      "learn", "out", input: ":hint\ninsert Book/1 [0, 0]\n\n:quit\n", environment: state)
    #expect(visit.output.contains("Hint 1 of 3"))
    #expect(visit.output.contains("Right. A new object that matches"))
    #expect(try program.run("lesson", "check", "out").status == 0)
    // A lesson with an error is left out, and the others are learned.
    let rest = try program.run("learn", "course", "--list", environment: state)
    #expect(rest.status == 0)
    #expect(rest.errors.contains("'course/half.frc' is left out"))
    #expect(rest.output.hasSuffix("0 of 3 solved\n"))
  }

  @Test("a lesson with files of its own is handed out with a warning that names them")
  func handoutsWithFiles() throws {
    let program = try FRCProgram()
    let text = try Self.lesson("01-an-object-appears")
    let entity = try #require(text.split(separator: "\n").first { $0.hasPrefix("entity Book") })
    try program.write(
      text.replacing(entity, with: "include \"world.frc\"\nimport \"books.csv\" into Shelf"),
      to: "course/01.frc")
    try program.write("include \"parts/book.frc\"\n", to: "course/world.frc")
    try program.write("include \"shelf.frc\"\n\(entity)\n", to: "course/parts/book.frc")
    try program.write("entity Shelf { name: String }\n", to: "course/parts/shelf.frc")
    try program.write("name\nA\n", to: "course/books.csv")

    let handout = ["lesson", "handout", "course/01.frc", "-o", "h"]
    try program.expect(
      handout, output: "h/01.frc\n",
      errors: "frc: warning: 'h/01.frc' reads 'world.frc', 'books.csv', 'parts/book.frc', "
        + "'parts/shelf.frc'; put a copy beside it\n")
    let answer = "insert Book/1 [0, 0]\n\n:quit\n"
    let words = "This lesson cannot run, so no answer is graded: cannot include 'world.frc': "
    let visit = try program.run("learn", "h", input: answer, environment: ["FRC_PROGRESS": ""])
    #expect(visit.output.components(separatedBy: words).count == 3, "\(visit)")

    #expect(try program.shell("cp -R course/world.frc course/books.csv course/parts h").status == 0)
    try program.expect(handout, output: "h/01.frc\n")
    let again = try program.run("learn", "h", input: answer, environment: ["FRC_PROGRESS": ""])
    #expect(again.output.contains("Right. "), "\(again)")
    #expect(!again.output.contains("cannot run"))
  }

  @Test("scripts of a handout that include themselves through linked folders are read once")
  func handoutOfCycle() throws {
    let text = try Self.lesson("01-an-object-appears")
    let entity = try #require(text.split(separator: "\n").first { $0.hasPrefix("entity Book") })
    let program = try FRCProgram([
      "course/01.frc": text.replacing(entity, with: "include \"a.frc\""),
      "course/a.frc": "include \"./a.frc\"\ninclude \"s/a.frc\"\ninclude \"t/a.frc\"\n",
    ])

    let links = "ln -s . course/s; ln -s . course/t"
    let names = "'a.frc', 's/a.frc', 't/a.frc'"
    try program.expect(
      shell: "\(links); timeout 60 frc lesson handout course/01.frc -o h", output: "h/01.frc\n",
      errors: "frc: warning: 'h/01.frc' reads \(names); put a copy beside it\n")
  }

  @Test("the page of a lesson asks, and shows its answers only if they are asked for")
  func page() throws {
    let program = try FRCProgram()
    let lesson = RepositoryFiles.url("Examples/Lessons/02-in-the-right-place.frc").path

    #expect(try program.run("play", lesson, "-o", "page.html").status == 0)
    let page = try program.read("page.html")
    #expect(page.contains("\"asks\":true"))
    #expect(page.contains("The state to reach:"))
    for secret in ["#@ hint", "#@ wrong", "insert Book(title: \\\"Emma\\\")", "Zama"] {
      #expect(!page.contains(secret), "\(secret)")
    }
    #expect(try program.run("play", lesson, "--answers", "-o", "whole.html").status == 0)
    let whole = try program.read("whole.html")
    #expect(whole.contains("#@ hint") && !whole.contains("\"asks\":true"))
    // Nobody can know what the answers of a lesson with errors are.
    let text = try Self.lesson("02-in-the-right-place")
    let typos = [
      ("lesson reach", "lesson reech", "unknown kind of lesson 'reech'; did you mean 'reach'?"),
      ("@ answer", "@ answr", "expected statements below '#@ answer'"),
    ]
    for (right, wrong, message) in typos {
      try program.write(text.replacing(right, with: wrong), to: "typo.frc")
      let refused = try program.run("play", "typo.frc", "-o", "typo.html")
      #expect(refused.status == 2)
      #expect(refused.errors.contains("error: \(message)"), "\(refused.errors)")
      #expect(refused.errors.contains("'typo.frc' is a lesson with errors, so its answers cannot"))
      #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/typo.html"))
    }
    #expect(try program.run("play", "typo.frc", "--answers", "-o", "typo.html").status == 0)
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

  @Test("progress that cannot be read is left as it is, and the learner is told")
  func unreadableProgress() throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": "p.json"]
    let newer = """
      {"courses":{"frc":{"lessons":{"02-in-the-right-place":{"hints":0,"sawSolution":false,\
      "seconds":1,"state":"later","tries":0}}},"/home/me/mycourse":{"lessons":{}}}}
      """
    let words = "cannot read the progress in 'p.json': it is damaged, or a newer frc wrote it; "
    let warning = "frc: warning: \(words)nothing is kept until you move the file away\n"
    let error = "frc: error: \(words)move the file away to begin again\n"
    for text in [newer, "{broken", "[]"] {
      try program.write(text, to: "p.json")
      let visit = try program.run(
        "learn", "1", input: "insert Book/1 [0, 0]\n\n:quit\n", environment: state)
      #expect(visit.output.contains("Right. A new object"))
      #expect(visit.errors == warning)
      #expect(visit.status == 0)
      let list = try program.run("learn", "--list", environment: state)
      #expect(list.output.hasSuffix("0 of \(Course.builtIn.lessons.count) solved\n"))
      #expect(list.errors == warning)
      for arguments in [["--reset"], ["--report", "json"], ["--as", "Bo"]] {
        try program.expect(["learn"] + arguments, environment: state, status: 2, errors: error)
      }
      #expect(try program.read("p.json") == text)
    }
    try program.write("{}", to: "folder/a.json")
    let folder = try program.run("learn", "--list", environment: ["FRC_PROGRESS": "folder"])
    #expect(folder.errors.contains("the progress in 'folder': it is not a regular file; "))
    // An empty file is no progress.
    try program.write("", to: "p.json")
    let visit = try program.run(
      "learn", "1", input: "insert Book/1 [0, 0]\n\n:quit\n", environment: state)
    #expect(visit.errors == "")
    #expect(try program.read("p.json").contains("solved"))
  }

  @Test(
    "visits at the same time keep what the other has solved, also in the file to hand in",
    arguments: [true, false])
  func visitsTogether(keepsProgress: Bool) throws {
    let program = try FRCProgram()
    let state = ["FRC_PROGRESS": keepsProgress ? program.folder.path + "/lessons.json" : ""]

    // The first visit begins before the second one, and ends after it.
    let result = try program.shell(
      """
      { until test -e second; do sleep 0.02; done; echo 'insert Book(title: "Emma")'; echo :quit; } \
        | frc learn 2 --as Cy > first.txt &
      until grep -q 'Lesson 2' first.txt; do sleep 0.02; done
      printf 'insert Book/1 [0, 0]\n\n:quit\n' | frc learn 1 --as Cy > second.txt
      touch second
      wait
      frc learn --list --as Cy
      """, environment: state)

    if keepsProgress {
      #expect(result.output.hasPrefix("✓  1  An object appears"), "\(result)")
      #expect(result.output.contains("\n✓  2  In the right place"))
    }
    let results = try program.read("cy.lessons.json")
    #expect(results.components(separatedBy: "\"state\" : \"solved\"").count == 3, "\(results)")
  }

  @Test("lessons are pages of a site, by their titles")
  func site() throws {
    let program = try FRCProgram()
    let folder = RepositoryFiles.url("Examples/Lessons").path

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
    let lessons = RepositoryFiles.url("Examples/Lessons")
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
    try program.expect("lesson", "check", "course", output: "course/a.frc: ok\n")
    try program.expect("lesson", "handout", "course", "-o", "out", output: "out/a.frc\n")
    let helper = try program.run("lesson", "check", "course/a.frc", "course/helper.frc")
    #expect(helper.status == 1 && helper.output == "course/a.frc: ok\n")
    #expect(helper.errors.hasPrefix("course/helper.frc:1:1: error: a lesson begins with '#@ les"))
    try program.write(text.replacing("#@ why", with: "# why"), to: "course/b.frc")
    let both = try program.run("learn", "course", "--list", environment: state)
    #expect(both.status == 0)
    #expect(both.errors.contains("course/b.frc:1:1: error: expected '#@ why'"))
    let check = try program.run("lesson", "check", "course/b.frc")
    #expect(check.status == 1)
    #expect(check.errors.contains("course/b.frc:1:1: error: expected '#@ why'"))
    try program.write("print 1\n", to: "empty/helper.frc")
    #expect(
      try program.run("learn", "empty", environment: state).errors.contains("no lesson in 'empty'"))
    try program.write("", to: "none/readme.txt")
    for folder in ["none", "empty"] {
      for options in [["check", folder], ["handout", folder, "-o", "out"]] {
        let run = try program.run(["lesson"] + options)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("frc: error: no lesson in '\(folder)'"))
      }
    }
    #expect(
      try program.run("learn", "gone", environment: state).errors
        == "frc: error: there is no folder 'gone'\n")
  }
}
