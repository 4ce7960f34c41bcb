import Testing

/// `frc test` as a shell command.
struct TestCommandTests {
  @Test("tests that pass are counted, and the status is 0")
  func pass() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 1\n", "b.frc": "expect 1 < 2\n"])

    try program.expect("test", "a.frc", "b.frc", output: "2 passed, 0 failed\n")
  }

  @Test("a prediction in other words passes, also in a process of its own")
  func prediction() throws {
    let program = try FRCProgram()
    try program.write(
      """
      entity Book { title: String }
      controller books = Book sort by title
      fetch books
      insert Book(title: "Dune")
      #? Book/1 is inserted at [0, 0]

      """, to: "a.frc")
    for options in [[], ["--no-isolate"]] {
      try program.expect(["test"] + options + ["a.frc"], output: "1 passed, 0 failed\n")
    }
  }

  @Test("a failure shows its place, its statement and what differs, with status 1")
  func fail() throws {
    let program = try FRCProgram()
    try program.write("let x = 1\nif true {\n  print x\n  print 2\n}\n#> 0\n#> 2\n", to: "a.frc")
    try program.write("print 1\n#> 1\n#> 2\n\n#> 3\n", to: "b.frc")

    try program.expect(
      "test", "a.frc", "b.frc", status: 1,
      output: """
        a.frc:2: output differs
          2 | if true {
          3 |   print x
          4 |   print 2
          5 | }
          - 0
          + 1
            2
        b.frc:1: output differs
          1 | print 1
            1
          - 2
        b.frc:5: this '#>' line must directly follow a statement; remove the empty line or \
        comment above it
          - 3

        a.frc:2: failed: output differs
        b.frc:1: failed: output differs, and 1 more
        0 passed, 2 failed

        """)
    #expect(try program.read("a.frc").contains("#> 0"))
  }

  @Test("a folder stands for its scripts, those of its folders too, in order")
  func folder() throws {
    let program = try FRCProgram()
    try program.write("print 1\n", to: "t/b.frc")
    try program.write("print 1\n", to: "t/a/z.frc")
    try program.write("print 1\n", to: "t/a.frc")
    try program.write("print 1\n", to: "t/.hidden/c.frc")
    try program.write("not a script\n", to: "t/a/read.me")

    let result = try program.run("test", "t")

    #expect(result.status == 1)
    #expect(
      result.output.split(separator: "\n").filter { $0.contains(".frc:") } == [
        "t/a.frc:1: output without an expectation",
        "t/a.frc:1: failed: output without an expectation",
        "t/a/z.frc:1: failed: output without an expectation, as in t/a.frc:1",
        "t/b.frc:1: failed: output without an expectation, as in t/a.frc:1",
      ])
    #expect(try program.run("test", "t/").output == result.output)
  }

  @Test("FILE:LINE runs up to one statement and compares only that")
  func line() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 0\nprint 2\n#> 2\nprint 3\n#> 0\n\n"])

    #expect(try program.run("test", "a.frc:3").status == 0)
    #expect(try program.run("test", "a.frc:4").status == 0)
    #expect(try program.run("test", "a.frc:1").output.hasPrefix("a.frc:1: output differs\n"))
    #expect(try program.run("test", "a.frc:5").status == 1)
    try program.expect(
      "test", "a.frc:7", status: 2,
      errors: "frc: error: cannot test 'a.frc:7': no top-level statement on line 7\n")
  }

  @Test(
    "where there is nothing to test the status is 2",
    arguments: [
      ("nothing.frc", "no such file"), ("empty", "no *.frc file in this folder"),
      ("nothing.frc:3", "no such file"), ("empty:3", "it is a folder"),
    ])
  func nothing(path: String, reason: String) throws {
    let program = try FRCProgram(["empty/read.me": "", "a.frc": "print 1\n#> 1\n"])

    try program.expect(
      "test", "a.frc", path, status: 2, errors: "frc: error: cannot test '\(path)': \(reason)\n")
  }

  @Test("an error in parsing is a failure, as an uncaught one is")
  func errors() throws {
    let program = try FRCProgram(["a.frc": "prnt 1\n", "b.frc": "print 1 / 0\nprint 2\n#> 2\n"])

    try program.expect(
      "test", "a.frc", "b.frc", status: 1,
      output: """
        a.frc:1:1: error: unknown statement 'prnt'; did you mean 'print'?
        prnt 1
        ^~~~
        b.frc:1:7: error: division by zero
        print 1 / 0
              ^~~~~
        b.frc:2: 1 block not reached

        a.frc:1: failed: unknown statement 'prnt'; did you mean 'print'?
        b.frc:1: failed: uncaught error: division by zero, and 1 more
        0 passed, 2 failed

        """)
  }

  @Test("a golden file beside the script has the whole output")
  func goldenFile() throws {
    let program = try FRCProgram()
    try program.write("print 1\nprint \"\"\nprint 3\n", to: "a.frc")
    try program.write("1\n\n2\n", to: "a.golden")

    let result = try program.run("test", "a.frc")
    #expect(result.status == 1)
    #expect(
      result.output == """
        a.golden:3: output differs
            printed by a.frc:3
          3 | print 3
            1
            \("")
          - 2
          + 3

        a.golden:3: failed: output differs
        0 passed, 1 failed

        """)

    try program.expect(
      "test", "--update", "a.frc",
      output: "updated a.golden\n1 block in 1 file: 1 changed\n1 passed, 0 failed\n")
    #expect(try program.read("a.golden") == "1\n\n3\n")
    #expect(try program.read("a.frc") == "print 1\nprint \"\"\nprint 3\n")
  }

  @Test(
    "a golden file that was deleted is missing, and its output is not new",
    arguments: [false, true])
  func deletedGolden(updates: Bool) throws {
    let program = try FRCProgram()
    let script = "print 1\nprint 2\n"
    try program.write(script, to: "t/a.frc")
    try program.write("1\n2\n", to: "t/a.golden")
    try program.write(script, to: "t/new.frc")

    let words =
      "the golden file 't/a.golden' is missing, but git has it; restore it, or remove it with "
      + "'git rm'"

    try program.expect(
      shell: "git init -q && git add -A && rm t/a.golden && frc test t/a.frc "
        + (updates ? "--update" : ""), status: 1,
      output: "t/a.frc:1: \(words)\n\nt/a.frc:1: failed: \(words)\n0 passed, 1 failed\n")
    #expect(try program.read("t/a.frc") == script)
    #expect(
      try program.run("test", "t/new.frc", "--json").output.contains("\"kind\":\"output\""))
    #expect(
      try program.run("test", "t/a.frc", "--json").output.contains("\"kind\":\"missingGolden\""))
    // Without the file in the index, the output is to be in the script.
    _ = try program.shell("git rm -q --cached t/a.golden")
    #expect(try program.run("test", "t/a.frc", "--update").output.hasSuffix("1 passed, 0 failed\n"))
  }

  @Test("-q prints only the ending, -v everything, and neither goes with --json")
  func amounts() throws {
    let program = try FRCProgram()
    for number in 0..<60 {
      try program.write("for i in 1...9 { print i }\n#> 0\n", to: "t/\(10 + number).frc")
    }
    try program.write("#@ skip later\nprint 1\n", to: "t/skip.frc")

    let normal = try program.run("test", "t")
    let quiet = try program.run("test", "t", "-q")
    let verbose = try program.run("test", "t", "--verbose")

    #expect([normal.status, quiet.status, verbose.status] == [1, 1, 1])
    #expect(
      quiet.output == """
        t/skip.frc:1: skipped: later
        t/10.frc:1: failed: output differs
        t/11.frc:1: failed: output differs
        t/12.frc:1: failed: output differs
          (57 more scripts failed in the same way)
        -v lists every failed script, and --failed runs them again
        0 passed, 60 failed, 1 skipped

        """)
    #expect(normal.output.hasSuffix("\n0 passed, 60 failed, 1 skipped\n"))
    #expect(normal.output.split(separator: "\n").count < 30)
    #expect(normal.output.contains("\n59 more failures are the same as one above\n"))
    #expect(verbose.output.matches(of: /\.frc:1: output differs\n/).count == 60)
    #expect(verbose.output.matches(of: /\.frc:1: failed: output differs\n/).count == 60)
    for options in [["-q", "-v"], ["-q", "--json"], ["-v", "--json"]] {
      #expect(try program.run(["test", "t"] + options).errors.contains(" does not go with "))
    }
    try program.write("print 1\n", to: "u/a.frc")
    #expect(
      try program.run("test", "u", "--update", "-q").output
        == "1 block in 1 file: 1 new\n1 passed, 0 failed\n")
  }

  @Test("--update rewrites the expected output, and says so")
  func update() throws {
    let program = try FRCProgram()
    try program.write("# a\r\nprint 1\r\n#> 0\r\n\r\nlet x = 1\r\n#> 3\r\nprint x", to: "a.frc")
    try program.write("print 2\n#> 2\n", to: "b.frc")

    try program.expect(
      "test", "--update", ".",
      output: "updated ./a.frc\n3 blocks in 1 file: 2 changed, 1 new\n2 passed, 0 failed\n")
    #expect(
      try program.read("a.frc")
        == "# a\r\nprint 1\r\n#> 1\r\n\r\nlet x = 1\r\nprint x\r\n#> 1\r\n")
    #expect(try program.run("test", "--update", ".").output == "2 passed, 0 failed\n")
  }

  @Test("--update fails where output is an uncaught error, and leaves that alone")
  func updateWithAnError() throws {
    let program = try FRCProgram()
    try program.write("print 1\nprint 1 / 0\n#> 0\nprint 2\n", to: "a.frc")
    try program.write("print 1 / 0\n", to: "b.frc")
    try program.write("print 1 / 0\n", to: "c.frc")
    try program.write("golden\n", to: "c.golden")

    let result = try program.run("test", "--update", "a.frc", "b.frc", "c.frc")

    #expect(result.status == 1)
    #expect(result.output.hasSuffix("1 block in 1 file: 1 new\n0 passed, 3 failed\n"))
    #expect(try program.read("a.frc") == "print 1\n#> 1\nprint 1 / 0\n#> 0\nprint 2\n")
    #expect(try program.read("b.frc") == "print 1 / 0\n")
    #expect(try program.read("c.golden") == "golden\n")
  }

  @Test("a script that includes itself is known, however its path is written")
  func includesItself() throws {
    let program = try FRCProgram()
    try program.write(
      "try include 'a.frc'\n#> error: 'a.frc' includes itself\n", to: "t/a.frc")
    try program.write("include '../t/b.frc'\n", to: "t/c.frc")
    try program.write(
      "try include 'c.frc'\n#> error: '../t/b.frc' includes itself\n", to: "t/b.frc")

    for path in ["t/a.frc", "./t/a.frc", "t/../t/a.frc", "t//a.frc", "t/b.frc", "./t/b.frc"] {
      #expect(try program.run("test", path).output == "1 passed, 0 failed\n", "\(path)")
    }
  }

  @Test("with FILE:LINE an update accepts those blocks alone, also several of one file")
  func updateOfLines() throws {
    let program = try FRCProgram(["a.frc": "print 1\nprint 2\n#> 0\nprint 3\nprint 4\n"])

    try program.expect(
      "test", "--update", "a.frc:1", "./a.frc:3", "a.frc:5",
      output: "updated a.frc\n3 blocks in 1 file: 1 changed, 2 new\n1 passed, 0 failed\n")
    #expect(
      try program.read("a.frc") == "print 1\n#> 1\nprint 2\n#> 2\nprint 3\nprint 4\n#> 4\n")
  }

  @Test("a script that several paths name is one test, whole where one names it whole")
  func once() throws {
    let program = try FRCProgram(["t/a.frc": "print 1\n#> 1\nprint 2\n#> 0\n"])

    #expect(try program.run("test", "t/a.frc:1", "./t/a.frc:2").output == "1 passed, 0 failed\n")
    #expect(
      try program.run("test", "t/a.frc:1", "t", "t/../t/a.frc").output.hasSuffix(
        "0 passed, 1 failed\n"))
  }

  @Test("tags choose scripts, and choosing none is a failure")
  func tags() throws {
    let program = try FRCProgram()
    try program.write("#@ tag slow\nprint 1\n#> 1\n", to: "a.frc")
    try program.write("#@ tag slow, cache\nprint 1\n#> 1\n", to: "b.frc")
    try program.write("print 1\n#> 1\n", to: "c.frc")

    #expect(try program.run("test", "--tag", "slow", ".").output == "2 passed, 0 failed\n")
    #expect(
      try program.run("test", "--tag", "slow", "--skip-tag", "cache", ".").output
        == "1 passed, 0 failed\n")
    #expect(try program.run("test", "--skip-tag", "slow", ".").output == "1 passed, 0 failed\n")
    try program.expect(
      "test", "--tag", "fast", ".", status: 2,
      errors:
        "frc: error: no test found: none of 3 scripts is chosen by --tag 'fast'; the tags are "
        + "cache, slow\n")
  }

  @Test("a golden file is no test by itself, and none of its lines is")
  func goldenPaths() throws {
    let program = try FRCProgram(["a.frc": "print 1\n", "a.golden": "1\n"])

    #expect(
      try program.run("test", "a.golden").errors
        == "frc: error: cannot test 'a.golden': it holds expected output; name its script\n"
    )
    try program.expect(
      "test", "--update", "a.frc:1", status: 2,
      errors: "frc: error: cannot test 'a.frc:1': its output is in 'a.golden' as a whole, not "
        + "under its statements\n")
  }

  @Test("however many scripts run at a time, the report is the same")
  func jobs() throws {
    let program = try FRCProgram()
    for number in 0..<60 {
      try program.write(
        "repeat \(number % 5 * 100) { let x = 1 }\nprint \(number)\n#> \(number / 7 * 7)\n",
        to: "t/\(number).frc")
    }

    let alone = try program.run("test", "--jobs", "1", "t")

    #expect(alone.output.hasSuffix("9 passed, 51 failed\n"))
    for jobs in ["2", "9"] { #expect(try program.run("test", "--jobs", jobs, "t") == alone) }
    #expect(try program.run("test", "--jobs", "0", "t").status == 2)
  }

  @Test("a script may nest as deep in a test as elsewhere")
  func nesting() throws {
    let program = try FRCProgram()
    let depth = 190
    let open = String(repeating: "if true { ", count: depth)
    try program.write(
      open + "print 1" + String(repeating: " }", count: depth) + "\n#> 1\n", to: "a.frc")

    #expect(try program.run("test", "a.frc").output == "1 passed, 0 failed\n")
  }

  @Test("an update keeps a script's permissions")
  func permissions() throws {
    let program = try FRCProgram(["a.frc": "print 1\n"])
    try program.setPermissions(0o755, of: "a.frc")

    _ = try program.run("test", "--update", "a.frc")

    #expect(try program.permissions(of: "a.frc") == 0o755)
  }
}
