import Foundation
import Testing

/// `frc fuzz` and `frc reduce` as shell commands.
struct FuzzCommandTests {
  @Test("turns that break no law are told in one comment")
  func lawful() throws {
    try FRCProgram().expect(
      "fuzz", "--turns", "50", "--seed", "1",
      output: "# 50 turns in 2 worlds by seed 1: every law holds\n")
  }

  @Test("what fails is printed as a script, with its seed, which reduce makes short")
  func failing() throws {
    let program = try FRCProgram()
    try program.write(
      """
      entity A { n: Int = 0 }
      controller a = A sort by n
      delegate a { didChangeContent { if count(A) > 2 { print 1 / 0 } } }

      """, to: "a.frc")

    let result = try program.run("fuzz", "--turns", "500", "--seed", "5", "a.frc")

    #expect(result.status == 1)
    #expect(result.output.contains(", seed 5: error\nentity A { n: Int = 0 }\n"))
    #expect(result.errors.contains(" by seed 5, error: a.frc:3:"))
    try program.write(result.output, to: "fuzz.frc")
    let reduced = try program.run("reduce", "fuzz.frc")
    #expect(reduced.status == 0)
    #expect(reduced.errors.hasPrefix("frc: "))
    #expect(reduced.output.split(separator: "\n").count < 12, "\(reduced.output)")
    #expect(try program.read("fuzz.frc") == result.output)
    #expect(try program.run("reduce", "-", input: reduced.output).output == reduced.output)
  }

  @Test("where a fault stops the program, what it ran last is still printed")
  func stopped() throws {
    let program = try FRCProgram()
    var text = ""
    // On a busy machine it may take a while until there is any output.
    for seconds in [1, 4, 16] as [UInt32] where text.isEmpty {
      #expect(try stop(program, after: seconds) == .uncaughtSignal)
      text = try program.read("fuzz.frc")
    }

    #expect(text.hasPrefix("# seed 4: the program was stopped\nentity Team {"))
    try program.expect("check", "fuzz.frc")
  }

  /// Starts an endless run, and stops it like a trap.
  private func stop(
    _ program: FRCProgram, after seconds: UInt32
  ) throws -> Process.TerminationReason {
    try program.write("", to: "fuzz.frc")
    let process = Process()
    process.executableURL = FRCProgram.program
    process.arguments = ["fuzz", "--turns", "100000000", "--seed", "4"]
    // A process that is stopped in this way cannot remove its files.
    process.environment = ["TMPDIR": program.folder.path]
    process.standardOutput = try FileHandle(
      forWritingTo: program.folder.appendingPathComponent("fuzz.frc"))
    try process.run()
    sleep(seconds)
    kill(process.processIdentifier, SIGILL)
    process.waitUntilExit()
    return process.terminationReason
  }

  @Test("a signal ends a run, which says what it made by which seed, and leaves nothing behind")
  func interrupted() throws {
    let program = try FRCProgram(["tmp/x": ""])

    // The parent process may block signals. The store in a file exists from the first world on.
    let result = try program.shell(
      """
      env --default-signal=TERM frc fuzz --turns 100000000 --seed 4 > out & fuzz=$!
      until ls tmp/*/*.sqlite || ! kill -0 $fuzz; do sleep 0.05; done
      kill -TERM $fuzz
      wait $fuzz
      """, environment: ["TMPDIR": program.folder.appendingPathComponent("tmp").path])

    #expect(result.status == 143)
    #expect(
      try program.read("out").wholeMatch(
        of: /# \d+ turns in \d+ worlds? by seed 4, then interrupted: every law held\n/) != nil)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: program.folder.appendingPathComponent("tmp").path) == ["x"])
  }

  @Test("reduce compares with the golden file beside a script, and keeps the very failure")
  func golden() throws {
    let program = try FRCProgram()
    try program.write(
      "let a = 1\nprint a\nrepeat 3 { let b = 2 }\nfor i in 1...3 { print i }\nprint \"end\"\n",
      to: "a.frc")
    try program.write("1\n1\n2\n4\nend\n", to: "a.golden")

    let result = try program.run("reduce", "a.frc")

    #expect(result.status == 0)
    #expect(result.output == "for i in 1...3 { print i }\n#> 1\n#> 2\n#> 4\n")
    #expect(result.errors.hasPrefix("frc: 2 statements, expected output: "))
    try program.write("1\n1\n2\n3\n…\nend\n", to: "a.golden")
    #expect(
      try program.run("reduce", "a.frc").errors.hasSuffix(
        "'a.frc' passes; there is nothing to reduce\n"))
    try program.write("let a = 1\nprint 2\nprint 4\n", to: "a.frc")
    for (golden, shortest) in [("2\n", "print 4\n"), ("", "print 2\n"), ("4\n", "print 2\n")] {
      try program.write(golden, to: "a.golden")
      let lacking = try program.run("reduce", "a.frc")
      #expect(lacking.status == 0)
      #expect(lacking.output == shortest)
      #expect(
        lacking.errors
          == "frc: 1 statement, expected output: line 1 prints text that is not expected\n")
    }
    try program.write("print 1\n#> 2\n", to: "b.frc")
    #expect(try program.run("reduce", "b.frc").errors.hasPrefix("frc: 1 statement, "))
  }

  @Test("reduce runs no script that is skipped, and shortens one that is expected to fail")
  func directives() throws {
    let program = try FRCProgram()
    try program.write("#@ skip too slow\nprint 1\n#> 2\n", to: "skip.frc")
    try program.write("#@ xfail known\nprint 3\nprint 1\n#> 2\n", to: "xfail.frc")
    try program.write("#@ skp slow\nprint 1\n#> 2\n", to: "word.frc")

    try program.expect(
      "reduce", "skip.frc", status: 1,
      errors: "frc: error: 'skip.frc' is skipped: too slow; remove '#@ skip' to reduce it\n")
    #expect(try program.run("reduce", "xfail.frc").output == "print 1\n#> 2\n")
    let word = try program.run("reduce", "word.frc")
    #expect(word.status == 2)
    #expect(word.output.isEmpty)
    #expect(word.errors.hasPrefix("word.frc:1:1: error: unknown directive 'skp'"))
  }

  @Test("what cannot be fuzzed or reduced is told of")
  func misuse() throws {
    let program = try FRCProgram(["a.frc": "prnt 1\n", "b.frc": "print 1\n#> 1\n"])

    #expect(try program.run("fuzz", "a.frc").status == 2)
    #expect(try program.run("fuzz", "--turns", "0").status == 2)
    let missing = try program.run("fuzz", "c.frc")
    #expect(missing.errors == "frc: error: cannot read 'c.frc': no such file\n")
    try program.expect(
      "reduce", "b.frc", status: 1,
      errors: "frc: error: 'b.frc' passes; there is nothing to reduce\n")
  }
}
