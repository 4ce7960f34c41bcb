import LineEditor
import Testing

@testable import frc

@Suite struct PromptCommandTests {
  @Test(
    "statements are none of the prompt's",
    arguments: ["insert Book", "helpful", "help.x = 3\nprint 1", "exit now", "print :help", ""])
  func statements(_ entry: String) {
    #expect(PromptEntry(entry) == nil)
  }

  @Test("commands may be shortened, and stand between blanks")
  func short() {
    for entry in [":help", ":h", ":?", ":", "  :help  ", ":HELP"] {
      #expect(PromptEntry(entry) == .command(.help, argument: nil), "\(entry)")
    }
    #expect(PromptEntry(":help sort by") == .command(.help, argument: "sort by"))
    #expect(PromptEntry(":q") == .command(.quit, argument: nil))
    #expect(PromptEntry(":undo 3") == .command(.undo, argument: "3"))
  }

  @Test("blanks count in the name of a file, as in the strings of a statement")
  func blanks() {
    for (word, command) in [
      ("load", PromptCommand.load), ("record", .record), ("share", .share), ("would", .would),
    ] {
      #expect(
        PromptEntry(" :\(word)  a  b.frc ") == .command(command, argument: "a  b.frc"), "\(word)")
      #expect(PromptEntry(":\(word)  ") == .command(command, argument: nil), "\(word)")
    }
    #expect(PromptEntry(":rerun  1  -  2") == .command(.rerun, argument: "1 - 2"))
  }

  @Test("help is told of only where there is some")
  func helpHints() {
    #expect(PromptEntry("help insert") == .helpHint(topic: "insert"))
    #expect(PromptEntry("help me") == .helpHint(topic: nil))
  }

  @Test("no word is that of two commands")
  func words() {
    let words = PromptCommand.allCases.flatMap { [$0.rawValue] + $0.aliases }
    #expect(Set(words).count == words.count)
  }

  @Test("Tab offers commands with what they do, then their arguments")
  func completions() throws {
    let all = try #require(PromptEntry.completion(in: ":", at: 1))
    #expect(all.replacementStart == 1)
    #expect(all.candidates.map(\.text).prefix(4) == ["help ", "try ", "keys", "history "])
    #expect(all.candidates.allSatisfy { !$0.detail.isEmpty })
    let topics = try #require(PromptEntry.completion(in: ":help del", at: 9))
    #expect(topics.replacementStart == 6)
    #expect(topics.candidates.map(\.text) == ["delegate", "delete"])
    #expect(
      PromptEntry.completion(in: ":mode ", at: 6)?.candidates.map(\.text)
        == ["text", "table", "csv", "markdown", "json"])
    #expect(PromptEntry.completion(in: "print", at: 5) == nil)
    #expect(PromptEntry.completion(in: ":quit x", at: 7)?.candidates == [])
  }

  @Test("Tab offers scripts and folders behind :load, one folder after the other")
  func files() {
    func offered(_ text: String) -> [String]? {
      PromptEntry.completion(in: text, at: text.utf8.count) { folder in
        [".": ["a.frc", "b.csv", "sub", ".hidden"], "sub/": ["c.frc"], "sub": ["c.frc"]][folder]
      }?.candidates.map(\.text)
    }
    #expect(offered(":load ") == ["a.frc", "sub/"])
    #expect(offered(":load sub/") == ["c.frc"])
    #expect(offered(":record x.frc ") == ["try"])
  }

  @Test("where the history is kept")
  func historyPlaces() {
    #expect(
      HistoryPlace.standard { ["HOME": "/h"][$0] }
        == HistoryPlace(path: "/h/.local/state/frc/history"))
    #expect(
      HistoryPlace.standard { ["HOME": "/h", "XDG_STATE_HOME": "/s"][$0] }
        == HistoryPlace(path: "/s/frc/history"))
    #expect(
      HistoryPlace.standard { ["HOME": "/h", "XDG_STATE_HOME": "s"][$0] }
        == HistoryPlace(path: "/h/.local/state/frc/history"))
    #expect(
      HistoryPlace.standard { ["HOME": "/h", "FRC_HISTORY": "x"][$0] } == HistoryPlace(path: "x"))
    #expect(HistoryPlace.standard { ["HOME": "/h", "FRC_HISTORY": ""][$0] } == nil)
    #expect(HistoryPlace.standard { _ in nil } == nil)
  }
}
