import Basics
import Foundation
import GoldenTesting
import Testing

@testable import frc

/// The settings in `frc.toml`.
@Suite("Settings of a project")
struct ProjectSettingsTests {
  @Test("every key is read")
  func all() throws {
    let settings = try ProjectSettings(
      """
      # What our scripts are run with.
      paths = ["Scripts", "More"]
      fixtures = ["Scripts/fixtures"]
      timeout = "1500ms"
      jobs = 3
      locale = "de_AT"
      stores = ["memory", "sqlite"]
      reports = ["junit=out.xml", "github"]
      warnings-as-errors = true
      allow = { read = ["../Models"], write = ["/tmp/out"] }
      """, name: "frc.toml")

    #expect(settings.paths == ["Scripts", "More"])
    #expect(settings.fixtures == ["Scripts/fixtures"])
    #expect(settings.timeout == .milliseconds(1500))
    #expect(settings.jobs == 3)
    #expect(settings.locale == "de_AT")
    #expect(settings.stores == [.memory, .sqlite])
    #expect(settings.reports == [.junit("out.xml"), .github])
    #expect(settings.warningsAsErrors == true)
    #expect(settings.allow == .init(read: ["../Models"], write: ["/tmp/out"]))
    #expect(
      settings.relative(to: "../").allow == .init(read: ["../../Models"], write: ["/tmp/out"]))
    #expect(try ProjectSettings("", name: "frc.toml") == ProjectSettings())
  }

  @Test(
    "brackets and blanks in wrong places are reported with their line",
    arguments: [
      "[=", "[", "\t[[ \\", "[é]", "[[[", "[.", "[\r", "x = [}", "x = [1, }", "x = [\u{2028}1]",
      "x = }",
      "\u{2003}[a]",
    ])
  func flaws(line: String) {
    let error = #expect(throws: ProjectSettings.Failure.self) {
      try ProjectSettings("jobs = 1\n\(line)\n", name: "frc.toml")
    }
    #expect(error?.line == 2)
  }

  @Test("brackets in texts and comments are no brackets")
  func quotedBrackets() throws {
    let settings = try ProjectSettings(
      "paths = [ # }\n  \"}\", '[=', \"\\\"}\", \"\"\"}\n[=\"\"\"\n]\nfixtures = []",
      name: "frc.toml")

    #expect(settings.paths == ["}", "[=", "\"}", "}\n[="])
  }

  @Test("no text ends the program", arguments: 0..<20)
  func anything(seed: UInt64) {
    let parts = [
      "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "#", "\"", "'", "\"\"\"", "''" + "'", "\\",
      "\n",
      "\r\n", "\r", " ", "\t", "a", "jobs", "paths", "\"a\"", "'b'", "1", "-", "+", "_", "0x",
      "0b1",
      "1979-05-27T07:32:00Z", "07:32", "inf", "nan", "true", "false", "1e9", "é", "\u{FEFF}",
      "\u{2028}",
      "\u{1}", "\\u00e9", "\\U00110000", "\u{10FFFF}", ":", "*",
    ]
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let text = (0..<Int.random(in: 1...14, using: &random)).map { _ in
        parts.randomElement(using: &random) ?? ""
      }.joined()
      _ = try? ProjectSettings(text, name: "frc.toml")
    }
  }

  @Test("what is wrong is said with its line")
  func wrong() {
    func check(_ text: String, _ line: Int, _ reason: String) {
      let error = #expect(throws: ProjectSettings.Failure.self) {
        try ProjectSettings(text, name: "frc.toml")
      }
      #expect(error == ProjectSettings.Failure(file: "frc.toml", line: line, reason: reason))
    }
    let keys =
      "paths, fixtures, timeout, jobs, locale, stores, reports, max-memory, max-output, "
      + "warnings-as-errors, allow"

    check("jobs = 1\ntimout = \"5s\"\n", 2, "unknown key 'timout'; did you mean 'timeout'?")
    check("\n[wobble]\nx = 1\n", 2, "unknown key 'wobble'; there are \(keys)")
    check("jobs = 0\n", 1, "'jobs' has to be a whole number, at least 1")
    check(
      "fixtures = [\n  \"jobs\",\n]\njobs = 0\n", 4,
      "'jobs' has to be a whole number, at least 1")
    check("jobs = \"four\"\n", 1, "'jobs' has to be a whole number, at least 1")
    check("paths = \"Scripts\"\n", 1, "'paths' has to be a list of at least one text")
    check("paths = []\n", 1, "'paths' has to be a list of at least one text")
    check("paths = [\"a\", 1]\n", 1, "'paths' has to be a list of at least one text")
    check(
      "timeout = 5\n", 1, "'timeout' has to be a time such as \"500ms\", \"5s\" or \"2min\"")
    check(
      "stores = [\"redis\"]\n", 1,
      "'stores' has to be a list of stores: \"memory\", \"sqlite\"")
    check(
      "reports = [\"html=x\"]\n", 1,
      "'reports' has to be a list of reports such as \"junit=FILE\"")
    check("warnings-as-errors = 1\n", 1, "'warnings-as-errors' has to be true or false")
    let allow =
      "'allow' has to be a table such as "
      + "{ read = [\"../Models\"], write = [\"../Reports\"] }"
    check("allow = [\"a\"]\n", 1, allow)
    check("\nallow = { reed = [] }\n", 2, allow)
    check("[allow]\nread = [\"\"]\n", 1, allow)
  }

  @Test(
    "what is no TOML is said with its line", arguments: ["jobs = \n", "= 1", "a b", "[", "\u{0}"])
  func notTOML(text: String) {
    let error = #expect(throws: ProjectSettings.Failure.self) {
      try ProjectSettings("locale = \"en\"\n" + text, name: "frc.toml")
    }

    #expect(error?.line == 2)
    #expect(error?.reason.first?.isLowercase == true)
  }

  /// A project whose suite needs every setting.
  private func project() throws -> FRCProgram {
    let program = try FRCProgram()
    try program.write(
      """
      paths = ["Scripts"]
      fixtures = ["fixtures/"]
      timeout = "1s"
      stores = ["sqlite"]
      reports = ["json=out.json"]
      locale = "sv"
      """, to: "frc.toml")
    try program.write("include \"fixtures/model.frc\"\ninsert A()\nsave\n", to: "Scripts/a.frc")
    try program.write("entity A { x: Int = 0 }\n", to: "Scripts/fixtures/model.frc")
    try program.write("repeat 1000000000 { let x = 1 }\n", to: "Scripts/slow.frc")
    return program
  }

  @Test("plain frc test runs what the file says, from any folder of the repository")
  func plain() throws {
    let program = try project()
    _ = try program.shell("mkdir -p .git Scripts/deep")

    let result = try program.run("test")
    #expect(result.status == 1)
    #expect(
      result.output == """
        Scripts/slow.frc:1: timed out after 1 s; raise the limit with 'timeout' in frc.toml
          1 | repeat 1000000000 { let x = 1 }

        Scripts/slow.frc:1: failed: timed out after 1 s; raise the limit with 'timeout' in frc.toml
        1 passed, 1 failed

        """)
    #expect(try program.read("out.json").contains("\"passed\":1,\"failed\":1"))
    try FileManager.default.removeItem(at: program.folder.appendingPathComponent("out.json"))
    let deep = try program.shell("cd Scripts/deep && frc test")
    #expect(deep.output.hasPrefix("../../Scripts/slow.frc:1: timed out after 1 s"))
    #expect(try program.read("out.json").contains("../../Scripts/a.frc"))
    #expect(try program.run("test", "--list=json").output.contains("\"stores\":[\"sqlite\"]"))
  }

  @Test("the command line wins over the file")
  func commandLine() throws {
    let program = try project()

    #expect(
      try program.run("test", "Scripts/slow.frc", "--timeout", "100ms").output
        .hasPrefix(
          "Scripts/slow.frc:1: timed out after 100 ms; raise the limit with --timeout\n"))
    #expect(
      try program.run("test", "--fixtures", "slow*", "--list").output
        == "Scripts/a.frc\nScripts/fixtures/model.frc\n")
    #expect(
      try program.run("test", "--stores", "memory", "--list=json").output
        .contains("\"stores\":[\"memory\"]"))
    try FileManager.default.removeItem(atPath: program.folder.path + "/out.json")
    _ = try program.run("test", "Scripts/a.frc", "--report", "json=other.json")
    #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/out.json"))
  }

  @Test("a file that is wrong ends the run with status 2, and without paths there is nothing to do")
  func refused() throws {
    let program = try FRCProgram()
    try program.expect(
      "test", status: 2,
      errors: "frc: error: no path: name scripts or folders, or write 'paths = [\"Scripts\"]' "
        + "into frc.toml\n")
    try program.write("print 1\n#> 1\n", to: "a.frc")
    try program.write("jbos = 1\n", to: "frc.toml")
    try program.expect(
      "test", "a.frc", status: 2,
      errors: "frc: error: frc.toml:1: unknown key 'jbos'; did you mean 'jobs'?\n")
  }

  @Test("the file of a folder above counts within a repository only")
  func outside() throws {
    let program = try FRCProgram()
    try program.write("paths = [\"a.frc\"]\n", to: "frc.toml")
    try program.write("print 1\n#> 1\n", to: "a.frc")
    try program.write("", to: "deep/x")

    #expect(try program.shell("cd deep && frc test").status == 2)
    #expect(try program.shell("mkdir .git; cd deep && frc test").output == "1 passed, 0 failed\n")
  }

  @Test("warnings are failures if that is asked for")
  func warnings() throws {
    let program = try FRCProgram()
    try program.write("print \"a\\qb\"\n#> aqb\n", to: "a.frc")
    try program.write("warnings-as-errors = true\n", to: "frc.toml")

    let result = try program.run("test", "a.frc")
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("a.frc:1:9: error: unknown escape '\\q'"))
    #expect(result.output.hasSuffix("0 passed, 1 failed\n"))
    #expect(try program.run("test", "a.frc", "--no-warnings-as-errors").status == 0)
  }
}
