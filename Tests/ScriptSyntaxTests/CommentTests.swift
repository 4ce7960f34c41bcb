import Testing

@Suite("Comments")
struct CommentTests {
  @Test("a line whose first visible character is # is a comment")
  func lines() {
    #expect(shapes("#no blank\n  \t# indented\n#> out\n#@ x\n#") == [])
    #expect(shapes("insert Book(\n#inside\n  title: \"a\" # x\n)") == ["insert Book(title: \"a\")"])
  }

  @Test("behind a statement a blank, # and a blank begin one")
  func behindStatements() {
    #expect(shapes("save # it\nreset\t#\tthat\nprocess #") == ["save", "reset", "process"])
    #expect(shapes("perform { # begin\n save # it\n} # end") == ["perform { save }"])
    #expect(shapes("print \"a # b\"") == ["print \"a # b\""])
  }

  @Test("a # without blanks around begins none")
  func withoutBlanks() {
    #expect(heads("save #it") == ["1:6 a comment after a statement begins with ' # '"])
    #expect(heads("save# it") == ["1:5 a comment after a statement begins with ' # '"])
  }

  @Test("in a predicate # before a letter is the escape of a key")
  func keyEscape() {
    #expect(shapes("fetch Book where #size > 3 # big") == ["fetch Book where #size > 3"])
    #expect(shapes("fetch Book where a == 1 # AND b == 2") == ["fetch Book where a == 1"])
  }

  @Test("a wide blank is a blank")
  func wideBlanks() {
    #expect(shapes("print\u{3000}1\u{3000}# x\n\u{3000}# y\nsave") == ["print 1", "save"])
  }
}
