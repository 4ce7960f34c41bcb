import Foundation
import GoldenTesting
import Platform
import ScriptSyntax

/// The file `.frc/last.json` in the project's folder, with the last result of each test.
struct HistoryFile {
  private static let name = "last.json"

  private let records: ProjectRecords
  /// The real path of the folder, with a `/` at its end.
  private let root: String

  init(_ project: Project) {
    records = ProjectRecords(project)
    let real = RealPath.of(project.folder) ?? project.folder
    root = real.hasSuffix("/") ? real : real + "/"
  }

  /// Returns the name of a test: its real path, relative to the project's folder if it is inside,
  /// so that a project may be moved.
  func key(_ file: String) -> String {
    let real = RealPath.of(file) ?? file
    return real.hasPrefix(root) ? String(real.dropFirst(root.count)) : real
  }

  /// Returns the contents of the file; nil if there is no file, or if it is damaged.
  func read() -> LastRun? {
    records.read(Self.name).flatMap { LastRun(json: $0) }
  }

  /// Adds the results of a run.
  ///
  /// Results that other runs add at the same time are kept.
  ///
  /// - Parameters:
  ///   - tests: All tests of the run.
  ///   - result: Their results.
  func add(_ tests: [PreparedTest], _ result: TestRun.Result) throws(UnwritableFile) {
    try records.change(Self.name) { old in
      var run = old.flatMap { LastRun(json: $0) } ?? LastRun()
      add(tests, result, to: &run)
      return Array(run.json.utf8)
    }
  }

  private func add(_ tests: [PreparedTest], _ result: TestRun.Result, to run: inout LastRun) {
    var touched: Set<String> = []
    var outcomes = result.report.outcomes[...]
    for (index, test) in tests.enumerated() {
      let outcome = result.ended.contains(index) ? outcomes.popFirst() : nil
      // Standard input is not a file that could be run again.
      guard !test.isStandardInput else { continue }
      let key = key(test.test.source.name)
      touched.insert(key)
      let isPart = test.test.lines != nil
      if let outcome {
        run.note(outcome, at: key, isPart: isPart)
      } else if !isPart {
        run.noteNotRun(key)
      }
    }
    for path in Array(run.paths) where !touched.contains(path) && !exists(path) {
      run.remove(path)
    }
  }

  private func exists(_ key: String) -> Bool {
    (try? FileStatus(key.hasPrefix("/") ? key : root + key)) != nil
  }
}

extension PreparedTest {
  /// Whether the test came from standard input.
  var isStandardInput: Bool { test.source.name == StandardInput.name }
}
