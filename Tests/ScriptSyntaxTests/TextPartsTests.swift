import ScriptSyntax
import Testing

@Suite struct TextPartsTests {
  /// Returns the parts of a text, each with a letter for its role.
  private func parts(_ text: String, as setting: ScriptParser.Setting = .prompt) -> [String] {
    let bytes = Array(text.utf8)
    return TextParts(text, as: setting).parts.map { part in
      let letter =
        switch part.role {
        case .word: "w"
        case .entity: "E"
        case .name: "n"
        case .variable: "$"
        case .object: "o"
        case .number: "1"
        case .date: "d"
        case .string: "s"
        case .comment: "#"
        case .sign: "+"
        case .bracket(let depth): "(\(depth)"
        case .strayBracket: "!"
        case .openBracket: "?"
        case .unknown: "x"
        }
      return letter + " " + String(decoding: bytes[part.range], as: UTF8.self)
    }
  }

  @Test("words, names, objects, numbers, strings and comments are told apart")
  func roles() {
    #expect(
      parts("let dune = insert Book(title: \"D\", pages: 4) # why")
        == [
          "w let", "n dune", "+ =", "w insert", "E Book", "(0 (", "n title", "+ :", "s \"D\"",
          "+ ,",
          "n pages", "+ :", "1 4", "(0 )", "# # why",
        ])
    #expect(parts("Book/3.pages += $n") == ["o Book/3", "+ .", "n pages", "+ +=", "$ $n"])
    #expect(parts("# only") == ["# # only"])
    #expect(
      parts("fetch Book where a > @2026-01-01 AND NOT b sort by a")
        == [
          "w fetch", "E Book", "w where", "n a", "+ >", "d @2026-01-01", "w AND", "w NOT", "n b",
          "w sort", "w by", "n a",
        ])
  }

  @Test("a word is one in first place only, and not before a sign that makes it a name")
  func firstWords() {
    #expect(parts("limit.x = show").map { $0.prefix(1) } == ["n", "+", "n", "+", "n"])
    #expect(parts("try print 1") == ["w try", "w print", "1 1"])
    #expect(
      parts("perform {\n  save\n}; save").map { $0.prefix(1) } == ["w", "(", "w", "(", "+", "w"])
  }

  @Test("brackets that do not fit are marked, and those that wait for their end")
  func brackets() {
    #expect(parts("print (1]").map { $0.prefix(1) } == ["w", "?", "1", "!"])
    #expect(parts("perform { print [1 }").map { $0.prefix(1) } == ["w", "(", "w", "!", "1", "("])
  }

  @Test("a string goes on in the next line, as at the prompt")
  func strings() {
    #expect(parts("print \"a\nb\"") == ["w print", "s \"a\nb\""])
    #expect(TextParts("print \"a\n").endsInString)
    #expect(!TextParts("print \"a\"\n").endsInString)
  }

  @Test("in a file, a string without an end goes up to the end of its line")
  func stringsInFiles() {
    #expect(
      parts("print \"a\nprint 1\n", as: .file) == ["w print", "s \"a", "w print", "1 1"])
    #expect(!TextParts("print \"a\nprint 1", as: .file).endsInString)
    #expect(TextParts.indentation(after: "print \"a\nperform {", as: .file) == "  ")
    // An interpolation may have several lines.
    #expect(
      parts("print \"\\(1 +\n 2) b\"\nprint 1", as: .file)
        == ["w print", "s \"\\(1 +\n 2) b\"", "w print", "1 1"])
    // One without an end changes only the next line.
    #expect(
      parts("print \"\\(1\nprint 2\nprint 3", as: .file).suffix(2) == ["w print", "1 3"])
  }

  @Test("every text has parts in order, whatever it is")
  func order() {
    for text in ["", "}", "\"", "#", "@", "12ab €", "日本 = \"語", "$", "((((", "\\", "a\\\nb"] {
      var end = 0
      for part in TextParts(text).parts {
        #expect(part.range.lowerBound >= end && part.range.upperBound <= text.utf8.count)
        end = part.range.upperBound
      }
    }
  }

  @Test("a new line is indented by the lines that leave a bracket open")
  func indentation() {
    #expect(TextParts.indentation(after: "print 1") == "")
    #expect(TextParts.indentation(after: "perform {") == "  ")
    #expect(TextParts.indentation(after: "perform {\n  for i in 1...3 {") == "    ")
    #expect(TextParts.indentation(after: "perform { insert Book(") == "  ")
    #expect(TextParts.indentation(after: "perform {\n}") == "")
    #expect(TextParts.indentation(after: "print \"{") == "")
  }

  @Test("what the text defines is known, also by a SUBQUERY")
  func definitions() {
    let text = "let a = 1; entity B { c: Int }; count B where SUBQUERY(d, $e, $e.x == 1).@count > 0"
    #expect(TextParts(text).defined == ["a", "B", "c", "e"])
  }
}
