import Foundation
import FoundationXML
import Testing

/// The reports of one run, compared whole but for how long it took.
@Suite("Reports")
struct ReportTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Reports")
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
    return program
  }

  /// A text with every time made 0.
  private func withoutTimes(_ text: String) -> String {
    text.replacing(/time="[0-9.]+"/, with: "time=\"0\"")
      .replacing(/"seconds":[0-9.]+/, with: "\"seconds\":0")
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
      "markdown=r.md", "--report", "github", "--jobs", "3",
      environment: ["GITHUB_STEP_SUMMARY": program.folder.appendingPathComponent("sum.md").path])

    #expect(result.status == 1)
    #expect(result.errors == "")
    try compare(result.output, with: "output.txt")
    try compare(try program.read("j.xml"), with: "junit.xml")
    try compare(try program.read("r.json"), with: "report.json")
    try compare(try program.read("r.md"), with: "report.md")
    #expect(try program.read("sum.md") == program.read("r.md"))
    #expect(try JUnitSchema.faults(of: program.read("j.xml")) == [])
  }

  @Test("the check of JUnit's XML finds what the schema does not allow")
  func schema() throws {
    let right =
      "<testsuites><testsuite name=\"a\" tests=\"1\" failures=\"0\" errors=\"0\" time=\"0.1\">"
      + "<testcase name=\"b\"/></testsuite></testsuites>"

    #expect(try JUnitSchema.faults(of: right) == [])
    for (part, wrong) in [
      ("tests=\"1\" ", ""), ("time=\"0.1\"", "time=\"1e3\""), ("<testcase name=\"b\"/>", "<case/>"),
      ("name=\"b\"", "name=\"b\" line=\"3\""), ("<testcase name=\"b\"/>", "text"),
    ] {
      let faults = try JUnitSchema.faults(of: right.replacingOccurrences(of: part, with: wrong))
      #expect(!faults.isEmpty, "\(wrong)")
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

  @Test("of warnings the log has those that are left out, for the summary has none")
  func warnings() throws {
    let program = try FRCProgram()
    try program.write(String(repeating: "print 'a\\q'\n#> aq\n", count: 12), to: "a.frc")

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
  }
}

/// The schema of JUnit's XML that Jenkins' xUnit plugin checks, junit-10,
/// as far as its elements and attributes go.
final class JUnitSchema: NSObject, XMLParserDelegate {
  private static var time: some RegexComponent { /(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?/ }

  private struct Element {
    var children: Set<String> = []
    var required: Set<String> = []
    var optional: Set<String> = []
    var hasText = false
  }

  private static let elements: [String: Element] = {
    let message = Element(optional: ["type", "message"], hasText: true)
    return [
      "": Element(children: ["testsuites", "testsuite"]),
      "testsuites": Element(
        children: ["testsuite"], optional: ["name", "time", "tests", "failures", "errors"]),
      "testsuite": Element(
        children: ["testsuite", "properties", "testcase", "system-out", "system-err"],
        required: ["name", "tests", "failures", "errors"],
        optional: [
          "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log",
          "url",
        ]),
      "testcase": Element(
        children: [
          "skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError",
          "system-out", "system-err",
        ], required: ["name"], optional: ["time", "classname", "group"]),
      "properties": Element(children: ["property"]),
      "property": Element(required: ["name", "value"]),
      "failure": message, "error": message, "skipped": message,
      "system-out": Element(hasText: true), "system-err": Element(hasText: true),
    ]
  }()

  private var faults: [String] = []
  private var path = [""]

  /// What a text has that the schema does not allow.
  static func faults(of text: String) throws -> [String] {
    let schema = JUnitSchema()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = schema
    if !parser.parse() { schema.faults.append("it is no XML") }
    return schema.faults
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    let parent = path.last ?? ""
    path.append(name)
    guard Self.elements[parent]?.children.contains(name) == true else {
      return faults.append("\(name) in \(parent)")
    }
    guard let element = Self.elements[name] else { return faults.append(name) }
    for key in element.required where attributes[key] == nil {
      faults.append("\(name) without \(key)")
    }
    for key in attributes.keys where !element.required.union(element.optional).contains(key) {
      faults.append("\(name) with \(key)")
    }
    if let time = attributes["time"], name != "testcase", time.wholeMatch(of: Self.time) == nil {
      faults.append("time \(time)")
    }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    path.removeLast()
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    let isBlank = text.allSatisfy(\.isWhitespace)
    if !isBlank, Self.elements[path.last ?? ""]?.hasText != true {
      faults.append("text in \(path.last ?? "")")
    }
  }
}
