import Foundation
import Glibc
import PseudoTerminal
import Testing

/// `frc review` at a terminal.
@Suite("frc review")
struct ReviewCommandTests {
  private static let question = "accept, reject, edit, pattern, undo, quit, ?"
  private static let first = "print 1\n#> 0\nprint 2\nprint \"run 17\"\n#> run 12\n"
  private static let second = "print 4\n#> 0\nprint 5\n#> 0\n"

  private func suite() throws -> FRCProgram {
    let program = try FRCProgram(["t/a.frc": Self.first, "t/b.frc": Self.second])
    return program
  }

  /// Presses a key, and waits for a heading below it.
  private func press(_ key: String, _ terminal: PseudoTerminal, until text: String) throws {
    try terminal.type(key)
    try terminal.wait(for: "'\(text)' after \(key)") {
      let rows = $0.screen.scrolledOff + $0.screen.rows
      guard let place = rows.lastIndex(where: { $0.contains(text) }) else { return false }
      // The next question, or the end.
      return rows[place...].contains { $0 == Self.question || $0.hasPrefix("accepted") }
    }
  }

  private func start(
    _ program: FRCProgram, _ arguments: String = "review t", in folder: String = ".",
    at heading: String, environment: [String: String?] = [:]
  ) throws -> PseudoTerminal {
    let terminal = try program.terminal(arguments, in: folder, environment: environment, rows: 200)
    try terminal.wait(forText: heading)
    try terminal.wait(for: "the question") { $0.screen.cursorRow == Self.question && $0.isRaw }
    return terminal
  }

  @Test("each block is accepted, rejected or given a pattern, and the last answer is taken back")
  func answers() throws {
    let program = try suite()
    let terminal = try start(program, at: "5 blocks in 2 files: 4 changed, 1 new")

    try press("a", terminal, until: "2 of 5, new")
    try press("r", terminal, until: "3 of 5")
    try press("p", terminal, until: "4 of 5")
    try press("a", terminal, until: "5 of 5")
    try terminal.type("u")
    try terminal.wait(for: "'4 of 5' again") {
      let rows = $0.screen.scrolledOff + $0.screen.rows
      return rows.count { $0 == "4 of 5" } == 2 && $0.screen.cursorRow == Self.question && $0.isRaw
    }
    try press("R", terminal, until: "accepted 2 blocks in 1 file: 2 changed; 3 rejected")

    #expect(try terminal.waitForExit() == .code(1))
    #expect(
      try program.read("t/a.frc") == "print 1\n#> 1\nprint 2\nprint \"run 17\"\n#> run [int]\n")
    #expect(try program.read("t/b.frc") == Self.second)
    #expect(try program.run("test", "t", "--failed").output.hasSuffix("0 passed, 2 failed\n"))
  }

  @Test("one key accepts all that is left")
  func all() throws {
    let program = try suite()
    let terminal = try start(program, at: "1 of 5")

    try terminal.type("*")
    try terminal.wait(for: "the next key") { $0.isRaw && $0.screen.cursorRow.hasPrefix("all:") }
    try press("a", terminal, until: "accepted 5 blocks in 2 files: 4 changed, 1 new")

    #expect(try terminal.waitForExit() == .code(0))
    #expect(try program.run("test", "t").output == "2 passed, 0 failed\n")
    #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/.frc/review.json"))
  }

  @Test("keys that arrive together are answers in their order, and an arrow is one key")
  func typedAhead() throws {
    let program = try suite()
    let terminal = try start(program, at: "1 of 5")

    try press(
      "a\(Key.up)rpaR", terminal, until: "accepted 3 blocks in 2 files: 3 changed; 2 rejected")

    #expect(try terminal.waitForExit() == .code(1))
    #expect(
      try program.read("t/a.frc") == "print 1\n#> 1\nprint 2\nprint \"run 17\"\n#> run [int]\n")
    #expect(try program.read("t/b.frc") == "print 4\n#> 4\nprint 5\n#> 0\n")
  }

  @Test("the lines are edited in the user's editor, and refused if they do not fit")
  func edited() throws {
    let program = try suite()
    try program.write("echo 'run [number]' > \"$1\"\n", to: "editor")
    let terminal = try start(
      program, "review t/a.frc", at: "1 of 3", environment: ["EDITOR": "/bin/sh editor"])

    try terminal.type("e")
    try terminal.wait(forText: "these lines do not fit the output, so the block stays as it is")
    try press("r", terminal, until: "2 of 3")
    try press("r", terminal, until: "3 of 3")
    try press("e", terminal, until: "accepted 1 block in 1 file: 1 changed; 2 rejected")

    #expect(try terminal.waitForExit() == .code(1))
    #expect(
      try program.read("t/a.frc") == "print 1\n#> 0\nprint 2\nprint \"run 17\"\n#> run [number]\n")
  }

  @Test("quitting writes what was accepted, and the next review asks for the rest alone")
  func quitAndResume() throws {
    let program = try suite()
    let terminal = try start(program, at: "1 of 5")
    try press("a", terminal, until: "2 of 5")
    try press("r", terminal, until: "3 of 5")
    try press("q", terminal, until: "accepted 1 block in 1 file: 1 changed; 1 rejected; 3 left")
    #expect(try terminal.waitForExit() == .code(1))
    #expect(try program.read("t/a.frc").hasPrefix("print 1\n#> 1\nprint 2\nprint"))

    let next = try start(program, at: "4 blocks in 2 files: 3 changed, 1 new")
    #expect(next.screen.text.contains("1 answered before"))
    #expect(next.screen.text.contains("2 of 4\nt/a.frc:4: output differs"))
    #expect(try next.exit(afterTyping: "q") == .code(1))
    let again = try start(program, "review t --again", at: "1 of 4, new")
    #expect(try again.exit(afterTyping: "q") == .code(1))
  }

  @Test("accepted answers for a file that could not be written are kept for the next review")
  func unwritten() throws {
    let program = try suite()
    let terminal = try start(program, at: "1 of 5")
    try terminal.type("*")
    try terminal.wait(for: "the next key") { $0.isRaw && $0.screen.cursorRow.hasPrefix("all:") }
    // A file that has changed since the run is left as it is.
    try program.write(Self.second + "print 6\n#> 6\n", to: "t/b.frc")
    try press("a", terminal, until: "accepted 3 blocks in 1 file: 2 changed, 1 new")
    #expect(try terminal.waitForExit() == .code(1))
    #expect(try program.read("t/b.frc").hasPrefix(Self.second))

    let next = try program.terminal("review t", rows: 200)
    try next.wait(forText: "2 answered before")
    #expect(try next.waitForExit() == .code(0))
    #expect(try program.read("t/b.frc") == "print 4\n#> 4\nprint 5\n#> 5\nprint 6\n#> 6\n")
    #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/.frc/review.json"))
  }

  @Test("an answer is for a file, and not for one of the same name in another folder")
  func folders() throws {
    let program = try FRCProgram()
    _ = try program.shell("git init -q")
    for folder in ["x", "y"] { try program.write("print 1\n#> 0\n", to: "\(folder)/a.frc") }
    let first = try start(program, "review a.frc", in: "x", at: "1 of 1")
    try press("r", first, until: "accepted 0 blocks in 0 files; 1 rejected")
    #expect(try first.waitForExit() == .code(1))

    let second = try start(program, "review a.frc", in: "y", at: "1 of 1")
    #expect(!second.screen.text.contains("answered before"))
    try press("a", second, until: "accepted 1 block in 1 file: 1 changed")
    #expect(try second.waitForExit() == .code(0))
    let whole = try program.terminal("review x y")
    try whole.wait(forText: "1 answered before")
    #expect(try whole.waitForExit() == .code(1))
  }

  @Test("Ctrl-C, a kill and a closed terminal write no file, and keep the answers")
  func stopped() throws {
    for signal in [SIGINT, SIGKILL, SIGHUP] {
      let program = try suite()
      let terminal = try start(program, at: "1 of 5")
      try press("a", terminal, until: "2 of 5")
      switch signal {
      case SIGINT: try terminal.type(Key.control("C"))
      case SIGHUP: #expect(terminal.hangUp() != nil)
      default: terminal.send(signal)
      }
      if signal != SIGHUP {
        #expect(try terminal.waitForExit() == (signal == SIGINT ? .code(130) : .signal(SIGKILL)))
      }
      #expect(try program.read("t/a.frc") == Self.first)

      let next = try start(program, at: "2 of 5")
      #expect(next.screen.text.contains("1 answered before"))
      try press("q", next, until: "accepted 1 block")
      #expect(try program.read("t/a.frc").hasPrefix("print 1\n#> 1\nprint 2\n"))
    }
  }

  @Test("a signal and a closed terminal end a review at once, in every state, and write nothing")
  func ended() throws {
    for signal in [SIGTERM, SIGHUP] {
      // At the question, and at moments before it.
      for milliseconds in [nil, 50, 150, 300] as [Int?] {
        let program = try suite()
        let terminal: PseudoTerminal
        if let milliseconds {
          terminal = try program.terminal("review t", rows: 200)
          usleep(UInt32(milliseconds) * 1_000)
        } else {
          terminal = try start(program, at: "1 of 5")
        }
        let start = ContinuousClock.now
        terminal.send(signal)
        let exit = try terminal.waitForExit()
        // Before the program has installed its handlers, the signal itself ends it.
        #expect([.code(128 + signal), .signal(signal)].contains(exit))
        if milliseconds == nil { #expect(exit == .code(128 + signal)) }
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(try program.read("t/a.frc") == Self.first)
      }
    }
  }

  @Test("of callbacks that changed, the rule is shown; ? names the keys")
  func rules() throws {
    let program = try FRCProgram()
    try program.write(
      """
      entity Book { title: String }
      insert 2 Book(title: "b\\(i)")
      controller books = Book sort by title
      fetch books
      Book/1.title = "z"
      #> books willChangeContent

      """, to: "a.frc")
    let terminal = try start(program, "review a.frc", at: "1 of 1")

    #expect(
      terminal.screen.text.contains(
        """
        why:
            books didChange object move Book/1 "z" [0, 0] -> [0, 1]
              rule passed-unchanged: the object is now on the other side of a row

        """.dropLast()), "\(terminal.screen.text)")
    try terminal.type("?", showing: "u undo the last answer    q quit: write what was accepted")
  }

  @Test("without a terminal a review says what to do instead; with nothing to review it ends")
  func nothing() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 1\n"])

    let result = try program.run("review", "a.frc")
    #expect(result.status == 2)
    #expect(result.errors.contains("frc test --update --dry-run"))
    let terminal = try program.terminal("review a.frc")
    try terminal.wait(forText: "nothing to review: 1 passed, 0 failed")
    #expect(try terminal.waitForExit() == .code(0))
  }
}
