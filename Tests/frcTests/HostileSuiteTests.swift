import Basics
import Foundation
import FoundationXML
import RandomLaws
import Testing

/// Hostile scripts have no effect on other tests.
@Suite("Hostile scripts among others", .serialized)
struct HostileSuiteTests {
  private static let reports = [
    "--report", "json=r.json", "--report", "junit=r.xml", "--report", "tap=r.tap",
    "--report", "markdown=r.md",
  ]

  @Test("each attack fails for its own reason, all other verdicts are right, and reports are whole")
  func whole() throws {
    let suite = try HostileSuite()
    let count = 180 + ResourceAttack.all.count
    #expect(ResourceAttack.all.count >= 20)

    let result = try suite.program.shell(
      "timeout -s KILL 300 frc test t -j 2 \((HostileSuite.limits + Self.reports).joined(separator: " "))"
    )

    #expect(result.status == 1)
    let tests = try Self.tests(suite.program.read("r.json"))
    #expect(tests.count == count)
    for (path, verdict) in suite.verdicts {
      #expect(tests[path]?.verdict == verdict, "\(path): \(tests[path]?.messages ?? [])")
    }
    for attack in ResourceAttack.all {
      let path = try #require(tests.keys.first { $0.hasSuffix("/\(attack.name).frc") })
      let test = try #require(tests[path])
      #expect(test.verdict == (attack.message == nil ? "passed" : "failed"), "\(path)")
      guard let message = attack.message, !message.isEmpty else { continue }
      #expect(test.messages.contains { $0.contains(message) }, "\(path): \(test.messages)")
    }
    try Self.checkReports(suite.program, count: count)
    #expect(
      !FileManager.default.fileExists(atPath: suite.program.folder.path + "/../outside.sqlite"))
  }

  @Test("a signal at any moment ends the run with whole reports of what ended")
  func signals() throws {
    let suite = try HostileSuite()
    for seed in LawSeeds(seconds: 1.5, atLeast: 3) {
      let name = ["TERM", "INT", "HUP"][Int(seed % 3)]
      var random = SeededGenerator(seed: seed)
      let moment = Double.random(in: 0.05...(LawForm.isLong ? 6 : 2), using: &random)
      let arguments = (HostileSuite.limits + Self.reports).joined(separator: " ")
      let result = try suite.program.shell(
        """
        mkdir -p tmp; export TMPDIR=$PWD/tmp
        env --default-signal frc test t -j 2 \(arguments) > out.txt 2>&1 & test=$!
        sleep \(moment); kill -\(name) $test; wait $test; echo $?; ls tmp
        """)

      let status = ["TERM": 143, "INT": 130, "HUP": 129][name] ?? 0
      #expect(result.output == "\(status)\n", "seed \(seed): \(name) after \(moment) s")
      // The signal may have come before the reports were started.
      guard let report = try? suite.program.read("r.json"), !report.isEmpty else { continue }
      let tests = try Self.tests(report)
      for (path, test) in tests {
        guard let verdict = suite.verdicts[path] else { continue }
        #expect(test.verdict == verdict, "seed \(seed): \(path): \(test.messages)")
      }
      try Self.checkReports(suite.program, count: tests.count)
    }
  }

  @Test("files whose names differ only in Unicode form are two scripts")
  func nameForms() throws {
    let program = try FRCProgram()
    // File systems of a Mac have one file for both names.
    let files = try program.shell(
      """
      mkdir t; cd t; a=$(printf '\\303\\251'); b=$(printf 'e\\314\\201')
      echo 'print 1' > $a.frc; echo 1 > $a.golden; cp $a.golden $b.golden
      echo 'print 2' > $b.frc; ls *.frc | wc -l
      """)
    guard files.output.contains("2") else { return }

    for paths in ["t", "t/*.frc"] {
      let list = try program.shell("frc test --list \(paths)")
      #expect(Array(list.output.utf8) == Array("t/e\u{301}.frc\nt/\u{e9}.frc\n".utf8), "\(paths)")
      let result = try program.shell("frc test \(paths)")
      #expect(result.status == 1, "\(paths): \(result)")
      #expect(result.output.hasSuffix("1 passed, 1 failed\n"), "\(paths): \(result)")
      let again = try program.shell("frc test --failed \(paths)")
      #expect(again.output.hasSuffix("0 passed, 1 failed\n"), "\(paths): \(again)")
    }
    let changed = try program.shell(
      """
      git init -q && git add t && git -c user.name=a -c user.email=a@b commit -qm 1
      a=$(printf '\\303\\251'); echo '# more' >> t/$a.frc; frc test t --list --changed
      """)
    #expect(Array(changed.output.utf8) == Array("t/\u{e9}.frc\n".utf8), "\(changed)")
    let pages = try program.shell("rm t/*.golden; frc play t -o site; ls site/t | wc -l")
    #expect(pages.output.hasSuffix("2\n"), "\(pages)")
  }

  // MARK: Reports

  private struct Test {
    var verdict = ""
    var messages: [String] = []
  }

  /// The tests of a whole report in JSON, by their paths.
  private static func tests(_ report: String) throws -> [String: Test] {
    var tests: [String: Test] = [:]
    // The report has tens of megabytes, which `split(separator:)` would compare by characters.
    var lines = report.components(separatedBy: "\n")
    #expect(lines.popLast() == "")
    #expect(lines.last?.contains(#""event":"summary""#) == true)
    for line in lines {
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      else {
        Issue.record("no JSON: \(line.prefix(200))")
        continue
      }
      guard let file = object["file"] as? String else { continue }
      if let verdict = object["verdict"] as? String {
        tests[file, default: Test()].verdict = verdict
      }
      if let message = object["message"] as? String {
        tests[object["script"] as? String ?? file, default: Test()].messages.append(message)
      }
    }
    return tests.filter { !$0.value.verdict.isEmpty }
  }

  /// Checks that the other reports are complete.
  ///
  /// - Parameter count: How many tests ended.
  private static func checkReports(_ program: FRCProgram, count: Int) throws {
    let junit = XMLParser(data: Data(try program.read("r.xml").utf8))
    #expect(junit.parse())
    let suites = try program.read("r.xml").components(separatedBy: "<testsuite ").count - 1
    #expect(suites == count)
    #expect(try program.read("r.tap").contains("1..\(count)"))
    #expect(try !program.read("r.md").isEmpty)
  }
}
