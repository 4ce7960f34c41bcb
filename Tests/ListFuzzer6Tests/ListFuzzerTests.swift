import CoreData
import Testing

@Suite("The file of 'frc swift --fuzzer'")
struct ListFuzzerTests {
  @Test("a list that follows the rules passes")
  func right() throws {
    try fuzzList(turns: 2_000, seed: 1) { BookList() }
    try fuzzList(turns: 1_000, seed: 2) { RuleList() }
  }

  @Test("a list that treats moves as updates is found and reduced, at the line of the call")
  func stale() throws {
    let line = #line + 1
    let run = { try fuzzList(turns: 2_000, seed: 1) { StaleBookList() } }
    let failure = try #require(throws: FuzzFailure.self) { try run() }

    #expect(failure.statementCount <= 8)
    #expect(failure.description.hasPrefix("\(#filePath):\(line): section 0 has 0 rows"))
    #expect(failure.description.contains("try replayList("))
    #expect(!failure.description.contains("your list may be right"))
  }

  @Test("without moves, a list may treat them as it likes")
  func moves() throws {
    try fuzzList(turns: 500, seed: 1, moves: false) { StaleBookList() }
  }

  @Test("a list that throws is found")
  func flat() throws {
    let failure = try #require(throws: FuzzFailure.self) {
      try fuzzList(turns: 500, seed: 2, shapes: [.sectioned]) { FlatBookList() }
    }

    #expect(failure.description.contains("the list could not follow its controller"))
    #expect(failure.statementCount == 1)
  }

  @Test("callbacks that lead to the sections are not blamed")
  func verdict() throws {
    let script: [[FuzzStatement]] = [[.insert(1)], [.title(1, "b")]]

    #expect(try RuleList.verdict(on: script, .plain) == "")
  }

  @Test("what is printed repeats the failure, and passes with a right list")
  func replay() throws {
    let script: [[FuzzStatement]] = [[.insert(1), .insert(2, title: "b")], [.title(1, "c")]]

    #expect(throws: FuzzFailure.self) {
      try replayList(.sectioned, script) { StaleBookList() }
    }
    try replayList(.sectioned, script) { BookList() }
  }
}
