import BookApp
import FetchedResultsTesting
import Foundation
import Testing

/// `FRC_LAWS=long` makes random tests long, here as in frc's own tests.
private let isLong = ProcessInfo.processInfo.environment["FRC_LAWS"] == "long"

@Suite("The lists of the app")
struct BookListTests {
  @Test("the scripts of the app", arguments: FRCScript.all(in: "Scripts"))
  func script(_ script: FRCScript) throws { try script.run() }

  @Test("the list follows its controller", arguments: [1, 2] as [UInt64])
  func bookList(seed: UInt64) throws {
    try fuzz(turns: isLong ? 50_000 : 2_500, seed: seed) { BookList() }
  }

  @Test("a move that is treated as an update is found")
  func staleBookList() throws {
    let line = #line + 1
    let failure = try #require(findFailure(turns: 10_000, seed: 42) { StaleBookList() })

    #expect(failure.statementCount <= 8)
    #expect(failure.line == line)
    #expect("\(failure)".hasPrefix("\(#filePath):\(line): StaleBookList shows something else"))
    print(failure)
  }

  @Test("a list that applies each callback at once is found")
  func hastyBookList() throws {
    let line = #line + 1
    let failure = try #require(findFailure(turns: 10_000, seed: 42) { HastyBookList() })

    #expect(failure.statementCount <= 8)
    #expect("\(failure)".hasPrefix("\(#filePath):\(line): HastyBookList"))
    print(failure)
  }

  @Test("fuzz points at its own line, and replay at its")
  func places() throws {
    let line = #line + 4
    try withKnownIssue {
      let failure = try #require(findFailure(turns: 10_000, seed: 42) { StaleBookList() })
      // Each of these two lines is reported.
      try fuzz(turns: 10_000, seed: 42) { StaleBookList() }
      try replay(failure.script) { StaleBookList() }
    } matching: { issue in
      let lines = [line, line + 1].map(Optional.some)
      return issue.sourceLocation?.fileName == "BookListTests.swift"
        && lines.contains(issue.sourceLocation?.line)
    }
  }

  @Test("the right list passes the script that the stale one fails")
  func mended() throws {
    let failure = try #require(findFailure(turns: 10_000, seed: 42) { StaleBookList() })

    try replay(failure.script) { BookList() }
  }
}
