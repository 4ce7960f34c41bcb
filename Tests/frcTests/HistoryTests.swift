import Foundation
import Testing

/// The file `.frc/last.json`, and `--failed`, which uses it.
@Suite("What earlier runs said")
struct HistoryTests {
  private static let endless = "repeat 1000000000 { let x = 1 }\n"

  /// Three scripts, of which two fail.
  private func suite() throws -> FRCProgram {
    let program = try FRCProgram()
    try program.write("print 1\n#> 1\n", to: "t/a.frc")
    try program.write("print 1\n#> 2\n", to: "t/b.frc")
    try program.write("print 1\n#> 2\n", to: "t/c.frc")
    return program
  }

  @Test("--failed needs no option, and runs what failed until nothing does")
  func failed() throws {
    let program = try suite()
    _ = try program.run("test", "t")
    try program.write("print 1\n#> 1\n", to: "t/b.frc")

    #expect(try program.run("test", "t", "--failed").output.hasSuffix("1 passed, 1 failed\n"))
    #expect(try program.run("test", "t", "--failed").output.hasSuffix("0 passed, 1 failed\n"))
    try program.write("print 1\n#> 1\n", to: "t/c.frc")
    #expect(try program.run("test", "t", "--failed").output == "1 passed, 0 failed\n")
    try program.expect("test", "t", "--failed", output: "0 passed, 0 failed\n")
  }

  @Test("a test is known by its file, however its path is written")
  func paths() throws {
    let program = try suite()
    try FileManager.default.createSymbolicLink(
      atPath: program.folder.appendingPathComponent("link").path, withDestinationPath: "t")
    try program.write("paths = [\"t\"]\n", to: "frc.toml")
    _ = try program.shell("mkdir .git && frc test t")

    for line in [
      "frc test $PWD/t --failed", "frc test ./t/../t --failed",
      "frc test link/b.frc t/c.frc --failed",
      "cd t && frc test . --failed", "cd t && frc test --failed",
    ] {
      let result = try program.shell(line)
      #expect(result.status == 1, "\(line)")
      #expect(result.output.hasSuffix("0 passed, 2 failed\n"), "\(line): \(result.output)")
    }
    #expect(try program.shell("ls -d */.frc .frc").output == ".frc\n")
  }

  @Test("where no path was run before, --failed is wrong")
  func unknown() throws {
    let program = try suite()

    try program.expect(
      "test", "t", "--failed", status: 2,
      errors: "frc: error: --failed: there is no earlier run, or its record cannot be read\n")
    _ = try program.run("test", "t/a.frc")
    try program.expect(
      "test", "t/b.frc", "--failed", status: 2,
      errors: "frc: error: --failed: none of these scripts was run before\n")
  }

  @Test(
    "a run of a few tests leaves what is known of the others, and files that went are forgotten")
  func merged() throws {
    let program = try suite()
    _ = try program.run("test", "t")
    _ = try program.run("test", "t/a.frc")
    _ = try program.run("test", "t", "--filter", "b")
    _ = try program.run("test", "t/c.frc:1")
    try FileManager.default.removeItem(at: program.folder.appendingPathComponent("t/a.frc"))
    _ = try program.run("test", "t/b.frc")

    let text = try program.read(".frc/last.json")
      .replacing(/"seconds":[-0-9.e]+/, with: "\"seconds\":0")
    #expect(
      text == """
        {"version":1,"tests":{
        "t/b.frc":{"verdict":"failed","seconds":0},
        "t/c.frc":{"verdict":"failed","seconds":0}
        }}

        """)
    #expect(try program.read(".frc/.gitignore") == "*\n")
  }

  @Test("tests that --fail-fast or a signal kept from running are still to do")
  func unrun() throws {
    let program = try suite()
    try program.write("print 1\n#> 1\n", to: "t/d.frc")
    _ = try program.run("test", "t", "--fail-fast", "-j", "1")

    #expect(
      try program.run("test", "t", "--failed", "-j", "1").output.hasSuffix("1 passed, 2 failed\n"))

    try program.write(
      "entity A { a: String? }\nstore sqlite \"began.sqlite\"\ninsert A()\nsave\n" + Self.endless,
      to: "t/0.frc")
    try program.write("", to: "tmp/x")
    let stopped = try program.shell(
      "env --default-signal=TERM frc test t -j 1 & "
        + "while kill -0 $! && ! ls tmp/*/began.sqlite; do sleep 0.02; done >/dev/null 2>&1; "
        + "kill -TERM $!; wait $!",
      environment: ["TMPDIR": program.folder.appendingPathComponent("tmp").path])
    #expect(stopped.status == 143)
    try program.write("print 1\n#> 1\n", to: "t/0.frc")
    #expect(try program.run("test", "t", "--failed").output.hasSuffix("3 passed, 2 failed\n"))
  }

  @Test("a record that is damaged is made anew, and one that cannot be written is a warning")
  func damaged() throws {
    let program = try suite()
    try program.write("{", to: ".frc/last.json")
    _ = try program.run("test", "t/b.frc")
    #expect(try program.read(".frc/last.json").contains("t/b.frc"))

    try FileManager.default.removeItem(at: program.folder.appendingPathComponent(".frc"))
    try program.write("", to: ".frc")
    let result = try program.run("test", "t/a.frc")
    #expect(result.status == 0)
    let folder = program.folder.resolvingSymlinksInPath().path
    #expect(
      result.errors
        == "frc: warning: --failed will not include this run: '\(folder)/.frc' is not a folder\n")
    #expect(try program.run("test", "t/a.frc", environment: ["CI": "true"]).errors == "")
  }

  @Test("a record in a folder that cannot be created is a warning with the cause")
  func readOnly() throws {
    let program = try suite()

    // Nobody may create a folder here.
    let result = try program.shell("script=$PWD/t/a.frc; cd /sys && frc test $script")

    #expect(result.status == 0)
    #expect(
      result.errors.hasPrefix(
        "frc: warning: --failed will not include this run: '/sys/.frc' cannot be created: "),
      "\(result.errors)")
  }
}
