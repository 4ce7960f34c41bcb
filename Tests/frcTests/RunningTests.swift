import Foundation
import PseudoTerminal
import Testing

/// What is visible during a run, and what remains after it is stopped.
@Suite("Results as they happen")
struct RunningTests {
  private static let endless = "repeat 1000000000 { let x = 1 }\n"

  /// A suite whose first script never ends.
  private func suite(_ count: Int) throws -> FRCProgram {
    let program = try FRCProgram(["t/0-slow.frc": Self.endless])
    for number in 10..<10 + count { try program.write("print 1\n#> 1\n", to: "t/\(number).frc") }
    return program
  }

  /// Runs a command, and sends it a signal when a file of the folder exists.
  private func run(
    _ program: FRCProgram, _ arguments: [String], until name: String, signal: String = "TERM"
  ) throws -> FRCProgram.Result {
    let words = arguments.joined(separator: " ")
    return try program.shell(
      "env --default-signal=\(signal) frc \(words) & "
        + "while kill -0 $! && ! ls \(name); do sleep 0.02; done >/dev/null 2>&1; "
        + "kill -\(signal) $!; wait $!",
      environment: ["TMPDIR": program.folder.appendingPathComponent("tmp").path])
  }

  @Test("tests that ended before a signal are in the reports, and the one that ran is named")
  func terminated() throws {
    let program = try suite(32)
    // The last test creates the file that the signal waits for, and never ends.
    try program.write(
      "entity A { a: String? }\nstore sqlite \"done.sqlite\"\ninsert A()\nsave\n" + Self.endless,
      to: "t/99.frc")
    try program.write("", to: "tmp/x")

    let result = try run(
      program, ["test", "t", "-j", "2", "--report", "json=r.json", "--report", "junit=j.xml"],
      until: "tmp/*/done.sqlite")

    #expect(result.status == 143)
    let said = result.output.split(separator: "\n").map(String.init)
    #expect(said.first?.contains(/^t\/0-slow\.frc: stopped after [0-9]+\.[0-9] s$/) == true)
    #expect(said.dropFirst().first?.hasPrefix("t/99.frc: stopped after ") == true)
    #expect(Array(said.dropFirst(2)) == ["interrupted", "32 passed, 0 failed, 2 not run"])
    let lines = try program.read("r.json").split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("{\"event\":\"test\"") } == 32)
    #expect(lines.count { $0.hasPrefix("{\"event\":\"stopped\"") } == 2)
    #expect(lines.last?.hasPrefix("{\"event\":\"summary\"") == true)
    #expect(try program.read("j.xml").components(separatedBy: "<testcase ").count == 33)
  }

  @Test("a report in JSON has whole lines of the tests that ended, while others go on")
  func report() throws {
    let program = try suite(3)
    try program.write("print 1\n#> 2\n", to: "t/20.frc")
    try program.write("old\n", to: "r.json")

    // Ends the process when the four lines have arrived, or after a timeout.
    let result = try program.shell(
      """
      frc test t -j 2 --report json=r.json >out.txt 2>&1 & test=$!
      for i in $(seq 500); do
        [ "$(grep -c '"event":"test"' r.json)" = 4 ] && break; sleep 0.02
      done
      cp r.json meanwhile.json; kill -KILL $test; wait $test; cat out.txt
      """)

    #expect(result.output.isEmpty)
    let text = try program.read("meanwhile.json")
    let lines = text.split(separator: "\n").map {
      String($0.replacing(/"seconds":[-0-9.e]+/, with: "\"seconds\":0"))
    }
    #expect(text.hasSuffix("}\n"))
    #expect(
      lines == (10...12).map { Self.line("t/\($0).frc", "passed") } + [
        #"{"event":"failure","kind":"output","file":"t/20.frc","line":1,"#
          + #""message":"output differs","expected":"2\n","actual":"1\n"}"#,
        Self.line("t/20.frc", "failed"),
      ])
    #expect(try program.read("r.json") == text)
  }

  private static func line(_ file: String, _ verdict: String) -> String {
    #"{"event":"test","file":"\#(file)","verdict":"\#(verdict)","seconds":0}"#
  }

  @Test("--fail-fast does not wait for a script that goes on, and says for how long it ran")
  func failFast() throws {
    let program = try suite(3)
    try program.write("print 1\n#> 2\n", to: "t/20.frc")

    let result = try program.run("test", "t", "-j", "2", "--fail-fast")

    #expect(result.status == 1)
    #expect(result.output.contains("t/20.frc:1: output differs\n"))
    #expect(result.output.contains(/\nt\/0-slow\.frc: stopped after [0-9]+\.[0-9] s\n/))
    #expect(result.output.hasSuffix("\n3 passed, 1 failed, 1 not run\n"))
  }

  @Test("in JSON, what was stopped is a line of its own")
  func json() throws {
    let program = try suite(1)
    try program.write("print 1\n#> 2\n", to: "t/20.frc")

    let output = try program.run("test", "t", "-j", "2", "--fail-fast", "--json").output

    #expect(
      output.contains(/\n\{"event":"stopped","file":"t\/0-slow\.frc","seconds":[0-9.]+\}\n/),
      "\(output)")
  }

  @Test("a test that reads a pipe fails, and is not waited for")
  func pipe() throws {
    let program = try FRCProgram()
    try program.write("entity A { a: String }\nimport \"pipe.csv\" into A\n", to: "t/a.frc")
    try program.write("print 1\n#> 1\n", to: "t/b.frc")

    let result = try program.shell("mkfifo t/pipe.csv; frc test t")

    #expect(result.status == 1)
    #expect(
      result.output.hasPrefix(
        "t/a.frc:2:8: error: cannot read 'pipe.csv': it is not a regular file\n"),
      "\(result.output)")
    #expect(result.output.hasSuffix("1 passed, 1 failed\n"))
  }

  @Test("a terminal shows how far the run is and what runs longest, and nothing of it at the end")
  func terminal() throws {
    let program = try suite(3)
    try program.write("print 1\n#> 2\n", to: "t/20.frc")
    // A busy machine may take longer than the limit of a test to show the line.
    let terminal = try program.terminal("test t -j 2 --timeout 100s")

    // The other tests may end after more than a second.
    try terminal.wait(for: "the count of all but one test") {
      $0.screen.text.contains(/4 of 5, 1 failed; t\/0-slow\.frc for [0-9]+ s/)
    }
    // A failure is shown when it happens, although a test before it is still running.
    #expect(terminal.screen.text.contains("t/20.frc:1: output differs"))
    #expect(try terminal.exit(afterTyping: Key.control("C")) == .code(130))
    let rows = terminal.screen.text.split(separator: "\n").map(String.init)
    #expect(rows.last == "3 passed, 1 failed, 1 not run")
    #expect(!terminal.screen.text.contains("4 of 5"))
  }

  @Test("neither CI nor a terminal that cannot be drawn on shows a counter")
  func quiet() throws {
    for environment in [["CI": "true"], ["TERM": "dumb"]] {
      let program = try FRCProgram(["a.frc": "#@ timeout 1s\n" + Self.endless])
      let terminal = try program.terminal("test a.frc", environment: environment)

      #expect(try terminal.waitForExit() == .code(1))
      #expect(!terminal.screen.text.contains("0 of 1"))
    }
  }
}

extension FRCProgram {
  /// The program at a terminal, in the folder.
  func terminal(
    _ arguments: String, in subfolder: String = ".", environment: [String: String?] = [:],
    columns: Int = 80, rows: Int = 40
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      "/bin/sh",
      arguments: [
        "-c", "cd '\(folder.path)/\(subfolder)' && exec '\(Self.program.path)' \(arguments)",
      ],
      environment: environment, columns: columns, rows: rows)
  }
}
