import Testing

/// `frc fmt` as a shell sees it.
struct FormatCommandTests {
  @Test("files are formatted in place, with their permissions")
  func inPlace() throws {
    let program = try FRCProgram()
    try program.write("print   1\n#>   1\n", to: "a.frc")
    try program.write("print 2\n", to: "b.frc")
    try program.setPermissions(0o640, of: "a.frc")

    let result = try program.run("fmt", "a.frc", "b.frc")

    #expect(result == .init(status: 0, output: "", errors: ""))
    #expect(try program.read("a.frc") == "print 1\n#>   1\n")
    #expect(try program.read("b.frc") == "print 2\n")
    #expect(try program.permissions(of: "a.frc") == 0o640)
  }

  @Test("standard input goes to standard output")
  func standardInput() throws {
    let result = try FRCProgram().run("fmt", "-", input: "if true{print  1}")

    #expect(result == .init(status: 0, output: "if true { print 1 }\n", errors: ""))
  }

  @Test("--check names what is not formatted, fails and writes nothing")
  func check() throws {
    let program = try FRCProgram()
    try program.write("print   1\n", to: "a.frc")
    try program.write("print 2\n", to: "b.frc")

    let result = try program.run("fmt", "--check", "a.frc", "b.frc")

    #expect(result == .init(status: 1, output: "a.frc\n", errors: ""))
    #expect(try program.read("a.frc") == "print   1\n")
    #expect(try program.run("fmt", "--check", "b.frc").status == 0)
  }

  @Test("a script with errors is left as it is, with one message; others are formatted")
  func errors() throws {
    let program = try FRCProgram()
    try program.write("print   1\nprint  )\nprnt\n", to: "a.frc")
    try program.write("print   2\n", to: "b.frc")

    let result = try program.run("fmt", "a.frc", "b.frc")

    #expect(
      result
        == .init(
          status: 1, output: "",
          errors: """
            a.frc:2:8: error: expected a value, found ')'
            print  )
                   ^

            """))
    #expect(try program.read("a.frc") == "print   1\nprint  )\nprnt\n")
    #expect(try program.read("b.frc") == "print 2\n")
    #expect(
      try program.run("fmt", "c.frc").errors
        == "frc: error: cannot format 'c.frc': no such file\n")
  }
}
