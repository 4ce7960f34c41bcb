import Foundation
import LogReplay
import Testing

/// The examples of `Documentation/Replay.md`: each log is followed by frc's diagnosis.
@Suite("Documentation of logs")
struct DocumentationTests {
  private struct Example: Sendable, CustomTestStringConvertible {
    var log = ""
    var said = ""
    var testDescription: String { said.split(separator: "\n").first.map(String.init) ?? log }
  }

  private static let examples: [Example] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Documentation/Replay.md")
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
  }()

  @Test("A log of the documentation has the diagnosis below it", arguments: examples)
  private func example(_ example: Example) throws {
    let diagnosis = Diagnosis(try LogReader.read(Array(example.log.utf8), named: "app.log"))
    // The name of the log and a blank line come first. Remarks come after another blank line.
    let lines = diagnosis.lines.dropFirst(2).prefix { !$0.isEmpty }
    #expect(lines.joined(separator: "\n") + "\n" == example.said)
  }

  @Test("Every diagnosis has an example, but the one for what has no name")
  func all() {
    let shown = Set(
      Self.examples.compactMap { example in
        example.said.split(separator: "\n").first?.split(separator: " ").last.map(String.init)
      })
    #expect(shown.union(["broken-replay"]) == Set(LogMistake.Kind.allCases.map(\.rawValue)))
  }
}
