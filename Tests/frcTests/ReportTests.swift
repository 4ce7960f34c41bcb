import Basics
import Foundation
import RepositoryFiles
import Testing

/// The reports of one run, compared completely except for its times.
@Suite("Reports")
struct ReportTests {
  private static let root = RepositoryFiles.url("Tests/frcTests/Reports")
  private static let isRecording = ProcessInfo.processInfo.environment["FRC_RECORD"] != nil

  /// A suite with a script of every verdict.
  private func suite() throws -> FRCProgram {
    let program = try FRCProgram()
    try program.write("print 1\n#> 1\n", to: "t/pass.frc")
    try program.write("print 1\nprint \"<a> & \\\"b\\\": 100%\"\n#> 2\n", to: "t/fail.frc")
    try program.write(
      "entity Book { title: String }\nif true {\n  print nope\n}\n", to: "t/u,v/error.frc")
    try program.write("#@ skip not | yet\nprint 1\n", to: "t/skip.frc")
    try program.write("#@ xfail known *bug*\nprint 1\n#> 2\n", to: "t/xfail.frc")
    try program.write("print \"a\\qb\"\n#> aqb\n", to: "t/warn.frc")
    try program.write("x\n", to: "t/stray.golden")
    try program.write(
      "print 1\n#> 1\n#@ xfail a bug\nprint 2\n#> 3\n#@ skip too slow\nprint 4\n",
      to: "t/blocks.frc")
    try program.write("#@ requires sqlite\nprint 1 / 0\nprint 2\n", to: "t/two.frc")
    return program
  }

  /// A text with every time made 0.
  private func withoutTimes(_ text: String) -> String {
    text.replacing(/time="[0-9.]+"/, with: "time=\"0\"")
      .replacing(/timestamp="[0-9T:-]{19}"/, with: "timestamp=\"now\"")
      .replacing(/seconds: [0-9.]+/, with: "seconds: 0")
      .replacing(/"seconds":[0-9.]+/, with: "\"seconds\":0")
  }

  /// The lines of a JSON report sorted by the path of their test, each test's own line last.
  private func sortedByTest(_ text: String) -> String {
    var tests: [(file: Substring, lines: [Substring])] = []
    var open: [Substring] = []
    for line in text.split(separator: "\n") {
      open.append(line)
      guard let test = line.wholeMatch(of: /\{"event":"test","file":"([^"]+)".*/) else { continue }
      tests.append((test.1, open))
      open = []
    }
    let sorted = tests.sorted { $0.file < $1.file }.flatMap(\.lines) + open
    return sorted.map { $0 + "\n" }.joined()
  }

  private func compare(_ text: String, with name: String) throws {
    let file = Self.root.appendingPathComponent(name)
    let text = withoutTimes(text)
    if Self.isRecording {
      try Data(text.utf8).write(to: file)
      Issue.record("recorded \(file.path)")
    }
    #expect(text == (try String(contentsOf: file, encoding: .utf8)))
  }

  @Test("of one run, each as it is asked for")
  func all() throws {
    let program = try suite()

    let result = try program.run(
      "test", "t", "--report", "junit=j.xml", "--report", "json=r.json", "--report",
      "markdown=r.md", "--report", "tap=r.tap", "--report", "github", "--jobs", "3",
      environment: ["GITHUB_STEP_SUMMARY": program.folder.appendingPathComponent("sum.md").path])

    #expect(result.status == 1)
    #expect(result.errors == "")
    try compare(result.output, with: "output.txt")
    try compare(try program.read("j.xml"), with: "junit.xml")
    try compare(sortedByTest(try program.read("r.json")), with: "report.json")
    try compare(try program.read("r.md"), with: "report.md")
    try compare(try program.read("r.tap"), with: "report.tap")
    #expect(try program.read("sum.md") == program.read("r.md"))
    for schema in JUnitSchema.Schema.allCases {
      #expect(try JUnitSchema.faults(of: program.read("j.xml"), by: schema) == [], "\(schema)")
    }
  }

  /// Runs a Python script with its arguments.
  private static func python(_ arguments: [String], in folder: URL) throws -> (Int32, String) {
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    python.arguments = ["python3"] + arguments
    python.currentDirectoryURL = folder
    let pipe = Pipe()
    python.standardOutput = pipe
    python.standardError = FileHandle.nullDevice
    try python.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    python.waitUntilExit()
    return (python.terminationStatus, output)
  }

  private static let hasConsumer =
    (try? python(["-c", "import junitparser"], in: root).0) == 0

  @Test(
    "reports show control characters of file names and reasons as codes",
    arguments: ["junit", "tap", "markdown"])
  func controls(_ format: String) throws {
    let program = try FRCProgram()
    try program.write("print 1\n#> 2\n", to: "t/a\u{1B}[31m\u{202E}\u{9B}b.frc")
    try program.write("#@ skip x\u{1B}\u{202E}\nprint 1\n#> 1\n", to: "t/c\u{1B}.frc")
    try program.write("print 1\n#> 2\n#@ xfail y\u{1B}\nprint 2\n#> 3\n", to: "t/d\u{7F}.frc")
    try program.write("1\n", to: "t/e\u{1B}.golden")
    try program.write("1\n", to: "t/f\u{1B}.FRC")

    _ = try program.run("test", "t", "--report", "\(format)=r")

    let report = try program.read("r")
    let controls = report.unicodeScalars.filter { $0.isControl && $0 != "\n" }
    #expect(controls.isEmpty, "\(report)")
    #expect(report.contains(#"u{1b}[31m"#) && report.contains(#"u{202e}"#), "\(report)")
  }

  @Test(
    "junitparser reads the report",
    .enabled(if: hasConsumer, "there is no python3 with junitparser"))
  func consumer() throws {
    let program = try suite()
    _ = try program.run("test", "t", "--report", "junit=j.xml")
    try program.write(
      """
      import sys
      from junitparser import JUnitXml
      xml = JUnitXml.fromfile(sys.argv[1])
      cases = [case for suite in xml for case in suite]
      kinds = sorted(r.__class__.__name__ for case in cases for r in case.result)
      assert all(suite.timestamp and suite.time is not None for suite in xml)
      assert all(any(p.name == "file" for p in suite.properties()) for suite in xml)
      print(len(cases), kinds)
      """, to: "read.py")

    let (status, output) = try Self.python(["read.py", "j.xml"], in: program.folder)

    #expect(status == 0)
    #expect(
      output
        == "9 ['Failure', 'Failure', 'Failure', 'Failure', 'Skipped', 'Skipped']\n")
  }

  @Test("annotations have paths from the workspace, and one mistake in a fixture is one annotation")
  func causes() throws {
    let program = try FRCProgram(["app/t/model.txt": "entity Book { title: String }\nprint nope\n"])
    for number in 1...12 {
      try program.write("include 'model.txt'\nprint \(number)\n", to: "app/t/\(number).frc")
    }
    let workspace = program.folder.path
    let lines = try program.shell(
      "cd app/t && frc test . --report github", environment: ["GITHUB_WORKSPACE": workspace]
    ).output.split(separator: "\n").filter { $0.hasPrefix("::") }

    #expect(lines.count == 1)
    #expect(
      lines.first?.hasPrefix(
        "::error file=app/t/model.txt,line=2,title=uncaught error%3A unknown name 'nope'::")
        == true,
      "\(lines)")
    #expect(lines.first?.hasSuffix("%0AIt breaks 11 more scripts.") == true)
  }

  @Test("what only follows from an error is no annotation of its own, and the error is the message")
  func consequences() throws {
    let program = try FRCProgram()
    try program.write(
      "if true {\n  print 1\n  print 1 / 0\n}\n#> 1\n#> 2\nprint 3\n#> 3\n", to: "a.frc")
    try program.write("print 1; print 1 / 0\n#> 2\n", to: "b.frc")

    let output = try program.run(
      "test", ".", "--report", "github", "--report", "junit=j.xml"
    ).output
    let titles = output.matches(of: /::error file=([a-z.]+),.*title=([^:]*)::/).map {
      "\($0.1) \($0.2)"
    }

    // In the second report, the printed line is wrong, too.
    let error = "uncaught error%3A division by zero"
    #expect(titles == ["a.frc \(error)", "b.frc output differs", "b.frc \(error)"], "\(output)")
    #expect(
      try program.read("j.xml").contains(
        #"message="./a.frc:1: uncaught error: division by zero, and 2 more""#))
  }

  @Test("the checks of JUnit's XML find what the schemas do not allow")
  func schema() throws {
    let right = """
      <testsuites><testsuite name="a" package="p" id="0" timestamp="2026-01-01T00:00:00" \
      hostname="h" tests="1" failures="0" errors="0" time="0.1"><properties/>\
      <testcase name="b" classname="c" time="0"/><system-out/><system-err/></testsuite></testsuites>
      """
    let both = JUnitSchema.Schema.allCases

    for schema in both { #expect(try JUnitSchema.faults(of: right, by: schema) == []) }
    for (part, wrong, schemas) in [
      ("tests=\"1\" ", "", both), ("time=\"0.1\"", "time=\"1e3\"", both),
      ("<testcase name=\"b\"", "<case", both),
      ("<testcase name=\"b\"", "<testcase name=\"b\" line=\"3\"", both),
      ("<properties/>", "text", both), ("hostname=\"h\" ", "", [.windyroad]),
      ("T00:00:00", "T00:00:00Z", [.windyroad]), ("<properties/>", "", [.windyroad]),
      ("<system-out/>", "", [.windyroad]),
      ("<testsuites>", "<testsuites tests=\"1\">", [.windyroad]),
      (" time=\"0\"/>", " time=\"0\"><system-out/></testcase>", [.windyroad]),
      (
        " time=\"0\"/>", " time=\"0\"><failure type=\"a\"/><failure type=\"a\"/></testcase>",
        [.windyroad]
      ),
      (" time=\"0\"/>", " time=\"0\"><failure/></testcase>", [.windyroad]),
    ] {
      let text = right.replacingOccurrences(of: part, with: wrong)
      for schema in both {
        let faults = try JUnitSchema.faults(of: text, by: schema)
        #expect(faults.isEmpty == !schemas.contains(schema), "\(schema): \(wrong)")
      }
    }
  }

  @Test("GitHub gets ten annotations of a kind, of which the last counts the rest")
  func limits() throws {
    let program = try FRCProgram()
    for number in 10..<30 { try program.write("print 1\n#> 2\n", to: "t/\(number).frc") }

    let lines = try program.run("test", "t", "--report", "github").output.split(separator: "\n")
      .filter { $0.hasPrefix("::") }

    #expect(lines.count == 10)
    #expect(lines.last == "::error::11 more failures; the summary of the step has them")
  }

  @Test("each file gets its first annotation before any gets a second one")
  func annotationsOfFiles() throws {
    let program = try FRCProgram()
    for number in 10..<16 {
      try program.write("print 1\n#> 2\nprint 'a\\q'\n#> 4\nprint 5\n#> 6\n", to: "t/\(number).frc")
    }

    let lines = try program.run("test", "t", "--report", "github").output.split(separator: "\n")
    let places = lines.compactMap { $0.firstMatch(of: /^::error file=t\/([0-9]+).frc,line=(.)/) }
      .map { "\($0.1):\($0.2)" }

    #expect(
      places == ["10:1", "11:1", "12:1", "13:1", "14:1", "15:1", "10:3", "11:3", "12:3"])
    #expect(lines.contains("::error::9 more failures; the summary of the step has them"))
    #expect(lines.count { $0.hasPrefix("::warning file=t/1") } == 6)
  }

  @Test("of warnings the log has those that are left out, for the summary has none")
  func warnings() throws {
    let program = try FRCProgram(["a.frc": String(repeating: "print 'a\\q'\n#> aq\n", count: 12)])

    let output = try program.run("test", "a.frc", "--report", "github").output

    #expect(output.hasSuffix("\n::warning::3 more warnings; the log of the step has them\n"))
    #expect(output.contains("a.frc:23:9: warning: unknown escape '\\q'"))
  }

  @Test("a summary of the step stays under a megabyte, and says what it leaves out")
  func summary() throws {
    let program = try FRCProgram()
    let text = String(repeating: "x", count: 300)
    for number in 10..<60 {
      try program.write(
        "for i in 1...99 { print \"\(text)\" }\n#> y\n", to: "t/\(number).frc")
    }
    let file = program.folder.appendingPathComponent("sum.md").path

    _ = try program.run(
      "test", "t", "--report", "github", environment: ["GITHUB_STEP_SUMMARY": file])

    let summary = try program.read("sum.md")
    #expect(summary.utf8.count <= 1 << 20)
    #expect(summary.hasPrefix("## frc test: 0 passed, 50 failed\n"))
    #expect(summary.contains(/\n[0-9]+ more failures are not shown.\n/))
  }

  @Test("a report that cannot be written is an error, with status 2, and the others are written")
  func unwritable() throws {
    let program = try suite()

    let result = try program.run(
      "test", "t/pass.frc", "--report", "json=no/such/r.json", "--report", "junit=j.xml")

    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("frc: error: cannot write the report 'no/such/r.json': "))
    #expect(try program.read("j.xml").contains("pass.frc"))

    let script = try program.read("t/pass.frc")
    for format in ["json", "junit"] {
      let over = try program.run("test", "t", "--report", "\(format)=t/pass.frc")
      let reason = "it is the same file as 't/pass.frc', which is read; name another"
      let errors = "frc: error: cannot write the report 't/pass.frc': \(reason)\n"
      #expect(over.status == 2)
      #expect(over.errors.hasSuffix(errors), "\(over)")
    }
    #expect(try program.read("t/pass.frc") == script)
    let twice = try program.run("test", "t", "--report", "json=r", "--report", "junit=r")
    #expect(twice.status == 2)
    #expect(twice.errors.contains("cannot write the report 'r': another output is written"))
  }

  @Test("Markdown has the names of files as code, whatever is in them")
  func markdownNames() throws {
    let program = try FRCProgram()
    try program.write("print 1\n#> 2\n", to: "t/a`b\n# c.frc")
    try program.write("#@ skip later\nprint 1\n", to: "t/d|e.frc")

    _ = try program.run("test", "t", "--report", "markdown=r.md")

    let report = try program.read("r.md")
    #expect(report.contains("\n### `` t/a`b # c.frc:1 ``: "), "\(report)")
    #expect(report.contains("\n| `t/d\\|e.frc:1` | skipped | later |\n"), "\(report)")
  }
}
