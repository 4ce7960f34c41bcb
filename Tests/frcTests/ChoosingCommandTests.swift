import Foundation
import PseudoTerminal
import Testing

@testable import frc

/// Which tests `frc test` runs, in which order, and how often.
@Suite("Choosing tests by what they are")
struct ChoosingCommandTests {
  /// A suite with an included model, tags and a golden file.
  private func suite() throws -> FRCProgram {
    let program = try FRCProgram()
    try program.write("entity A { x: Int = 0 }\n", to: "t/parts/model.frc")
    try program.write("include \"model.frc\"\n", to: "t/parts/more.frc")
    try program.write(
      "#@ tag slow\n#@ timeout 5s\ninclude \"parts/more.frc\"\n\ninsert A()\nprint 1\n#> 1\n",
      to: "t/a.frc")
    try program.write(
      "#@ tag cache, slow\n#@ matrix store=memory,sqlite\nprint 1\n#> 1\n", to: "t/b.frc")
    try program.write("#@ xfail known\nprint 1\n", to: "t/c.frc")
    try program.write("x\n", to: "t/c.golden")
    try program.write("fixtures = [\"parts\"]\n", to: "frc.toml")
    return program
  }

  @Test("--list names the tests, and --list=json says what is known of each")
  func list() throws {
    let program = try suite()

    #expect(try program.run("test", "--list", "t").output == "t/a.frc\nt/b.frc\nt/c.frc\n")
    #expect(
      try program.run("test", "t", "--list=json", "--filter", "a.frc", "--filter", "c.frc").output
        == """
        {"file":"t/a.frc","blocks":[{"line":3,"endLine":3,"expected":0},\
        {"line":5,"endLine":5,"expected":0},{"line":6,"endLine":6,"expected":1}],\
        "tags":["slow"],"stores":["memory"],"includes":["t/parts/model.frc","t/parts/more.frc"],\
        "timeout":5.000}
        {"file":"t/c.frc","blocks":[{"line":2,"endLine":2,"expected":0}],"tags":[],\
        "stores":["memory"],"includes":[],"golden":"t/c.golden","xfail":"known"}

        """)
    try program.write(
      "print 1\n#> 1\n#@ xfail a bug\nprint 2\n#> 3\n#@ skip late\nprint 3\n", to: "u/d.frc")
    #expect(
      try program.run("test", "u", "--list=json").output.hasPrefix(
        """
        {"file":"u/d.frc","blocks":[{"line":1,"endLine":1,"expected":1},\
        {"line":4,"endLine":4,"expected":1,"xfail":"a bug"},\
        {"line":7,"endLine":7,"expected":0,"skip":"late"}],"tags":[],
        """))
    _ = try program.run("test", "t")
    let again = try program.run("test", "t/b.frc", "--list=json").output
    #expect(
      again.contains(
        /"tags":\["cache","slow"\],"stores":\["memory","sqlite"\],"includes":\[\],"seconds":[-0-9.e]+\}/
      ), "\(again)")
    #expect(try program.run("test", "t", "--list=yaml").status == 2)
  }

  @Test("--tag takes expressions, and says where one is wrong")
  func tags() throws {
    let program = try suite()
    func listed(_ tags: String...) throws -> String {
      try program.run(["test", "t", "--list"] + tags.flatMap { ["--tag", $0] }).output
    }

    #expect(try listed("slow and not cache") == "t/a.frc\n")
    #expect(try listed("not slow") == "t/c.frc\n")
    #expect(try listed("cache", "slow and not cache") == "t/a.frc\nt/b.frc\n")
    try program.expect(
      "test", "t", "--tag", "slow and (", status: 2,
      errors: """
        --tag:1:11: error: expected a tag, found the end
        slow and (
                  ^

        """)
    #expect(
      try program.run("test", "t", "--tag", "slwo").errors
        == "frc: error: no test found: none of 3 scripts is chosen by --tag 'slwo'; for 'slwo', did "
        + "you mean 'slow'?\n")
  }

  @Test("a choice of nothing repeats what was asked, and lists the tags")
  func nothingChosen() throws {
    let program = try suite()
    func errors(_ options: String...) throws -> String {
      let result = try program.run(["test", "t"] + options)
      #expect(result.status == 2)
      return result.errors
    }

    #expect(
      try errors("--filter", "nosuch")
        == "frc: error: no test found: none of 3 scripts is chosen by --filter 'nosuch'\n")
    #expect(
      try errors("--tag", "fast", "--filter", "a.frc", "--skip-tag", "cache")
        == "frc: error: no test found: none of 3 scripts is chosen by --tag 'fast' --skip-tag "
        + "'cache' --filter 'a.frc'; the tags are cache, slow\n")
    #expect(
      try program.run("test", "t/c.frc", "--tag", "x").errors
        == "frc: error: no test found: the only script is not chosen by --tag 'x'; no script has a "
        + "tag\n")
    #expect(
      try program.run("test", "t/*.frc").errors
        == "frc: error: cannot test 't/*.frc': no such file; for a pattern, write --filter "
        + "'t/*.frc'\n")
    #expect(try program.run("test", "t", "--filter", "t/*.frc").status == 0)
  }

  @Test("--filter takes patterns, and leaves out what ! says")
  func filters() throws {
    let program = try suite()

    #expect(
      try program.run("test", "t", "--list", "--filter", "t/[ab].frc", "--filter", "!b.frc").output
        == "t/a.frc\n")
  }

  @Test("--changed goes by git, and by what scripts include")
  func changed() throws {
    let program = try suite()
    let git = "git -c user.name=a -c user.email=a@b -c init.defaultBranch=main"
    _ = try program.shell("\(git) init -q && git add -A && \(git) commit -qm 1")
    func listed(_ options: String = "--changed") throws -> String {
      let result = try program.shell("frc test t --list \(options)")
      return result.output + result.errors
    }

    #expect(try listed() == "")
    #expect(try program.run("test", "t", "--changed").output == "0 passed, 0 failed\n")
    try program.write("entity A { x: Int = 1 }\n", to: "t/parts/model.frc")
    #expect(try listed() == "t/a.frc\n")
    try program.write("y\n", to: "t/c.golden")
    try program.write("print 1\n#> 1\n", to: "t/new.frc")
    #expect(try listed() == "t/a.frc\nt/c.frc\nt/new.frc\n")

    _ = try program.shell("git checkout -qb branch && git add -A && \(git) commit -qm 2")
    #expect(try listed() == "")
    #expect(try listed("--changed main") == "t/a.frc\nt/c.frc\nt/new.frc\n")
    #expect(try listed("--changed=HEAD~1") == "t/a.frc\nt/c.frc\nt/new.frc\n")
    // Changes that others made on main meanwhile do not count here.
    _ = try program.shell(
      "git checkout -q main && echo '# b' >> t/b.frc && \(git) commit -qam 3 && git checkout -q branch"
    )
    #expect(try listed("--changed=main") == "t/a.frc\nt/c.frc\nt/new.frc\n")
    try FileManager.default.removeItem(
      at: program.folder.appendingPathComponent("t/parts/model.frc"))
    #expect(try listed() == "t/a.frc\n")
    try FileManager.default.removeItem(at: program.folder.appendingPathComponent("t/c.golden"))
    #expect(try listed() == "t/a.frc\nt/c.frc\n")

    let wrong = try program.run("test", "t", "--changed=nosuch")
    #expect(wrong.status == 2)
    #expect(wrong.errors.hasPrefix("frc: error: --changed: git says: fatal: "))
  }

  @Test("outside of a repository --changed is wrong")
  func noRepository() throws {
    let program = try suite()

    let result = try program.run(
      "test", "t", "--changed",
      environment: ["GIT_CEILING_DIRECTORIES": program.folder.deletingLastPathComponent().path])

    #expect(result.status == 2)
    #expect(result.errors.contains("not a git repository"))
  }

  @Test("a script outside of the repository is not left out silently by --changed")
  func otherFolder() throws {
    let program = try suite()
    try program.write("print 1\n#> 1\n", to: "other/e.frc")
    _ = try program.shell(
      "cd t && git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm 1")

    let result = try program.shell("cd t && frc test b.frc ../other --changed")

    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(
      result.errors.hasPrefix(
        "frc: error: --changed: '../other/e.frc' is not in the git repository '/"),
      "\(result.errors)")
  }

  @Test("a script that computes what it includes counts as changed whatever is")
  func computed() throws {
    let program = try suite()
    try program.write("let n = \"a\"\ntry include n\n#> error: \n", to: "t/d.frc")
    _ = try program.shell(
      "git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm 1")
    try program.write("# x\nprint 1\n#> 1\n", to: "t/b.frc")

    #expect(
      try program.run("test", "t", "--list", "--changed").output == "t/b.frc\nt/d.frc\n")
  }

  /// Reads a file, and gives it time to change before the script runs again.
  private static let flaky = """
    entity A { x: Int = 0 }
    import "rows.csv" into A; repeat 1000000 {}
    count A
    #> 2

    """

  /// Returns a file with the given number of rows for each time that it is read.
  private static func rows(_ counts: [Int], in folder: URL) throws -> ChangingFile {
    try ChangingFile(
      folder.appendingPathComponent("rows.csv"),
      saying: counts.map { "x\n" + String(repeating: "1\n", count: $0) })
  }

  @Test("--retries tells of a test that passed later that it is flaky, --repeat when one failed")
  func repeated() throws {
    let program = try FRCProgram(["a.frc": Self.flaky])
    func shell(_ counts: [Int], _ options: String) throws -> FRCProgram.Result {
      let rows = try Self.rows(counts, in: program.folder)
      return try withExtendedLifetime(rows) { try program.shell("frc test a.frc \(options)") }
    }

    let flaky = try shell([1, 1, 2], "--retries 2 --report json=r.json")
    #expect(flaky.status == 0)
    // The failure is reported once, although it was the same in both runs.
    #expect(
      flaky.output == """
        a.frc:3: output differs
          3 | count A
          - 2
          + 1

        a.frc: flaky: passed when it ran for the 3rd time
        1 passed, 0 failed, 1 flaky

        """)
    let failed = try shell([1, 1], "--retries 1")
    #expect(failed.status == 1)
    #expect(failed.output.hasSuffix("\n0 passed, 1 failed\n"))
    let repeated = try shell([2, 2, 1], "--repeat 5")
    #expect(repeated.status == 1)
    #expect(
      repeated.output.hasSuffix(
        "\na.frc: failed when it ran for the 3rd time\n\na.frc:3: failed: output differs\n"
          + "0 passed, 1 failed\n"))
    #expect(try shell([2, 2], "--repeat 2").output == "1 passed, 0 failed\n")
    let json = try shell([1, 2], "--retries 2 --json")
    #expect(json.output.hasPrefix("{\"event\":\"flaky\",\"file\":\"a.frc\",\"tries\":2}\n"))
  }

  @Test("every report says that a test is flaky, each in its way, and what it failed in before")
  func flakyReports() throws {
    let program = try FRCProgram(["t/a.frc": Self.flaky])
    let rows = try Self.rows([1, 2], in: program.folder.appendingPathComponent("t"))

    _ = try withExtendedLifetime(rows) {
      try program.shell(
        "frc test t --retries 1 --report junit=j.xml --report markdown=r.md --report tap=r.tap")
    }

    let junit = try program.read("j.xml")
    for schema in JUnitSchema.Schema.allCases {
      #expect(try JUnitSchema.faults(of: junit, by: schema) == [], "\(schema)")
    }
    #expect(junit.contains("<property name=\"flaky\" value=\"true\"/>"))
    #expect(junit.contains("<property name=\"tries\" value=\"2\"/>"))
    #expect(junit.contains("<system-out>t/a.frc:3: output differs&#10;"))
    #expect(
      try program.read("r.md").contains(
        "| `t/a.frc:3` | flaky | passed when it ran for the 2nd time; before: output differs |\n"))
    #expect(
      try program.read("r.tap").replacing(/seconds: [0-9.]+/, with: "seconds: 0") == """
        TAP version 14
        1..1
        ok 1 - t/a.frc
          ---
          seconds: 0
          flaky: true
          tries: 2
          message: |2
            t/a.frc:3: output differs
              3 | count A
              - 2
              + 1
            t/a.frc: flaky: passed when it ran for the 2nd time
          ...

        """)
  }

  @Test("--shuffle begins tests in an order of its seed, and tells of them in their own")
  func shuffled() throws {
    let program = try FRCProgram()
    for number in 0..<6 { try program.write("print 1\n#> 2\n", to: "t/\(number).frc") }
    func first(_ seed: Int) throws -> String? {
      let said = try program.run("test", "t", "--shuffle", "\(seed)", "-j", "1", "--json").output
      return said.firstMatch(of: /"file":"([^"]+)"/).map { String($0.1) }
    }

    let firsts = try (1...8).map(first)
    #expect(Set(firsts).count > 2)
    #expect(try (1...8).map(first) == firsts)
    #expect(
      try program.run("test", "t", "--shuffle", "7").output == program.run("test", "t").output)
  }

  @Test("options that do not go together are refused")
  func refused() throws {
    let program = try suite()
    func check(_ line: String, _ reason: String) throws {
      let result = try program.shell("frc test \(line)")
      #expect(result.status == 2)
      #expect(result.errors.contains(reason), "\(line): \(result.errors)")
    }

    try check("t --json --report github", "write --report json=FILE")
    try check("t --dry-run", "--dry-run: --update is needed")
    try check("t --update --repeat 2", "--update does not go with --repeat")
    try check("t --repeat 2 --retries 2", "--repeat does not go with --retries")
    try check("--accept t/a.frc", "--accept t/a.frc: FILE:LINE is needed")
    try check("--accept t/a.frc:1 t", "--accept names the blocks itself")
    try check("- --update", "standard input cannot be rewritten")
    try check("- --changed", "git does not know standard input")
    try check("t --timeout 5", "--timeout 5: a time is needed")
    try check("t --stores redis", "--stores redis: there are memory and sqlite")
  }

  @Test("standard input is a test, too, and no part of the record")
  func standardInput() throws {
    let program = try FRCProgram()

    let result = try program.run("test", "-", input: "print 1\n#> 2\n")

    #expect(result.status == 1)
    #expect(result.output.hasPrefix("stdin:1: output differs\n"))
    #expect(try !program.read(".frc/last.json").contains("stdin"))
    #expect(try program.run("test", "-", input: "print 1\n#> 1\n").status == 0)
  }

  @Test("timings that are not made yet leave the parts of equal size, with a warning")
  func missingTimes() throws {
    let program = try suite()

    let result = try program.run("test", "t", "--shard", "1/2", "--times", "t/times.json")

    #expect(result.status == 0)
    #expect(
      result.errors
        == "frc: warning: there is no 't/times.json' yet, so each part has as many scripts; "
        + "--report json=t/times.json writes it\n")
  }

  @Test("timings of other paths leave the parts of equal size, with a warning")
  func otherTimes() throws {
    let program = try suite()
    _ = try program.run("test", "t", "--report", "json=times.json")

    let path = program.folder.appendingPathComponent("t").path
    let result = try program.run("test", path, "--shard", "1/2", "--times", "times.json")

    #expect(result.status == 0)
    #expect(result.errors.hasPrefix("frc: warning: --times has the time of no script, so each "))
    #expect(result.errors.contains("it names 't/a.frc', and this run '"))
    #expect(
      try program.run("test", "./t", "--shard", "1/2", "--times", "times.json").errors.isEmpty)
  }

  @Test("a folder for temporary files that is missing is not made")
  func missingTemporaryFolder() throws {
    let program = try FRCProgram()
    try program.write(
      "entity A { x: Int = 0 }\nstore sqlite \"a.sqlite\"\ninsert A()\nsave\n", to: "a.frc")
    let folder = program.folder.appendingPathComponent("no/such").path

    let result = try program.run("test", "a.frc", environment: ["TMPDIR": folder])

    #expect(result.status == 1)
    #expect(result.output.contains("no temporary folder can be made in '\(folder)'"))
    #expect(!FileManager.default.fileExists(atPath: folder))

    // A copy of a store that is only read needs such a folder, too.
    #expect(try program.run("run", "a.frc").status == 0)
    try program.expect(
      ["schema", "a.sqlite"], environment: ["TMPDIR": folder], status: 1,
      errors: "frc: error: cannot use the store 'a.sqlite': no temporary folder can be made in "
        + "'\(folder)'; TMPDIR names it\n")
  }

  @Test("--dry-run says what an update would write, --update=new leaves what is expected alone")
  func updates() throws {
    let program = try FRCProgram()
    let text = "print 1\n#> 0\nprint 2\nprint 3\n#> 0\n"
    try program.write(text, to: "t/a.frc")
    try program.write("print 4\n", to: "t/b.frc")

    let dry = try program.run("test", "t", "--update", "--dry-run")
    #expect(dry.status == 1)
    #expect(dry.output.hasPrefix("would update t/a.frc\nt/a.frc:1: output differs\n"))
    #expect(
      dry.output.hasSuffix("4 blocks in 2 files: 2 changed, 2 new\n0 passed, 2 failed\n"))
    #expect(
      try program.run("test", "t", "-j", "1", "--update", "--dry-run", "--json").output.hasPrefix(
        "{\"event\":\"wouldUpdate\",\"file\":\"t/a.frc\"}\n"))
    #expect(try program.read("t/a.frc") == text)

    let new = try program.run("test", "t", "--update=new")
    #expect(new.status == 1)
    #expect(new.output.hasSuffix("2 blocks in 2 files: 2 new\n1 passed, 1 failed\n"))
    #expect(try program.read("t/a.frc") == "print 1\n#> 0\nprint 2\n#> 2\nprint 3\n#> 0\n")
    #expect(try program.read("t/b.frc") == "print 4\n#> 4\n")

    let one = try program.run("test", "--accept", "t/a.frc:5", "--accept", "t/b.frc:1")
    #expect(one.output == "updated t/a.frc\n1 block in 1 file: 1 changed\n2 passed, 0 failed\n")
    #expect(try program.read("t/a.frc") == "print 1\n#> 0\nprint 2\n#> 2\nprint 3\n#> 3\n")
  }

  @Test("--watch runs again what a saved file reaches, until Ctrl-C")
  func watch() throws {
    let program = try suite()
    let terminal = try program.terminal("test t --watch")

    try terminal.wait(
      forText: "2 passed, 0 failed, 1 failed as expected\nwatching 3 tests; Ctrl-C ends")
    try program.write("entity A { x: Int = 2 }\nprint 5\n", to: "t/parts/model.frc")
    try terminal.wait(forText: "t/parts/model.frc\nt/a.frc:3: output without an expectation")
    try terminal.wait(forText: "0 passed, 1 failed\nwatching 3 tests; Ctrl-C ends")
    try program.write("print 1\n#> 1\n", to: "t/new.frc")
    try terminal.wait(forText: "t/new.frc\n1 passed, 0 failed\nwatching 4 tests; Ctrl-C ends")
    #expect(try terminal.exit(afterTyping: Key.control("C")) == .code(130))
  }

  @Test("--watch and --changed see that a link leads to another file")
  func links() throws {
    let program = try FRCProgram()
    try program.write("let v = 1\n", to: "t/one.part")
    try program.write("let v = 2\n", to: "t/two.part")
    try program.write("include \"cur.part\"\nprint v\n#> 1\n", to: "t/a.frc")
    let git = "git -c user.name=a -c user.email=a@b"
    _ = try program.shell(
      "ln -s one.part t/cur.part && git init -q && git add -A && \(git) commit -qm 1")
    let terminal = try program.terminal("test t --watch")

    try terminal.wait(forText: "1 passed, 0 failed\nwatching 1 test; Ctrl-C ends")
    _ = try program.shell("ln -s two.part t/new && mv t/new t/cur.part")
    try terminal.wait(forText: "t/cur.part\nt/a.frc:2: output differs")
    try terminal.wait(forText: "0 passed, 1 failed\nwatching 1 test; Ctrl-C ends")
    try program.write("let v = 1\n", to: "t/two.part")
    try terminal.wait(forText: "1 passed, 0 failed\nwatching 1 test; Ctrl-C ends")
    #expect(try terminal.exit(afterTyping: Key.control("C")) == .code(130))
    #expect(try program.run("test", "t", "--list", "--changed").output == "t/a.frc\n")
  }

  @Test("--watch and --changed see that a link leads to another folder")
  func linkedFolders() throws {
    let program = try FRCProgram()
    try program.write("let v = 1\n", to: "t/one/v.part")
    try program.write("let v = 2\n", to: "t/two/v.part")
    try program.write("include \"cur/v.part\"\nprint v\n#> 1\n", to: "t/a.frc")
    try program.write("print 1\n#> 1\n", to: "t/b.frc")
    let git = "git -c user.name=a -c user.email=a@b"
    _ = try program.shell(
      "ln -s one t/cur && git init -q && git add -A && \(git) commit -qm 1")
    let terminal = try program.terminal("test t --watch")

    try terminal.wait(forText: "2 passed, 0 failed\nwatching 2 tests; Ctrl-C ends")
    _ = try program.shell("ln -sfn two t/cur")
    try terminal.wait(forText: "t/cur\nt/a.frc:2: output differs")
    try terminal.wait(forText: "0 passed, 1 failed\nwatching 2 tests; Ctrl-C ends")
    #expect(try program.run("test", "t", "--list", "--changed").output == "t/a.frc\n")
    try program.write("let v = 1\n", to: "t/two/v.part")
    try terminal.wait(
      forText: "t/two/v.part\n1 passed, 0 failed\nwatching 2 tests; Ctrl-C ends")
    try terminal.type(Key.control("C"))

    #expect(try terminal.waitForExit() == .code(130))
  }

  @Test("--watch reads frc.toml again, runs all tests then, and waits where it is wrong")
  func watchSettings() throws {
    let program = try FRCProgram()
    try program.write("print 1\n#> 1\n", to: "t/a.frc")
    try program.write("print 2\n#> 2\n", to: "u/b.frc")
    try program.write("paths = [\"t\"]\n", to: "frc.toml")
    let terminal = try program.terminal("test --watch")

    try terminal.wait(forText: "1 passed, 0 failed\nwatching 1 test; Ctrl-C ends")
    try program.write("paths = [\"t\", \"u\"]\n", to: "frc.toml")
    try terminal.wait(forText: "frc.toml\n2 passed, 0 failed\nwatching 2 tests; Ctrl-C ends")
    try program.write("pahts = []\n", to: "frc.toml")
    try terminal.wait(
      forText: "frc.toml\nfrc: error: frc.toml:1: unknown key 'pahts'; did you mean 'paths'?")
    try program.write("print 3\n#> 3\n", to: "u/c.frc")
    try program.write("print 4\n#> 4\n", to: "u/d.frc")
    try program.write("paths = [\"u\"]\n", to: "frc.toml")
    try terminal.wait(forText: "3 passed, 0 failed\nwatching 3 tests; Ctrl-C ends")
    #expect(try terminal.exit(afterTyping: Key.control("C")) == .code(130))
  }

  @Test("options with a value that may be left out are found, and paths are left alone")
  func values() {
    func separated(_ line: String) -> String {
      OptionalValues.separated(line.split(separator: " ").map(String.init)) { $0 == "t" }
        .joined(separator: " ")
    }

    #expect(separated("test --list t") == "test --list t")
    #expect(separated("test --list=json t") == "test --list-form=json t")
    #expect(separated("test --changed t") == "test --changed t")
    #expect(separated("test --changed main t") == "test --changed-since main t")
    #expect(separated("test --changed --list") == "test --changed --list")
    #expect(separated("test -- --list=json --changed main") == "test -- --list=json --changed main")
    #expect(separated("-e --update=new") == "-e --update=new")
  }
}
