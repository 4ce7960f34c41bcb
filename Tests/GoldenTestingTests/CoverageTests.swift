import GoldenTesting
import ScriptRuntime
import ScriptWorlds
import Testing

/// Which parts of the language the tests use.
struct CoverageTests {
  private func coverage(_ texts: String..., files: [String: String] = [:]) -> Coverage {
    let suite = GoldenSuite(texts.map { prepared($0) }, environment: { ScriptFiles(files) })
    return suite.coverage()
  }

  private func covered(_ coverage: Coverage, _ area: Coverage.Area) -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: coverage.items(area).filter { $0.tests > 0 }.map { ($0.name, $0.tests) }
    )
  }

  private static let books = """
    entity Book { title: String = "", pages: Int = 0 }
    controller books = Book where pages > 1 sort by title
    delegate books changes
    fetch books

    """

  @Test("statements in blocks and included files count, once for each test")
  func statements() {
    let coverage = coverage(
      "repeat 3 { let x = 1 }\n", "include 'a'\nlet y = 1\n",
      files: ["a": "print 1\n"])

    #expect(
      covered(coverage, .statements) == ["repeat": 1, "let": 2, "include": 1, "print": 1])
  }

  @Test("rules and callbacks are those of every turn, whatever the script prints")
  func rules() {
    let coverage = coverage(
      Self.books + "insert Book(title: 'a', pages: 2)\ninsert Book(pages: 1)\nBook/1.pages = 0\n")

    #expect(
      covered(coverage, .rules) == [
        "batch": 1, "created": 1, "stopped-matching": 1, "stays-outside": 1,
      ])
    #expect(
      covered(coverage, .callbacks) == [
        "willChangeContent": 1, "didChangeObject insert": 1, "didChangeObject delete": 1,
        "didChangeContent": 1,
      ])
  }

  @Test("what a table raises has a name of its own")
  func exceptions() {
    let coverage = coverage(
      Self.books + "table view = books { insert nothing }\ninsert Book(title: 'a', pages: 2)\n")

    #expect(covered(coverage, .tableExceptions) == ["numberOfRows": 1])
  }

  @Test("everything is named, what the fewest tests exercise first")
  func order() {
    let coverage = coverage("print 1\n", "print 2\nlet x = 1\n")
    let items = coverage.items(.statements)

    #expect(items.map(\.tests) == items.map(\.tests).sorted())
    #expect(items.suffix(2).map(\.name) == ["let", "print"])
    #expect(coverage.items(.rules).count == Rule.allCases.count)
    #expect(Set(Coverage.Area.allCases.flatMap(\.items)).count == coverage.share().count)
    #expect(coverage.share().covered == 2)
    #expect(coverage.lines.first == "coverage: \(coverage.share().words)")
    #expect(coverage.lines.contains("statements: \(coverage.share(of: [.statements]).words)"))
    #expect(coverage.lines.contains("  2 print"))
    #expect(
      coverage.jsonLines.contains(
        #"{"event":"coverage","area":"statements","name":"print","tests":2}"#))
  }

  @Test("the share is of all items, rounded down")
  func share() {
    #expect(Coverage.Share(covered: 2, count: 3).words == "2 of 3 (66.6 %)")
    #expect(Coverage.Share(covered: 0, count: 0).percent == 100)
    #expect(Coverage().share().covered == 0)
  }

  @Test("a script that is wrong exercises nothing, one that fails what came before")
  func failing() {
    #expect(coverage("prnt 1\n") == Coverage())
    #expect(covered(coverage("print 1\nprint 1 / 0\nlet x = 1\n"), .statements) == ["print": 1])
  }
}
