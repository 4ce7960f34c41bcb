import Foundation
import Testing

/// `frc test` with a large suite: which tests are selected, and where it ends.
@Suite("Choosing tests")
struct SuiteCommandTests {
  private struct Line: Decodable {
    let event: String
    let file: String?
    let verdict: String?
  }

  /// The verdicts in a JSON report.
  private func verdicts(_ program: FRCProgram, _ name: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for line in try program.read(name).split(separator: "\n") {
      let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
      if line.event == "test", let file = line.file { found[file] = line.verdict }
    }
    return found
  }

  @Test("a folder that cannot be read is named, and the run is wrong")
  func unreadableFolder() throws {
    let program = try FRCProgram(["t/a.frc": "print 1\n#> 1\n"])

    // Even root cannot open a folder whose path is too long.
    let result = try program.shell(
      "name=$(printf 'a%.0s' $(seq 200)); (cd t; for i in $(seq 25); do mkdir $name; "
        + "cd -P ./$name; done); frc test t; status=$?; rm -rf t; exit $status")

    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("frc: error: cannot test 't/aaa"), "\(result.errors)")
    #expect(result.errors.contains("cannot be read\n"), "\(result.errors)")
  }

  @Test("an unknown locale is said, and the run goes on")
  func unknownLocale() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 1\n"])

    for command in ["run", "test"] {
      let result = try program.run(command, "--locale", "zz_BOGUS", "a.frc")
      #expect(result.status == 0)
      #expect(
        result.errors.hasPrefix("frc: warning: --locale: unknown locale 'zz_BOGUS'"),
        "\(result.errors)")
    }
    try program.write("locale = \"zz_BOGUS\"\n", to: "frc.toml")
    let result = try program.run("test", "a.frc")
    #expect(
      result.errors.hasPrefix("frc: warning: 'locale' in frc.toml: unknown locale 'zz_BOGUS'"),
      "\(result.errors)")
  }

  @Test("a thousand files in four shards give the verdicts of one run, each file once")
  func shards() throws {
    let program = try FRCProgram()
    for number in 0..<1_000 {
      try program.write(
        "print \(number % 10)\n#> \(number % 9)\n", to: "t/\(number % 8)/\(number).frc")
    }
    _ = try program.run("test", "t", "--report", "json=all.json")
    let all = try verdicts(program, "all.json")

    var union: [String: String] = [:]
    for number in 1...4 {
      let result = try program.run(
        "test", "t", "--shard", "\(number)/4", "--times", "all.json", "--report",
        "json=\(number).json")
      #expect(result.status == 1)
      let part = try verdicts(program, "\(number).json")
      #expect(Set(union.keys).isDisjoint(with: part.keys))
      union.merge(part) { first, _ in first }
    }
    #expect(union == all)
    #expect(all.count == 1_000)
  }

  @Test("--filter takes scripts by their path, --fail-fast ends at the first failure")
  func choice() throws {
    let program = try FRCProgram()
    for name in ["a", "b", "c"] { try program.write("print 1\n#> 2\n", to: "t/\(name).frc") }
    try program.write("print 1\n#> 1\n", to: "t/0.frc")

    #expect(
      try program.run("test", "t", "--filter", "/b", "--filter", "0.").output.hasSuffix(
        "1 passed, 1 failed\n"))
    try program.expect(
      "test", "t", "--filter", "zzz", status: 2,
      errors: "frc: error: no test found: none of 4 scripts is chosen by --filter 'zzz'\n")
    #expect(try program.run("test", "t/0.frc", "--filter", "").output == "1 passed, 0 failed\n")
    let result = try program.run("test", "t", "--fail-fast", "-j", "1")
    #expect(result.status == 1)
    #expect(result.output.hasSuffix("1 passed, 1 failed, 2 not run\n"))
  }

  @Test("--slowest lists tests with their times")
  func slowest() throws {
    let program = try FRCProgram()
    try program.write("print 1\n#> 1\n", to: "a.frc")
    try program.write("repeat 20000 { expect true }\n", to: "b.frc")

    let output = try program.run("test", ".", "--slowest", "1").output

    #expect(try program.run("test", ".", "--slowest=-1").status == 2)
    #expect(output.contains(/slowest:\n +[0-9.]+ s  \.\/b\.frc\n2 passed, 0 failed\n/))
  }

  /// Creates a store, and never ends.
  private static let endless = """
    entity Book { title: String = "" }
    store sqlite "began.sqlite"
    insert Book()
    save
    repeat 1000000000 { let x = 1 }
    """

  @Test("Ctrl-C ends a run with status 130, and the reports have what ended before")
  func interrupt() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 1\n"])
    try program.write(Self.endless, to: "b.frc")
    try program.write("print 1\n#> 1\n", to: "c.frc")
    try program.write("", to: "tmp/x")
    let process = program.process(
      [
        "test", ".", "-j", "1", "--report", "json=r.json", "--report", "junit=j.xml",
      ], environment: ["TMPDIR": program.folder.appendingPathComponent("tmp").path])
    // The parent process may ignore the signal, and the program would inherit that.
    process.arguments =
      ["--default-signal=INT", FRCProgram.program.path] + (process.arguments ?? [])
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    while !hasBegun(program) { Thread.sleep(forTimeInterval: 0.02) }
    process.interrupt()
    let said = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()

    #expect(process.terminationStatus == 130)
    #expect(
      said.wholeMatch(
        of:
          /\.\/b\.frc: stopped after [0-9]+\.[0-9] s\ninterrupted\n1 passed, 0 failed, 2 not run\n/)
        != nil, "\(said)")
    #expect(try verdicts(program, "r.json") == ["./a.frc": "passed"])
    #expect(try program.read("j.xml").contains("name=\"interrupted\" value=\"true\""))
  }

  @Test("--fail-fast stops what still runs, and leaves nothing of it behind")
  func failFast() throws {
    let program = try FRCProgram(["a.frc": "print 1\n#> 2\n"])
    try program.write(Self.endless, to: "b.frc")
    try program.write("", to: "tmp/x")

    let result = try program.run(
      "test", "a.frc", "b.frc", "-j", "2", "--fail-fast",
      environment: ["TMPDIR": program.folder.appendingPathComponent("tmp").path])

    #expect(result.output.hasSuffix("0 passed, 1 failed, 1 not run\n"))
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: program.folder.appendingPathComponent("tmp").path) == ["x"])
  }

  @Test("a reader that goes away ends a run, whose reports are written all the same")
  func brokenPipe() throws {
    let program = try FRCProgram()
    for number in 1...40 {
      let text = String(repeating: "\(number) ", count: 60)
      try program.write("for i in 1...90 { print \"\(text)\" }\n", to: "t/\(number).frc")
    }
    // The run has not ended by itself before the pipe is closed.
    try program.write(Self.endless, to: "t/z.frc")

    let result = try program.shell(
      "{ frc test t -v --report json=r.json; echo $? >&2; } | head -c 1 >/dev/null")

    #expect(result.errors == "141\n")
    #expect(try program.read("r.json").contains(#""interrupted":true"#))
  }

  /// Whether the second script has created its store.
  private func hasBegun(_ program: FRCProgram) -> Bool {
    let folder = program.folder.appendingPathComponent("tmp")
    let files = FileManager.default.enumerator(atPath: folder.path)
    while let file = files?.nextObject() as? String {
      if file.hasSuffix("began.sqlite") { return true }
    }
    return false
  }

  @Test("a Markdown file is a script where it is named, and without a block none")
  func markdown() throws {
    let program = try FRCProgram()
    try program.write("# Doc\n\n```frc\nprint 1\n#> 2\n```\n", to: "t/a.md")
    try program.write("print 1\n#> 1\n", to: "t/b.frc")
    try program.write("# Doc\n", to: "c.md")

    #expect(try program.run("test", "t").output == "1 passed, 0 failed\n")
    #expect(try program.run("test", "t/a.md").output.hasPrefix("t/a.md:4: output differs\n"))
    #expect(try program.run("test", "--update", "t/a.md").status == 0)
    #expect(try program.read("t/a.md") == "# Doc\n\n```frc\nprint 1\n#> 1\n```\n")
    #expect(
      try program.run("test", "c.md").errors
        == "frc: error: cannot test 'c.md': there is no statement in an frc code block\n")
  }
}
