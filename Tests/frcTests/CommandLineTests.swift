import Foundation
import Testing

/// `frc run`, `frc -e` and standard input as shell commands.
struct CommandLineTests {
  @Test("run prints what a script prints, and its status is 0")
  func run() throws {
    let program = try FRCProgram(["a.frc": "print 1\nprint 2\n"])

    try program.expect("run", "a.frc", output: "1\n2\n")
  }

  @Test("a closed standard input is an empty one", arguments: ["", "run -", "fmt -", "check -"])
  func closedInput(_ arguments: String) throws {
    try FRCProgram().expect(shell: "timeout -s KILL 30 frc \(arguments) <&-")
  }

  @Test("a closed standard output is an error, also if other streams are closed")
  func closedOutput() throws {
    let message = "frc: error: cannot write standard output: bad file descriptor\n"
    for (others, errors) in [("", message), ("<&-", message), ("<&- 2>&-", "")] {
      try FRCProgram().expect(shell: "frc -e 'print 1' >&- \(others)", status: 1, errors: errors)
    }
  }

  @Test("an error that no try takes ends the script with status 1, on standard error")
  func failure() throws {
    let program = try FRCProgram(["a.frc": "print 1\nprint 1 / 0\nprint 2\n"])

    try program.expect(
      "run", "a.frc", status: 1, output: "1\n",
      errors: """
        a.frc:2:7: error: division by zero
        print 1 / 0
              ^~~~~

        """)
  }

  @Test("each of several files runs in a session of its own, also after one that fails")
  func severalFiles() throws {
    let program = try FRCProgram()
    try program.write("let x = 1\nentity A { n: Int }\nprint nothing\n", to: "a.frc")
    try program.write("entity A { n: Int }\ntry print x\ninsert A(n: 1)\nprint A/1\n", to: "b.frc")

    let result = try program.run("run", "a.frc", "b.frc")

    #expect(result.status == 1)
    #expect(result.output == "error: unknown name 'x'\nA/1\n")
    #expect(result.errors.hasPrefix("a.frc:3:7: error: unknown name 'nothing'\n"))
  }

  @Test("a script that does not parse keeps all from running; every fault is told, status 2")
  func syntax() throws {
    let program = try FRCProgram(["a.frc": "print 1\n", "b.frc": "prnt 1\nprint (\n"])

    try program.expect(
      "run", "a.frc", "b.frc", status: 2,
      errors: """
        b.frc:1:1: error: unknown statement 'prnt'; did you mean 'print'?
        prnt 1
        ^~~~
        b.frc:2:8: error: expected a value, but the text ends here
        print (
               ^

        """)
  }

  @Test("a file that cannot be read is told of, with status 2, and nothing runs")
  func unreadable() throws {
    let program = try FRCProgram(["a.frc": "print 1\n"])

    try program.expect(
      "run", "a.frc", "b.frc", status: 2, errors: "frc: error: cannot read 'b.frc': no such file\n")
    #expect(
      try program.run("run", ".").errors == "frc: error: cannot read '.': it is a folder\n")
  }

  @Test("- is standard input; so is what no terminal gives without a command")
  func standardInput() throws {
    let program = try FRCProgram()

    let expected = FRCProgram.Result(status: 0, output: "3\n", errors: "")
    #expect(try program.run("run", "-", input: "print 1 + 2") == expected)
    #expect(try program.run(input: "print 1 + 2\n") == expected)
    #expect(try program.run(input: "").status == 0)
    let failed = try program.run(input: "\nprint x")
    #expect(failed.status == 1)
    #expect(failed.errors.hasPrefix("stdin:2:7: error: unknown name 'x'\n"))
  }

  @Test("-e runs statements")
  func statements() throws {
    let program = try FRCProgram()

    try program.expect("-e", "let x = 1; print x\nprint 2", output: "1\n2\n")
    #expect(try program.run("-e", "let x = 1", "-e", "print x").output == "1\n")
    #expect(
      try program.run("-e", "let x = 1", "-e", "print y").errors.hasPrefix("-e:2:7: error: "))
    let failed = try program.run("-e", "print x")
    #expect(failed.status == 1)
    #expect(failed.errors.hasPrefix("-e:1:7: error: unknown name 'x'\n"))
    #expect(try program.run("-e", "print").status == 2)
    #expect(try program.run("-e", "").status == 0)
  }

  @Test("a warning goes to standard error, once a place, and the run goes on")
  func warnings() throws {
    let program = try FRCProgram()
    let warning = """
      a.frc:2:35: warning: never true: 'n' is a number, but "x" is a string
      for i in 1...3 { count Book where n == "x" }
                                        ^~~~~~~~

      """
    try program.write(
      "entity Book { n: Int }\nfor i in 1...3 { count Book where n == \"x\" }\n", to: "a.frc")

    let text = try program.run("run", "a.frc")
    let json = try program.run("run", "--format", "json", "a.frc")
    let check = try program.run("check", "a.frc")
    let test = try program.run("test", "a.frc")

    #expect(text == .init(status: 0, output: "0\n0\n0\n", errors: warning))
    let line = #"{"event":"value","value":0}"# + "\n"
    #expect(json == .init(status: 0, output: line + line + line, errors: warning))
    #expect(check == .init(status: 0, output: "", errors: warning))
    #expect(!test.output.contains("never true"))
  }

  @Test("an include counts from the file that says it, else from the current folder")
  func include() throws {
    let program = try FRCProgram()
    try program.write("include 'b/c.frc'\nprint 'a'", to: "sub/a.frc")
    try program.write("include '../d.frc'\nprint 'c'", to: "sub/b/c.frc")
    try program.write("print 'd'", to: "sub/d.frc")
    try program.write("print 1 / 0", to: "sub/e.frc")

    #expect(try program.run("run", "sub/a.frc").output == "d\nc\na\n")
    #expect(try program.run("-e", "include 'sub/a.frc'").output == "d\nc\na\n")
    #expect(
      try program.run("-e", "include './sub/../sub/e.frc'").errors.hasPrefix("sub/e.frc:1:7: "))
  }

  @Test("an include counts from where the file that says it really is")
  func includeThroughLinks() throws {
    let program = try FRCProgram()
    try program.write("include '../b.frc'\ninclude 'c/../b.frc'", to: "real/deep/a.frc")
    try program.write("print 'real'", to: "real/b.frc")
    try program.write("print 'near'", to: "b.frc")
    try program.write("", to: "other/deep/x.frc")
    try program.write("print 'other'", to: "other/b.frc")
    for (link, target) in [
      ("d", "real/deep"), ("real/deep/c", "../../other/deep"), ("linked.frc", "real/deep/a.frc"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: program.folder.appendingPathComponent(link).path, withDestinationPath: target)
    }

    let allowed = ["--allow-read", "real", "--allow-read", "other"]
    #expect(try program.run(["run", "d/a.frc"] + allowed).output == "real\nother\n")
    #expect(try program.run(["run", "linked.frc"] + allowed).output == "real\nother\n")
    #expect(try program.run("-e", "include 'd/../b.frc'").output == "real\n")
  }

  @Test("control characters are printed as their codes, or with --raw as they are")
  func rawOutput() throws {
    let program = try FRCProgram()
    let statement = #"print "a\r\nb\u{1b}[31mc\u{9b}d\u{202e}\te""#

    #expect(
      try program.run("-e", statement).output
        == #"a\u{d}"# + "\n" + #"b\u{1b}[31mc\u{9b}d\u{202e}"# + "\te\n")
    #expect(
      try program.run("-e", statement, "--raw").output
        == "a\r\nb\u{1B}[31mc\u{9B}d\u{202E}\te\n")
  }

  @Test("files that include themselves or each other end with an error")
  func circles() throws {
    let program = try FRCProgram()
    try program.write("try include './a.frc'\ntry include '../\(program.name)/a.frc'", to: "a.frc")

    let result = try program.run("run", "a.frc")

    #expect(result.status == 0)
    #expect(result.output.hasPrefix("error: './a.frc' includes itself\n"))
  }

  @Test(
    "a mistake in the usage is status 2, with a message and nothing on standard output",
    arguments: [
      (["--nonsense"], "Unknown option '--nonsense'"), (["run"], "Missing expected argument"),
      (["run", "--format", "xml", "a.frc"], "The value 'xml' is invalid"),
      (["rnu", "a.frc"], "unknown command 'rnu'; did you mean 'run'?"),
      (["a.frc"], "unexpected argument 'a.frc'; a script is run by 'frc run a.frc'"),
      (["my books.frc"], "a script is run by 'frc run \"my books.frc\"'"),
      (["the table", "fell over"], "neither a command nor a crash text that frc knows"),
      (["-[Book title]: fell over"], "neither a command nor a crash text that frc knows"),
      (["serve", "--name", "https://a.example/"], "--name 'https://a.example/': only the name of"),
      (["serve", "--no-open", "--name", ""], "--name '': only the name of a host is needed"),
      (["learn", "one", "two"], "expected a folder, the number of a lesson, or both"),
      (["learn", "1", "2"], "expected a folder, the number of a lesson, or both"),
      (["learn", "--reset", "3"], "are for the whole course; leave out the lesson 3"),
      (["learn", "one", "2", "--list"], "are for the whole course; leave out the lesson 2"),
      (["learn", "3", "--report", "json"], "are for the whole course; leave out the lesson 3"),
      (["--format", "json", "run", "a.frc"], "write options after the command: frc run …"),
      (["-e"], "Missing value for '-e <statements>'"), (["test"], "no path: name scripts or"),
      (["check"], "Missing expected argument"),
      (["test", "--update=foo"], "The value 'foo' is invalid for '--update'"),
      (["test", "--list=foo"], "The value 'foo' is invalid for '--list'"),
      (["test", "--changed="], "--changed"), (["test", "--update-kin"], "'--update-kin'"),
      (["-e", "print 1", "--cache-dir", ""], "--cache-dir: a folder is needed"),
      (["-e", "print 1", "--store", ""], "--store: 'memory' or a file is needed"),
      (["-e", "print 1", "--color", "green"], "The value 'green' is invalid"),
    ])
  func usage(arguments: [String], message: String) throws {
    let result = try FRCProgram().run(arguments)

    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors.contains(message))
    for hidden in ["changed-since", "list-form", "update-kind"] {
      #expect(!result.errors.contains(hidden), "\(result.errors)")
    }
  }

  @Test(
    "a file whose name begins with - is not taken for an option",
    arguments: ["test", "check", "fmt --check", "lesson check", "run", "play -o p.html", "test -q"])
  func nameLikeOption(command: String) throws {
    let program = try FRCProgram(["b.frc": "print 1\n#> 2\n"])
    for name in ["-h.frc", "-dash.frc", "-v", "--help", "--filter=b.frc"] {
      try program.write("print 1\n", to: name)

      let words = "'\(name)' may be an option or a file; write './\(name)' for the file"

      try program.expect(shell: "frc \(command) *", status: 2, errors: "frc: error: \(words)\n")
      try FileManager.default.removeItem(at: program.folder.appendingPathComponent(name))
    }
    #expect(try program.shell("frc \(command) -h.frc").status == 2)
    #expect(try program.shell("frc test -- -h.frc").errors.contains("'-h.frc': no such file"))
    #expect(try program.shell("frc play b.frc -o=p.md; cat p.md").output.contains("<html"))
  }

  @Test("an error that a command finds while it runs has no usage")
  func errorsWhileRunning() throws {
    let program = try FRCProgram(["a.frc": "print 1\n"])
    for (arguments, message) in [
      (["learn", "999"], "there is no lesson 999; there are 60"),
      (
        ["play", "a.frc", "a.frc", "-o", "-"],
        "-o -: several pages are written; name a folder for them"
      ),
      (["play", "--svg", ".", "-o", "a.svg"], "--svg takes one script, not a folder"),
    ] {
      try program.expect(arguments, status: 2, errors: "frc: error: \(message)\n")
    }
    let pattern = try program.run("replay", "a.frc", "--pattern", "(")
    #expect(pattern.status == 2)
    #expect(pattern.errors.split(separator: "\n").count == 1, "\(pattern.errors)")
  }

  @Test("--locale sets the locale of localized sorts")
  func locale() throws {
    let program = try FRCProgram()
    let script = """
      entity W { t: String }
      for t in ["z", "ö"] { insert W(t: t) }
      for w in fetch W sort by t using localized { print w.t }
      """

    #expect(try program.run("-e", script).output == "ö\nz\n")
    #expect(try program.run("-e", script, "--locale", "sv").output == "z\nö\n")
  }

  @Test("colour goes to terminals, where it is asked for, and never where it is refused")
  func color() throws {
    let program = try FRCProgram(["a.frc": "print x"])

    #expect(!(try program.run("run", "a.frc").errors.contains("\u{1B}")))
    #expect(try program.run("run", "a.frc", "--color", "always").errors.contains("\u{1B}[1;31m"))
    #expect(!(try program.run("run", "a.frc", "--color", "never").errors.contains("\u{1B}")))
    #expect(
      try program.run("check", "--color", "always", "a.frc").errors.contains("\u{1B}[1;31m"))
    #expect(
      try program.run("-e", "print x", "--color", "always", environment: ["NO_COLOR": "1"])
        .errors.contains("\u{1B}"))
    #expect(try program.run("-e", "print 1", "--color", "always").output == "1\n")
  }

  @Test("--version and --help answer on standard output")
  func information() throws {
    let program = try FRCProgram()

    let version = try program.run("--version")
    #expect(version.status == 0)
    #expect(version.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    let help = try program.run("--help")
    #expect(help.status == 0)
    #expect(help.output.contains("frc run <file> ..."))
    for command in ["session", "run", "test", "check"] {
      let page = try program.run("help", command)
      #expect(page.status == 0)
      #expect(page.output.contains("--color"))
    }
    #expect(help.output.contains("frc swift --observer-probe"))
    #expect(help.output.contains("frc \"<crash text>\""))
  }

  @Test(
    "commands whose scripts write no file do not offer to allow it",
    arguments: ["check", "fuzz", "reduce", "lsp", "replay", "lesson handout"])
  func readingOptions(_ command: String) throws {
    let program = try FRCProgram(["a.frc": "print 1\n"])

    let help = try program.shell("frc \(command) --help").output
    #expect(help.contains("--allow-read <path>"))
    #expect(!help.contains("--allow-write"))
    #expect(try program.run("check", "--allow-write", "/tmp", "a.frc").status == 0)
  }

  @Test(
    "the help of an unknown command is an error",
    arguments: [
      (["help", "repl"], "unknown command 'repl'; did you mean 'replay'?"),
      (["repl", "--help"], "unknown command 'repl'; did you mean 'replay'?"),
      (["xyzzy", "-h"], "unknown command 'xyzzy'; 'frc --help' lists the commands"),
    ])
  func unknownHelp(_ arguments: [String], _ message: String) throws {
    try FRCProgram().expect(arguments, status: 2, errors: "frc: error: \(message)\n")
  }

  @Test(
    "a Markdown file is no script: frc says so, and reports no errors of its text",
    arguments: ["run", "check", "fmt", "fuzz", "reduce"])
  func markdownAsScript(_ command: String) throws {
    let program = try FRCProgram()
    try program.write("Some text:\n\n```frc\nprint 1\n```\n", to: "guide.md")

    let result = try program.run(command, "guide.md")

    #expect(result.status == (["check", "fmt"].contains(command) ? 1 : 2))
    #expect(result.output == "")
    #expect(
      result.errors == """
        frc: error: cannot \(command == "fmt" ? "format" : "read") 'guide.md': it is Markdown, not a script; frc test and frc play run \
        the scripts in it\n
        """)
  }

  @Test("a script may be named like Markdown")
  func scriptNamedAsMarkdown() throws {
    let program = try FRCProgram()
    try program.write("print 1\n", to: "script.md")

    #expect(try program.run("run", "script.md").output == "1\n")
    #expect(try program.run("fmt", "--check", "script.md").status == 0)
  }

  @Test("completions are generated for each shell", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let result = try FRCProgram().run("--generate-completion-script", shell)

    #expect(result.status == 0)
    #expect(result.errors == "")
    for word in ["run", "test", "check", "format"] { #expect(result.output.contains(word)) }
  }

  @Test(
    "serve refuses a token that is short or has other letters, and does not show it",
    arguments: ["Short-Token-0123456789", "abc", "0123456789abcde"])
  func servedToken(_ token: String) throws {
    let result = try FRCProgram().run(
      "serve", "--no-open", "--port", "0", environment: ["FRC_SERVE_TOKEN": token])

    #expect(result.status == 2)
    #expect(result.errors.contains("FRC_SERVE_TOKEN needs at least 16 small letters and digits"))
    #expect(!result.errors.contains(token))
  }

  #if os(Linux)
  @Test("serve does not give a class the course of frc if each lesson of the folder has an error")
  func servedLessons() throws {
    let program = try FRCProgram()
    try program.write("#@ lesson find\nentity", to: "course/one.frc")

    // A server that started would not end.
    let result = try program.shell("timeout 20 frc serve --no-open --port 0 --class course")

    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors.contains("course/one.frc:2:"))
    #expect(result.errors.hasSuffix("frc: error: each lesson in 'course' has an error\n"))
  }

  @Test("serve answers at the address that it prints, also if --host chose it")
  func servedAddress() throws {
    let program = try FRCProgram()

    let result = try program.shell(
      #"""
      frc serve --no-open --port 0 --host 127.0.0.2 > out.txt & server=$!
      for try in $(seq 400); do grep -q Ctrl-C out.txt && break; sleep 0.05; done
      bash -c '
        read -r _ _ address < out.txt; address=${address#http://}; host=${address%%/*}
        exec 3<>/dev/tcp/${host%:*}/${host#*:}
        printf "GET /%s HTTP/1.1\r\nHost: %s\r\n\r\n" "${address#*/}" "$host" >&3
        head -n 1 <&3'
      kill $server
      """#)

    #expect(result.output.hasPrefix("HTTP/1.1 200 "), "\(result)")
  }

  @Test(
    "serve gives students the name of a proxy only with --public: it refuses it otherwise",
    arguments: [("", "http://127.0.0.1:"), (" --public", "https://class.example.org/ ")])
  func studentsAddress(_ option: String, _ address: String) throws {
    let program = try FRCProgram()

    let result = try program.shell(
      #"""
      frc serve --class --no-open --port 0 --name class.example.org\#(option) > out.txt &
      server=$!
      for try in $(seq 400); do grep -q Ctrl-C out.txt && break; sleep 0.05; done
      kill $server
      grep Students out.txt
      """#)

    #expect(result.output.hasPrefix("Students open \(address)"), "\(result)")
  }
  #endif
}
