import Foundation
import GoldenTesting
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite("Markdown as a script")
struct MarkdownScriptTests {
  private func outcome(_ text: String, lines: Set<Int>? = nil) -> GoldenOutcome {
    let test = GoldenTest(source: SourceText(name: "a.md", text: text), lines: lines)
    return GoldenRunner(environment: ScriptFiles()).run(test)
  }

  private static let page = """
    # A page

    let x = 7

    ```frc
    let x = 1
    print x
    #> 1
    ```

    #> this is no output

    ~~~~ frc numbered
    print x
    #> 2
    ~~~~

    ```
    print 9
    ```

    ## Another session

    ```frc
    print x
    ```
    """

  @Test("a continued block goes on with the session before the headings")
  func continued() {
    let page = "# A\n\n```frc\nlet x = 1\n```\n## B\n### C\n```frc continued\nprint x\n#> 1\n```\n"
    #expect(outcome(page).passed)
    #expect(!outcome(page.replacing(" continued", with: "")).passed)
    #expect(outcome(page + "```frc\nprint x\n#> 1\n```\n## D\n").passed)
  }

  @Test("a block that does not begin its line is not run, and there is a warning")
  func indented() {
    let outcome = outcome(
      "- item\n\n  ```frc\n  print 1\n  ```\n> ~~~frc\n> print 2\n> ~~~\n\n  ```sh\n")

    #expect(
      OutcomeText().lines(of: outcome) == [
        """
        a.md:3:3: warning: a code block that is not run, for it does not begin its line
          ```frc
          ^~~~~~
        """,
        """
        a.md:6:3: warning: a code block that is not run, for it does not begin its line
        > ~~~frc
          ^~~~~~
        """,
      ])
    #expect(outcome.blocks.isEmpty)
  }

  @Test("blocks below one heading go on from one another, and places are those of the page")
  func sessions() {
    let outcome = outcome(Self.page)

    #expect(
      outcome.failures.map(\.description) == ["output differs", "uncaught error: unknown name 'x'"])
    #expect(outcome.failures.map(\.lines) == [14...14, 25...25])
  }

  @Test("an update changes nothing but expected lines in blocks")
  func update() throws {
    let page = Self.page.replacingOccurrences(of: "print x\n```", with: "print 3\n```")

    let update = GoldenUpdate(outcome(page))

    let bytes = try #require(update.file?.bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == page.replacingOccurrences(of: "#> 2", with: "#> 1")
        .replacingOccurrences(of: "print 3\n", with: "print 3\n#> 3\n"))
    #expect(update.original == Array(page.utf8))
    #expect(update.outcome.verdict == .passed)
  }

  @Test("a block is found by its line, and one that nothing ends goes on to the end")
  func lines() {
    #expect(outcome(Self.page, lines: [7]).passed)
    #expect(!outcome(Self.page, lines: [14]).passed)
    #expect(outcome("```frc\nprint 1\n#> 1\n").passed)
    #expect(!outcome("```frc\nprint 1\n#> 2\n").passed)
  }

  @Test("fences within a longer fence, and other languages, are no scripts")
  func fences() {
    let page = "````frc\nprint 1\n#> 1\n# ```\nprint 2\n#> 2\n````\n```frcx\nprint 3\n```\n"

    #expect(outcome(page).passed)
    #expect(outcome(page).prepared.script.statements.count == 2)
  }

  @Test("a block that is marked to be ignored is no script")
  func ignored() {
    let page = "```frc ignore\nnonsense\n```\n\n```frc\nprint 1\n#> 1\n```\n"

    #expect(outcome(page).passed)
    #expect(outcome(page).warnings == [])
  }
}
