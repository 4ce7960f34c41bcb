import Testing

/// `frc fmt` as a shell command.
struct FormatCommandTests {
  @Test("files are formatted in place, with their permissions")
  func inPlace() throws {
    let program = try FRCProgram(["a.frc": "print   1\n#>   1\n", "b.frc": "print 2\n"])
    try program.setPermissions(0o640, of: "a.frc")

    try program.expect("fmt", "a.frc", "b.frc")
    #expect(try program.read("a.frc") == "print 1\n#>   1\n")
    #expect(try program.read("b.frc") == "print 2\n")
    #expect(try program.permissions(of: "a.frc") == 0o640)
  }

  @Test("a link is followed only in its own folder, also if it leads to a file below the root")
  func links() throws {
    let program = try FRCProgram()
    for path in ["frc.toml", "real/r.frc", "suite/a.frc"] {
      try program.write(path.hasSuffix("frc") ? "print   1\n" : "", to: path)
    }
    let links = "cd suite && ln -s a.frc near.frc && ln -s ../real/r.frc far.frc"
    #expect(try program.shell(links).status == 0)

    try program.expect("fmt", "suite/near.frc")
    #expect(try program.read("suite/a.frc") == "print 1\n")
    for command in [["fmt"], ["test", "--update"]] {
      let refused = try program.run(command + ["suite/far.frc"])
      #expect(refused.status == 1)
      #expect((refused.output + refused.errors).contains("it is a link out of its folder, to '"))
      #expect(try program.read("real/r.frc") == "print   1\n")
    }
  }

  @Test("standard input goes to standard output")
  func standardInput() throws {
    try FRCProgram().expect("fmt", "-", input: "if true{print  1}", output: "if true { print 1 }\n")
  }

  @Test("--check names what is not formatted, fails and writes nothing")
  func check() throws {
    let program = try FRCProgram(["a.frc": "print   1\n", "b.frc": "print 2\n"])

    try program.expect("fmt", "--check", "a.frc", "b.frc", status: 1, output: "a.frc\n")
    #expect(try program.read("a.frc") == "print   1\n")
    #expect(try program.run("fmt", "--check", "b.frc").status == 0)
  }

  @Test("a script with errors is left as it is, with one message; others are formatted")
  func errors() throws {
    let program = try FRCProgram(["a.frc": "print   1\nprint  )\nprnt\n", "b.frc": "print   2\n"])

    try program.expect(
      "fmt", "a.frc", "b.frc", status: 1,
      errors: """
        a.frc:2:8: error: expected a value, found ')'
        print  )
               ^

        """)
    #expect(try program.read("a.frc") == "print   1\nprint  )\nprnt\n")
    #expect(try program.read("b.frc") == "print 2\n")
    #expect(
      try program.run("fmt", "c.frc").errors
        == "frc: error: cannot format 'c.frc': no such file\n")
  }

  @Test("a folder stands for its scripts, also with --check; what is right is not written")
  func folders() throws {
    let program = try FRCProgram()
    for number in 10..<40 { try program.write("print  \(number)\n", to: "t/\(number).frc") }
    try program.write("print 1\n", to: "t/right.frc")
    try program.write("print  1\n", to: "t/page.md")

    let check = try program.run("fmt", "--check", "t")
    #expect(check.status == 1)
    #expect(check.output == (10..<40).map { "t/\($0).frc\n" }.joined())
    try program.expect("fmt", "t")
    #expect(try program.read("t/17.frc") == "print 17\n")
    #expect(try program.read("t/page.md") == "print  1\n")
    #expect(try program.run("fmt", "--check", "t").status == 0)
  }

  @Test("standard input that is formatted comes out as it is, and passes a check")
  func formattedInput() throws {
    let program = try FRCProgram()

    #expect(try program.run("fmt", "-", input: "print 1\n").output == "print 1\n")
    #expect(try program.run("fmt", "--check", "-", input: "print 1\n").status == 0)
    #expect(try program.run("fmt", "--check", "-", input: "print  1\n").output == "stdin\n")
  }
}
