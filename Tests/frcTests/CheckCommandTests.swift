import Testing

/// `frc check` as a shell command.
struct CheckCommandTests {
  @Test("a mistake in a file that several scripts include is told once")
  func included() throws {
    let program = try FRCProgram(["t/model.txt": "prnt 1\n"])
    for number in 1...9 { try program.write("include 'model.txt'\n", to: "t/\(number).frc") }

    try program.expect(
      "check", "t", status: 1,
      errors: """
        t/model.txt:1:1: error: unknown statement 'prnt'; did you mean 'print'?
        prnt 1
        ^~~~

        """)
    let json = try program.run("check", "t", "--json").output
    #expect(json.split(separator: "\n").count == 9)
  }

  @Test("a script that is right says nothing")
  func right() throws {
    let program = try FRCProgram(["a.frc": "entity A { n: Int }\nprint 1 / 0\n"])

    try program.expect("check", "a.frc")
    #expect(try program.run("check", "-", input: "print 1").status == 0)
  }

  @Test("names that nothing has are told of, all of them, in every file")
  func names() throws {
    let program = try FRCProgram(["a.frc": "print x\nprint y\n", "b.frc": "fetch Book\n"])

    try program.expect(
      "check", "a.frc", "b.frc", status: 1,
      errors: """
        a.frc:1:7: error: unknown name 'x'
        print x
              ^
        a.frc:2:7: error: unknown name 'y'
        print y
              ^
        b.frc:1:7: error: unknown entity 'Book'; write 'entity NAME { title: String }' first
        fetch Book
              ^~~~

        """)
  }

  @Test("a line that asks something of a test is held to what there is to ask")
  func directives() throws {
    let program = try FRCProgram(["a.frc": "#@ skpi later\nprint 1\n"])

    let result = try program.run("check", "a.frc")

    #expect(result.status == 1)
    #expect(result.errors.contains("a.frc:1:1: error: unknown directive 'skpi'"), "\(result)")
    #expect(result.errors.contains("did you mean 'skip'?"))
  }

  @Test("in a script that does not parse only that is told")
  func syntax() throws {
    let program = try FRCProgram(["a.frc": "entity Book { title: }\nfetch Book\n"])

    let result = try program.run("check", "a.frc")

    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("a.frc:1:22: error: expected a type, found '}'\n"))
    #expect(!result.errors.contains("unknown entity"))
  }

  @Test("a warning is told and is no failure, in an included file either")
  func warning() throws {
    let program = try FRCProgram()
    try program.write("include 'b.frc'\nprint 'a\\q'\n", to: "a.frc")
    try program.write("print 'b\\q'\n", to: "b.frc")

    let result = try program.run("check", "a.frc")

    #expect(result.status == 0)
    #expect(result.errors.contains("a.frc:2:9: warning: "))
    #expect(result.errors.contains("b.frc:1:9: warning: "))
  }

  @Test("a file that cannot be read is told of")
  func unreadable() throws {
    let result = try FRCProgram().run("check", "a.frc")

    #expect(result.status == 1)
    #expect(result.errors == "frc: error: cannot read 'a.frc': no such file\n")
  }

  @Test("a folder stands for its scripts, and findings come in the order of their paths")
  func folders() throws {
    let program = try FRCProgram()
    for number in 10..<60 { try program.write("print nope\(number)\n", to: "t/\(number).frc") }
    try program.write("print 1\n", to: "t/fine.frc")
    try program.write("", to: "empty/x")

    let result = try program.run("check", "t", "t/fine.frc")
    #expect(result.status == 1)
    let places: [String] = result.errors.split(separator: "\n")
      .filter { $0.contains(": error: ") }.map { String($0.prefix(8)) }
    let scripts: [String] = (10..<60).map { "t/\($0).frc" }
    #expect(places == scripts)
    #expect(try program.run("check", "t/fine.frc").status == 0)
    try program.expect(
      "check", "t/fine.frc", "empty", status: 1,
      errors: "frc: error: cannot read 'empty': no *.frc file in this folder\n")
  }
}
