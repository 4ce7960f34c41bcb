import FetchedResults
import FetchedResultsTesting
import Foundation
import Testing

@Suite("Random turns for a list of the user's own")
struct FuzzTests {
  @Test("lists that follow their controller pass")
  func right() throws {
    try fuzz(turns: 1_000, seed: 1) { BookList() }
    try fuzz(turns: 300, seed: 2) { ReloadingList() }
    try fuzz(turns: 300, seed: 3) { SnapshotList() }
    try fuzz(turns: 300, seed: 4) { TableList() }
  }

  @Test("every mistake is found, and reduced to a few statements", arguments: Mistake.allCases)
  func mistake(_ mistake: Mistake) throws {
    let failure = try #require(findFailure(turns: 4_000, seed: 1) { BookList(mistake) })

    #expect(failure.statementCount <= 8, "\(failure)")
    try replay(failure.script) { BookList() }
    withKnownIssue { try replay(failure.script) { BookList(mistake) } }
  }

  @Test("a list that applies each callback at once is found")
  func hasty() throws {
    let failure = try #require(findFailure(turns: 4_000, seed: 1) { HastyList() })

    #expect(failure.statementCount <= 8, "\(failure)")
  }

  @Test(
    "a table whose numbers do not add up is found, in UIKit's words",
    arguments: [Mistake.moveAsUpdate, .ignoredSectionDelete])
  func table(_ mistake: Mistake) throws {
    let failure = try #require(
      findFailure(turns: 500, seed: 1, shapes: [.sectioned]) { TableList(mistake) })

    #expect(failure.reason.hasPrefix("NSInternalInconsistencyException: Invalid update: "))
    #expect(failure.statementCount <= 8)
  }

  @Test("a list of the main actor is tested on it")
  @MainActor func mainActor() throws {
    try fuzz(turns: 200, seed: 1, shapes: FuzzShape.withoutSections) { ScreenList() }
  }

  @Test("a trap leaves a script behind that ends with the turn that trapped")
  func trap() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { @MainActor in
      try fuzz(turns: 4_000, seed: 3, shapes: [.plain]) { ScreenList(traps: true) }
    }

    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    let path = try #require(errors.firstMatch(of: #/after a trap, '([^']*)'/#)?.output.1)
    let script = try String(contentsOfFile: String(path), encoding: .utf8)
    try FileManager.default.removeItem(atPath: String(path))
    #expect(errors.contains("fuzz with seed 3"))
    #expect(script.hasPrefix("entity Book {"))
    #expect(script.hasSuffix("}\n"))
    try replay(script) { BookList() }
  }

  @Test("the same seed gives the same failure, word by word")
  func seed() throws {
    let failures = (0..<2).map { _ in
      findFailure(turns: 500, seed: 7, line: 1) { BookList(.moveAsUpdate) }
    }

    #expect(failures[0] != nil)
    #expect(failures[0] == failures[1])
  }

  @Test("a failure says where, what, after which statements, and how to repeat it")
  func words() throws {
    let failure = try #require(
      findFailure(turns: 500, seed: 7, shapes: [.plain], filePath: "/app/BookTests.swift", line: 9)
      {
        BookList(.moveAsUpdate)
      })

    #expect(
      failure.description == """
        /app/BookTests.swift:9: BookList shows something else than its controller has: turn 18 of \
        500, shape plain, seed 7

        row [0, 0] is Book/2 in the list, Book/1 in the controller
          the list shows      [Book/2 Book/1]
          the controller has  [Book/1 Book/2]

        A script of 6 statements shows it:
          entity Book { title: String = "a", year: Int = 0 }
          controller books = Book sort by year
          fetch books
          insert Book(year: 1)
          insert Book()
          Book/2.year = 1

        Its last statement sends:
          books willChangeContent
          books didChange object move Book/2 "a" [0, 0] -> [0, 1]
          books didChangeContent

        This test repeats it:
          @Test func bookListSeed7() throws {
            try replay(
              \"""
              entity Book { title: String = "a", year: Int = 0 }
              controller books = Book sort by year
              fetch books
              insert Book(year: 1)
              insert Book()
              Book/2.year = 1
              \"""
            ) { BookList() }
          }

        'fuzz(seed: 7)' makes the same turns again.
        """)
  }

  @Test("without moves, a list that cannot move rows passes", arguments: FuzzShape.all)
  func moves(_ shape: FuzzShape) throws {
    try fuzz(turns: 300, seed: 1, shapes: [shape], moves: false) { BookList(.moveAsUpdate) }
  }

  @Test("without sections, a list that ignores them passes")
  func sections() throws {
    try fuzz(turns: 300, seed: 1, shapes: FuzzShape.withoutSections) {
      BookList(.ignoredSectionDelete)
    }
  }

  @Test("a world that fails in another way than the first counts as a turn, so the search ends")
  func otherFailures() throws {
    var made = 0
    let failure = findFailure(turns: 500, seed: 7, shapes: [.plain]) {
      made += 1
      if (2...1_000).contains(made) { throw CancellationError() }
      return BookList(made == 1 ? .moveAsUpdate : nil)
    }

    #expect(failure != nil)
    #expect(made < 1_000)
  }

  @Test(
    "a call that compares no list fails",
    arguments: [[], [FuzzShape("none", "entity Book { title: String }")]])
  func untested(_ shapes: [FuzzShape]) throws {
    let failure = try #require(
      findFailure(turns: 100, seed: 1, shapes: shapes, filePath: "/app/Tests.swift", line: 9) {
        BookList()
      })

    #expect(
      failure.description == """
        /app/Tests.swift:9: BookList was not tested

        no shape has a controller that can be fetched
        """)
    #expect(findFailure(turns: 0, shapes: shapes) { BookList() } == nil)
  }

  @Test("a shape of one's own is used, and one that cannot run is reported")
  func shapes() throws {
    let shape = FuzzShape(
      "recipes",
      """
      entity Recipe { title: String = "a", course: String = "a" }
      controller recipes = Recipe sort by course, title section by course
      """)
    try fuzz(turns: 100, seed: 1, shapes: [shape]) { BookList() }

    let wrong = FuzzShape("wrong", "controller recipes = Recipe sort by course")
    let failure = try #require(findFailure(turns: 10, seed: 1, shapes: [wrong]) { BookList() })
    #expect(failure.description.contains("Recipe"))
  }
}
