import ScriptSyntax
import Testing

@Suite("Strings")
struct StringTests {
  /// Returns the text of the only printed string, with interpolations as ⟨…⟩.
  private func text(_ literal: String) -> String? {
    let script = parse("print " + literal)
    guard case .print(let value) = script.statements.first?.kind,
      case .string(let parts) = value.kind
    else { return nil }
    return parts.map { part in
      switch part {
      case .text(let text): text
      case .interpolation(let value): "⟨\(value)⟩"
      }
    }.joined()
  }

  @Test("both quotes make strings, and do not close one another")
  func quotes() {
    #expect(text(#""it's""#) == "it's")
    #expect(text(#"'say "a"'"#) == #"say "a""#)
    #expect(text(#""""#) == "")
  }

  @Test("double quotes interpolate, single quotes do not")
  func interpolation() {
    #expect(text(#""a\(1 + 2)b\(x)""#) == "a⟨1 + 2⟩b⟨x⟩")
    #expect(text(#"'a\\(1)'"#) == #"a\(1)"#)
    #expect(text(#"'a\(1)'"#) == "a(1)")
    #expect(text(#""\("x\("y")")""#) == #"⟨"x\("y")"⟩"#)
    #expect(text(#""\(f(")"))""#) == #"⟨f(")")⟩"#)
  }

  @Test("the escapes of predicates and \\u{…} are taken")
  func escapes() {
    #expect(text(#""\a\b\f\n\r\t\v\\\'\"""#) == "\u{7}\u{8}\u{C}\n\r\t\u{B}\\'\"")
    #expect(text(#"'\a\b\f\n\r\t\v\\\'\"'"#) == "\u{7}\u{8}\u{C}\n\r\t\u{B}\\'\"")
    #expect(text(#""\101\x41A\u{41}\u{1F600}""#) == "AAAA😀")
    #expect(text(#""\ud83d\ude00""#) == "😀")
  }

  @Test("an unknown escape is a warning and stands for its character")
  func unknownEscape() {
    #expect(text(#""a\qb\é""#) == "aqbé")
    #expect(
      messages(#"print "a\qb""#) == #"""
        test.frc:1:9: warning: unknown escape '\q'; it means 'q'
        print "a\qb"
                ^~
        """#)
    #expect(parse(#"print "a\qb""#).hasErrors == false)
  }

  @Test("an unknown escape in a predicate is a warning too")
  func unknownEscapeInPredicate() {
    #expect(
      heads(#"fetch Book where a == "\q""#) == [#"1:24 unknown escape '\q'; it means 'q'"#])
    #expect(
      heads(#"fetch Book where a == "\q\(1)""#)
        == [#"1:24 unknown escape '\q'; it means 'q'"#])
  }

  @Test("an escape that is not a character is an error")
  func impossibleEscapes() {
    #expect(heads(#"print "\u{110000}""#) == [#"1:8 '\u{110000}' is not a character"#])
    #expect(heads(#"print "\ud83dx""#) == [#"1:8 '\ud83d' is not a character"#])
    #expect(heads(#"print "\u41""#) == [#"1:8 '\u41' is not a character"#])
    #expect(heads(#"print "\xg""#) == [#"1:8 '\x' is not a character"#])
  }

  @Test("a string ends on its line")
  func unterminated() {
    #expect(
      messages("print \"abc\r\nprint 'd\nsave") == """
        test.frc:1:7: error: the string has no closing "
        print "abc
              ^~~~
        test.frc:2:7: error: the string has no closing '
        print 'd
              ^~
        """)
    #expect(heads("print \"a\\\"") == ["1:7 the string has no closing \""])
    #expect(heads("fetch Book where a == \"x\nsave") == ["1:23 the string has no closing \""])
    #expect(heads("fetch Book where a == 'x\\'\nsave") == ["1:23 the string has no closing '"])
  }

  @Test("at the prompt a string goes on on the next line")
  func prompt() {
    #expect(shapes("print \"a\nb\"", as: .prompt) == ["print \"a\\nb\""])
  }

  @Test("a null character may stand in a string")
  func nullCharacter() {
    #expect(text("\"a\0b\"") == "a\0b")
  }

  @Test("ranges of strings and their interpolations are where they stand")
  func ranges() throws {
    let script = parse(#"print "é\(x) ""#)
    guard case .print(let value) = script.statements[0].kind,
      case .string(let parts) = value.kind, case .interpolation(let inner) = parts[1]
    else {
      Issue.record("no interpolated string")
      return
    }
    #expect(script.source.text(in: value.range) == #""é\(x) ""#)
    #expect(script.source.text(in: inner.range) == "x")
  }
}
