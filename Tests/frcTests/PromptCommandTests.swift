import FetchedResults
import LineEditor
import ScriptRuntime
import Testing

@testable import frc

@Suite struct PromptCommandTests {
  @Test(
    "statements are none of the prompt's",
    arguments: ["insert Book", "helpful", "help.x = 3\nprint 1", "exit now", "print :help", ""])
  func statements(_ entry: String) {
    #expect(PromptCommand(entry) == nil)
  }

  @Test("commands may be shortened, and stand between blanks")
  func short() {
    for entry in [":help", ":h", ":?", ":", "  :help  ", ":HELP"] {
      #expect(PromptCommand(entry) == .help(topic: nil), "\(entry)")
    }
    #expect(PromptCommand(":help sort by") == .help(topic: "sort by"))
    #expect(PromptCommand(":q") == .quit)
  }

  @Test("Tab offers commands, then topics")
  func completions() {
    #expect(
      PromptCommand.completion(in: ":", at: 1)
        == Completion(replacementStart: 1, candidates: ["help ", "quit"]))
    #expect(
      PromptCommand.completion(in: ":help del", at: 9)
        == Completion(replacementStart: 6, candidates: ["delegate", "delete"]))
    #expect(PromptCommand.completion(in: "print", at: 5) == nil)
    #expect(PromptCommand.completion(in: ":quit x", at: 7)?.candidates == [])
  }

  @Test("where the history is kept")
  func historyPlaces() {
    #expect(
      HistoryPlace.standard(["HOME": "/h"]) == HistoryPlace(path: "/h/.local/state/frc/history"))
    #expect(
      HistoryPlace.standard(["HOME": "/h", "XDG_STATE_HOME": "/s"])
        == HistoryPlace(path: "/s/frc/history"))
    #expect(
      HistoryPlace.standard(["HOME": "/h", "XDG_STATE_HOME": "s"])
        == HistoryPlace(path: "/h/.local/state/frc/history"))
    #expect(
      HistoryPlace.standard(["HOME": "/h", "FRC_HISTORY": "x"]) == HistoryPlace(path: "x"))
    #expect(HistoryPlace.standard(["HOME": "/h", "FRC_HISTORY": ""]) == nil)
    #expect(HistoryPlace.standard([:]) == nil)
  }
}
