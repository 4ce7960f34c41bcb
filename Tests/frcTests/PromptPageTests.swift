import Foundation
import LineEditor
import RepositoryFiles
import Testing

@testable import frc

@Suite struct PromptPageTests {
  private static let file = RepositoryFiles.url("PROMPT.md")

  @Test("the page on the prompt lists every command and key that there is")
  func page() throws {
    if ProcessInfo.processInfo.environment["FRC_RECORD"] != nil {
      try Data(PromptPage.text.utf8).write(to: Self.file)
      Issue.record("PROMPT.md was written; read the difference")
    }

    let page = try String(contentsOf: Self.file, encoding: .utf8)

    #expect(page == PromptPage.text)
    for command in PromptCommand.allCases {
      #expect(page.contains("`\(command.usage.replacing("|", with: "\\|"))`"))
    }
    for key in EditorKey.all { #expect(page.contains("| `\(key.keys)` | ")) }
  }

  @Test("no two keys are the same, and each says what it does")
  func keys() {
    let names = EditorKey.all.flatMap { $0.keys.split(separator: ", ").map(String.init) }
    #expect(Set(names).count == names.count)
    #expect(EditorKey.all.allSatisfy { !$0.help.isEmpty && !$0.help.hasSuffix(".") })
  }
}
