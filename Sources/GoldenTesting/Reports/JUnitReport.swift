import ScriptSyntax

/// A report in the XML of JUnit, as the schemas of CI systems (Jenkins' JUnit
/// 10, Surefire) have it: a suite a folder, a test case a script.
package struct JUnitReport {
  package init() {}

  package func text(of report: SuiteReport) -> String {
    let folders = Folder.all(of: report)
    let sum = folders.reduce(into: Sums()) { $0.add($1.sums) }
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      "<testsuites" + attributes([("name", "frc test")] + sum.attributes(skipped: false)) + ">",
    ]
    for folder in folders { lines += suite(folder, isInterrupted: report.sums.isInterrupted) }
    return (lines + ["</testsuites>"]).map { $0 + "\n" }.joined()
  }

  // MARK: Suites

  private struct Sums {
    var tests = 0
    var failures = 0
    var skipped = 0
    var time = Duration.zero

    mutating func add(_ other: Sums) {
      tests += other.tests
      failures += other.failures
      skipped += other.skipped
      time += other.time
    }

    func attributes(skipped isSkippedShown: Bool) -> [(String, String)] {
      [("tests", "\(tests)"), ("failures", "\(failures)"), ("errors", "0")]
        + (isSkippedShown ? [("skipped", "\(skipped)")] : []) + [("time", time.milliseconds)]
    }
  }

  /// The tests of one folder.
  private struct Folder {
    let name: String
    var outcomes: [GoldenOutcome] = []
    var strayGoldens: [String] = []

    /// The folders in the order in which they come first.
    static func all(of report: SuiteReport) -> [Folder] {
      var folders: [Folder] = []
      var places: [String: Int] = [:]
      func place(of path: String) -> Int {
        let name = path.folder
        if let place = places[name] { return place }
        places[name] = folders.count
        folders.append(Folder(name: name))
        return folders.count - 1
      }
      for outcome in report.outcomes {
        folders[place(of: outcome.source.name)].outcomes.append(outcome)
      }
      for path in report.strayGoldens { folders[place(of: path)].strayGoldens.append(path) }
      return folders
    }

    var sums: Sums {
      var sums = Sums()
      sums.tests = outcomes.count + strayGoldens.count
      sums.failures = strayGoldens.count
      for outcome in outcomes {
        sums.time += outcome.duration
        switch outcome.verdict {
        case .passed: break
        case .failed: sums.failures += 1
        case .skipped, .expectedFailure: sums.skipped += 1
        }
      }
      return sums
    }
  }

  private func suite(_ folder: Folder, isInterrupted: Bool) -> [String] {
    var lines = [
      "  <testsuite"
        + attributes([("name", folder.name)] + folder.sums.attributes(skipped: true)) + ">"
    ]
    if isInterrupted {
      lines += [
        "    <properties>", #"      <property name="interrupted" value="true"/>"#,
        "    </properties>",
      ]
    }
    for outcome in folder.outcomes { lines += testCase(outcome) }
    for path in folder.strayGoldens {
      lines += testCase(
        path, .zero,
        [element("failure", "strayGolden", "a golden file beside no script", text: [])])
    }
    return lines + ["  </testsuite>"]
  }

  // MARK: Test cases

  private func testCase(_ outcome: GoldenOutcome) -> [String] {
    let path = outcome.source.name
    var inner: [String] = []
    switch outcome.verdict {
    case .passed: break
    case .failed:
      inner = outcome.failures.map { failure in
        element(
          "failure", failure.code,
          "\(failure.file):\(failure.lines.lowerBound): \(failure.description)",
          text: OutcomeText().lines(of: failure, in: outcome))
      }
    case .skipped(let reason): inner = [element("skipped", "skip", reason, text: [])]
    case .expectedFailure(let reason):
      inner = [element("skipped", "xfail", "failed as expected: \(reason)", text: [])]
    }
    if !outcome.warnings.isEmpty {
      let said = outcome.warnings.map { warning in
        "\(path):\(outcome.source.line(of: warning.range.lowerBound)): warning: \(warning.message)"
      }
      inner.append("      <system-out>\(said.joined(separator: "\n").escaped)</system-out>")
    }
    return testCase(path, outcome.duration, inner)
  }

  private func testCase(_ path: String, _ time: Duration, _ inner: [String]) -> [String] {
    let head =
      "    <testcase"
      + attributes([
        ("name", path.fileName), ("classname", path.className), ("time", time.milliseconds),
      ])
    return inner.isEmpty ? [head + "/>"] : [head + ">"] + inner + ["    </testcase>"]
  }

  private func element(
    _ name: String, _ type: String, _ message: String, text: [String]
  ) -> String {
    let head = "      <\(name)" + attributes([("type", type), ("message", message)])
    return text.isEmpty
      ? head + "/>" : head + ">" + text.joined(separator: "\n").escaped + "</\(name)>"
  }

  private func attributes(_ attributes: [(String, String)]) -> String {
    attributes.map { " \($0)=\"\($1.escaped)\"" }.joined()
  }
}

extension String {
  /// The folder of a path; `.` of a bare name.
  fileprivate var folder: String {
    lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? "."
  }

  fileprivate var fileName: String {
    lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self
  }

  /// The folder as systems show it that think of packages.
  fileprivate var className: String {
    let parts = folder.split(separator: "/").filter { $0 != "." && $0 != ".." }
    return parts.isEmpty ? "frc" : parts.joined(separator: ".")
  }

  /// The text as XML has it; characters that XML cannot have are question
  /// marks.
  fileprivate var escaped: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      case "\r": result += "&#13;"
      case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
