import ScriptSyntax
import Testing

@Suite("Expected output")
struct ExpectedOutputTests {
  @Test("the #> lines right under a statement belong to it")
  func groups() {
    let script = parse(
      """
      # The rule.
      #@ store memory
      print 1
      #> 1
      #>
      #>  two
      # a comment
      #> stray
      save
      fetch Book
        where a == 1  # x
      #> Book/1
      """)
    #expect(script.diagnostics.isEmpty)
    #expect(script.groups.map { $0.expected.map(\.text) } == [["1", "", " two"], [], ["Book/1"]])
    #expect(script.groups.map(\.lines) == [3...3, 9...9, 10...11])
    #expect(script.groups.map(\.statements) == [0..<1, 1..<2, 2..<3])
    #expect(script.strayExpectations.map(\.text) == ["stray"])
    #expect(script.strayExpectations.map(\.line) == [8])
    #expect(script.directives.map(\.text) == ["store memory"])
    #expect(script.directives.map(\.line) == [2])
  }

  @Test("statements that share a line share what is expected of it")
  func sharedLines() {
    let script = parse("print 1; print 2\n#> 1\n#> 2\nif a {\nsave }; print 3\n#> 3")
    #expect(script.groups.map(\.statements) == [0..<2, 2..<4])
    #expect(script.groups.map(\.lines) == [1...1, 4...5])
    #expect(script.groups.map { $0.expected.map(\.text) } == [["1", "2"], ["3"]])
  }

  @Test("the bytes of expected lines include their ends")
  func ranges() {
    let script = parse("print 1\r\n#> 1\r\n#> 2")
    let group = script.groups[0]
    #expect(group.expected.map { script.source.text(in: $0.range) } == ["#> 1\r\n", "#> 2"])
    #expect(group.expected.map(\.text) == ["1", "2"])
    #expect(group.expectedOffset == 9)
    #expect(parse("print 1").groups[0].expectedOffset == 7)
  }

  @Test("what stands inside a statement, or does not begin its line, is not its output")
  func inside() {
    let script = parse("for x in y {\n#> a\n  save\n}\n  #> b\n#> c")
    #expect(script.groups.map { $0.expected.map(\.text) } == [[]])
    #expect(script.strayExpectations.map(\.text) == ["a", "c"])
  }

  @Test("text directly behind #> is kept")
  func withoutBlank() {
    #expect(parse("save\n#>x").groups[0].expected.map(\.text) == ["x"])
  }

  @Test("a wrong statement's lines are stray")
  func wrongStatements() {
    let script = parse("sav\n#> x\nsave\n#> y")
    #expect(script.groups.map { $0.expected.map(\.text) } == [["y"]])
    #expect(script.strayExpectations.map(\.text) == ["x"])
  }
}
