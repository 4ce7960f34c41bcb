import Foundation
import LogReplay
import RepositoryFiles
import Testing

/// The example of `Documentation/Replay.md`, and those of `Logs/Mistakes.md` for every other diagnosis:
/// each log is followed by frc's diagnosis.
///
/// `FRC_RECORD=1` writes the diagnoses again.
@Suite("Documentation of logs")
struct DocumentationTests {
  private struct Example: Sendable, CustomTestStringConvertible {
    var log = ""
    var said = ""
    var testDescription: String { said.split(separator: "\n").first.map(String.init) ?? log }
  }

  private static let page = RepositoryFiles.url("Documentation/Replay.md")
  private static let files = [page, RepositoryFiles.url("Tests/LogReplayTests/Logs/Mistakes.md")]

  private static let examples = files.flatMap { examples(of: $0) }

  private static func examples(of file: URL) -> [Example] {
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    var examples: [Example] = []
    var fence: Substring?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        fence = fence == nil ? line.dropFirst(3) : nil
        if fence == "log" { examples.append(Example()) }
        continue
      }
      guard !examples.isEmpty else { continue }
      if fence == "log" { examples[examples.count - 1].log += line + "\n" }
      if fence == "said" { examples[examples.count - 1].said += line + "\n" }
    }
    return examples
  }

  private static func said(of log: String) throws -> String {
    let diagnosis = Diagnosis(try LogReader.read(Array(log.utf8), named: "app.log"))
    // The name of the log and a blank line come first. Remarks come after another blank line.
    return diagnosis.lines.dropFirst(2).prefix { !$0.isEmpty }.map { $0 + "\n" }.joined()
  }

  @Test("A log has the diagnosis below it", arguments: examples)
  private func example(_ example: Example) throws {
    #expect(try Self.said(of: example.log) == example.said)
  }

  @Test("The diagnoses are written again on request")
  func record() throws {
    guard ProcessInfo.processInfo.environment["FRC_RECORD"] != nil else { return }
    for file in Self.files {
      var text = try String(contentsOf: file, encoding: .utf8)
      for example in Self.examples(of: file) {
        let old = example.log + "```\n\n```said\n" + example.said
        let new = try example.log + "```\n\n```said\n" + Self.said(of: example.log)
        text = text.replacing(old, with: new)
      }
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  @Test("Every diagnosis has an example, but the one for what has no name")
  func all() {
    let shown = Set(
      Self.examples.compactMap { example in
        example.said.split(separator: "\n").first?.split(separator: " ").last.map(String.init)
      })
    #expect(shown.union(["broken-replay"]) == Set(LogMistake.Kind.allCases.map(\.rawValue)))
  }

  @Test("The page has a row for every diagnosis")
  func listed() throws {
    let rows = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }
    for kind in LogMistake.Kind.allCases {
      #expect(rows.contains { $0.contains("`\(kind.rawValue)`") }, "\(kind.rawValue)")
    }
  }
}
