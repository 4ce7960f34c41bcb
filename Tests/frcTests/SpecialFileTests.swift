import Foundation
import Platform
import Testing

@testable import frc

/// Pipes, devices, links and folders instead of a regular file.
@Suite("Files that are no plain files")
struct SpecialFileTests {
  @Test(
    "a script may come from a pipe by its path",
    arguments: [
      ("run", "1\n", 0), ("check", "", 0), ("test", "1 passed, 0 failed\n", 0),
    ] as [(String, String, Int32)])
  func pipe(command: String, output: String, status: Int32) throws {
    let program = try FRCProgram()

    try program.expect(
      shell: "mkfifo p && { printf 'print 1\\n#> 1\\n' > p & frc \(command) p; }", status: status,
      output: output)
  }

  @Test("/dev/stdin is standard input")
  func standardInput() throws {
    let program = try FRCProgram()

    #expect(try program.shell("echo 'print 1' | frc run /dev/stdin").output == "1\n")
  }

  @Test("standard input that cannot be read is an error, as a file is")
  func folderAsInput() throws {
    let program = try FRCProgram()

    for (command, status) in [("run -", 2), ("check -", 1), ("fmt -", 1), ("", 2)]
      as [(String, Int32)]
    {
      let result = try program.shell("frc \(command) < .")
      #expect(result.status == status, "\(command)")
      #expect(result.errors.contains("'-': it is a folder"), "\(command): \(result.errors)")
    }
  }

  @Test(
    "a model is read from regular files only, and a pipe is not waited for",
    arguments: [
      ("ln -s /dev/zero m.xcdatamodel/contents", "it is not a regular file"),
      ("mkfifo m.xcdatamodel/contents", "it is not a regular file"),
      ("mkdir m.xcdatamodel/contents", "it is a folder"),
      ("truncate -s 65M m.xcdatamodel/contents", "it is larger than 64 MB"),
      ("touch m.xcdatamodel/elements", "it is a binary archive"),
      ("touch m.xcdatamodel/m.mom", "it is a binary archive"),
      (
        "mkdir m.xcdatamodel/v.xcdatamodel; mkfifo m.xcdatamodel/.xccurrentversion",
        "it is not a regular file"
      ),
    ])
  func models(command: String, reason: String) throws {
    let program = try FRCProgram()

    let result = try program.shell(
      "mkdir m.xcdatamodel; \(command); "
        + "timeout 20 frc --allow-read /dev/zero -e 'model \"m.xcdatamodel\"'")

    #expect(result.status != 0 && result.status != 124)
    #expect(
      result.errors.contains("cannot read the model 'm.xcdatamodel': \(reason)"), "\(result.errors)"
    )
  }

  @Test("a folder without a model is said to have none")
  func emptyModels() throws {
    let program = try FRCProgram()
    try program.write("", to: "m.xcdatamodeld/notes.txt")
    try program.write("", to: "v.xcdatamodeld/v.xcdatamodel/notes.txt")
    for (name, shown) in [
      ("m.xcdatamodeld", "m.xcdatamodeld"), ("v.xcdatamodeld", "v.xcdatamodeld"), ("", "."),
    ] {
      let words = "error: cannot read the model '\(shown)': there is no model in this folder\n"
      try program.expect("-e", "try model \"\(name)\"", output: words)
    }
  }

  @Test("a report may go to a pipe, which stays one, or behind what is printed")
  func reports() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 1\n"])

    let piped = try program.shell(
      "mkfifo p && { cat p & frc test a.frc --report markdown=p && wait && test -p p; }")
    let printed = try program.shell(
      "{ frc test a.frc --report markdown=/proc/self/fd/1; echo end; } > out; cat out")

    #expect(piped.status == 0)
    #expect(piped.output.contains("## frc test: 1 passed, 0 failed\n"), "\(piped.output)")
    #expect(
      printed
        == .init(
          status: 0, output: "1 passed, 0 failed\n## frc test: 1 passed, 0 failed\nend\n",
          errors: ""))
  }

  @Test("a report goes where a link leads, and a file keeps its permissions")
  func links() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 1\n", "real.md": "old\n"])
    try program.setPermissions(0o600, of: "real.md")

    let result = try program.shell(
      "ln -s real.md link.md && frc test a.frc --report markdown=link.md && test -h link.md")

    #expect(result.status == 0)
    #expect(try program.read("real.md") == "## frc test: 1 passed, 0 failed\n")
    #expect(try program.permissions(of: "real.md") == 0o600)
  }

  @Test(
    "a file that cannot be written is told of in the system's words",
    arguments: [("no/such/r.md", "there is no folder 'no/such'"), ("folder", "it is a folder")])
  func unwritable(path: String, reason: String) throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 1\n", "folder/x": ""])

    let result = try program.run("test", "a.frc", "--report", "markdown=\(path)")

    #expect(
      result
        == .init(
          status: 2, output: "1 passed, 0 failed\n",
          errors: "frc: error: cannot write the report '\(path)': \(reason)\n"))
    let summary = try program.run(
      "test", "a.frc", "--report", "github", environment: ["GITHUB_STEP_SUMMARY": path])
    #expect(summary == result)
  }

  @Test(
    "a folder that takes no new file, as Linux's /proc, is not called missing",
    arguments: [
      ("/r.md", "no file can be created in '/'; name another folder"),
      ("/usr/r.md", "no file can be created in '/usr'; name another folder"),
      ("/usr/no/r.md", "there is no folder '/usr/no'"),
    ])
  func closedFolder(path: String, reason: String) {
    // The system reports each new name in such a folder as missing.
    #expect(FileEnvironment.refusal(.missing, path).reason == reason)
  }

  @Test("a folder or a pipe that is called like a script is none in a folder")
  func namedLikeScripts() throws {
    let program = try FRCProgram(["t/old.frc/a.frc": "print 1\n#> 1\n"])

    try program.expect(
      shell: "mkfifo t/p.frc && frc test t",
      output: "t/p.frc: not read: it is not a regular file\n1 passed, 0 failed, 1 not read\n")
  }

  @Test("a name that is not UTF-8 stops no other script, wherever it is")
  func namesThatAreNoText() throws {
    let program = try FRCProgram(["t/a.frc": "print 1\n#> 1\n"])
    let names = [#"t/b\xff.frc"#, #"t/c\xfe.golden"#, #"t/d\x80e"#]

    let reason = "its name is not UTF-8; rename it"

    try program.expect(
      shell:
        #"printf 'print 1\n#> 1\n' > "$(printf 't/b\377.frc')"; : > "$(printf 't/c\376.golden')"; "#
        + #"mkdir "$(printf 't/d\200e')"; : > "$(printf 't/other\377.txt')"; frc test t"#,
      status: 2,
      output: names.map { "\($0): not read: \(reason)\n" }.joined()
        + "1 passed, 0 failed, 3 not read\n",
      errors: names.map { "frc: error: cannot test '\($0)': \(reason)\n" }.joined())
    let check = try program.shell("frc check t; frc fmt --check t; frc test t --list; echo $?")
    #expect(check.output == "t/a.frc\n2\n")
    #expect(check.errors.matches(of: /b\\xff\.frc': its name is not UTF-8/).count == 3)
    #expect(
      try program.shell("frc test t/a.frc \"$(printf 't/b\\377.frc')\"").errors.hasSuffix(
        "no such file\n"))
  }

  @Test("what a folder leaves out is listed and counted, for people and for tools")
  func leftOut() throws {
    let program = try FRCProgram()
    try program.write("print 1\n#> 1\n", to: "t/a.frc")
    try program.write("print 1\n#> 2\n", to: "other/b.frc")
    try program.write("print 1\n#> 2\n", to: "t/UPPER.FRC")
    let words = [
      "t/UPPER.FRC: not read: its name ends in '.FRC'; only '.frc' is a script",
      "t/link: not read: it is a link to a folder; name that folder, too",
      "t/missing: not read: it is a link that leads to no file",
    ]

    // The scripts of 'inner' are found without the link.
    let result = try program.shell(
      "mkdir t/in && ln -s in t/inner && ln -s ../other t/link && ln -s nowhere t/missing && "
        + "ln -s nowhere t/missing.txt && frc test t --report json=r.json --report junit=j.xml "
        + "--report tap=r.tap --report markdown=r.md")

    let sums = "1 passed, 0 failed, 3 not read\n"
    #expect(
      result
        == .init(status: 0, output: words.map { $0 + "\n" }.joined() + sums, errors: ""))
    let json = try program.read("r.json")
    #expect(json.matches(of: /\{"event":"notRead","file":"t\/link","reason":"/).count == 1)
    #expect(json.hasSuffix("\"notRead\":3}\n"))
    for schema in JUnitSchema.Schema.allCases {
      #expect(try JUnitSchema.faults(of: program.read("j.xml"), by: schema) == [])
    }
    #expect(try program.read("r.tap").contains("ok 3 - t/link # SKIP not read: it is a link"))
    #expect(try program.read("r.md").contains("| `t/link` | not read | it is a link"))
    #expect(try program.run("test", "t", "other").output.contains("2 not read\n"))
    #expect(
      try program.run("test", "t", "--fixtures", "link/", "--filter", "a.frc").output
        == "1 passed, 0 failed\n")
    #expect(try program.run("test", "t", "--warnings-as-errors").status == 2)
  }

  @Test("a check and a format say what they leave out, too", arguments: ["check", "fmt --check"])
  func leftOutByOthers(command: String) throws {
    let program = try FRCProgram(["t/a.frc": "print 1\n", "other/b.frc": "print 1 +\n"])

    try program.expect(
      shell: "ln -s ../other t/link; frc \(command) t",
      errors:
        "frc: warning: 't/link' is left out: it is a link to a folder; name that folder, too\n")
  }

  @Test("a folder in which nothing can be tested says why")
  func nothing() throws {
    let program = try FRCProgram()

    for verb in ["export", "play"] {
      let result = try program.shell("mkdir -p s && frc \(verb) s -o out")
      let message = "frc: error: cannot \(verb) 's': no *.frc file in this folder\n"
      #expect(result.status != 0 && result.errors.hasPrefix(message), "\(result)")
    }
    try program.expect(
      shell: "mkdir t && mkfifo t/p.frc && frc test t", status: 2,
      errors: """
        frc: error: cannot test 't': no *.frc file in this folder
        frc: warning: 't/p.frc' is left out: it is not a regular file

        """)
  }

  @Test("a link out of a project is not followed, also if it is named")
  func namedLink() throws {
    let program = try FRCProgram()
    try program.write("print 1\n#> 1\n", to: "out/x/a.frc")
    try program.write("", to: "app/frc.toml")
    try program.write("print 1\n#> 1\n", to: "app/t/in/b.frc")
    _ = try program.shell("mkdir app/.git; ln -s ../../out app/t/out; ln -s in app/t/link")
    let folder = program.folder.resolvingSymlinksInPath().path

    for line in [
      "cd app; frc test t/out", "cd app/t; frc test out", "cd app; frc test t/out/x",
      "frc test app/t/out", "frc test app/t/../t/out/",
    ] {
      let result = try program.shell(line)
      #expect(result.status == 2, "\(line)")
      #expect(
        result.errors.contains("' is outside of '\(folder)/app', below which scripts may read"),
        "\(line): \(result.errors)")
    }
    for line in [
      "cd app; frc test ../out", "cd app; frc test t/link", "cd app/t/out; frc test x",
      "cd app; frc test t/out --allow-read ../out",
    ] {
      #expect(try program.shell(line).output == "1 passed, 0 failed\n", "\(line)")
    }
  }

  @Test("a list names what a run would miss, and ends with the same status")
  func list() throws {
    let program = try FRCProgram(["t/a.frc": "print 1\n#> 1\n"])

    try program.expect(
      shell: "ln -s nowhere t/d.frc; frc test t --list", status: 2, output: "t/a.frc\n",
      errors: "frc: error: cannot test 't/d.frc': no such file\n")
    #expect(try program.run("test", "t", "--list=json").status == 2)
  }

  @Test("a link to a folder is that folder, by its own name")
  func linkToFolder() throws {
    let program = try FRCProgram(["t/a.frc": "print 1\n#> 2\n"])

    let result = try program.shell("ln -s t link && frc test link")

    #expect(result.output.hasPrefix("link/a.frc:1: output differs\n"), "\(result)")
    #expect(try program.run("test", "link/", "t").output.hasSuffix("0 passed, 1 failed\n"))
  }
}
