import ScriptSyntax
import Testing

@Suite("Recovery")
struct RecoveryTests {
  @Test("every fault of a file is reported once, in order")
  func allFaults() {
    let script = """
      inser Book(title: "x")
      let a = 
      save
      if a = 3 { print 1 2; rest }
      insert Book(title = "x",
        pages: 3)
      print "abc
      update Book { a: 1,
        b = 2 }
      for x in [1, 2 { save }
      print @2026-02-30
      fetch Book where a === 1
        AND b == 2
        sort by c
      reset
      """
    #expect(
      heads(script) == [
        "1:1 unknown statement 'inser'; did you mean 'insert'?",
        "2:8 expected a value, found the end of the line",
        "4:6 unexpected '=' in an expression; use '=='",
        "4:20 unexpected '2'",
        "4:23 unknown statement 'rest'; did you mean 'reset'?",
        "5:19 unexpected '=' after 'title'; use ':'",
        "7:7 the string has no closing \"",
        "8:16 unexpected ':' after 'a'; use '='",
        "10:16 expected ',' or ']', found '{'",
        "11:7 the calendar has no '@2026-02-30'",
        "12:20 frc has no '==='; write 'a == 1'",
      ])
    #expect(parse(script).statements.map(\.shape) == ["save", "reset"])
  }

  @Test("faults inside blocks leave the rest of the block in place")
  func blocks() {
    let script = """
      perform {
        sav
        for x in y {
          print )
        }
        reste
      }
      procss
      """
    #expect(
      heads(script) == [
        "2:3 unknown statement 'sav'; did you mean 'save'?",
        "4:11 expected a value, found ')'",
        "6:3 unknown statement 'reste'; did you mean 'reset'?",
        "8:1 unknown statement 'procss'; did you mean 'process'?",
      ])
  }

  @Test("a fault in a statement's head does not hide those in its blocks")
  func statementHeads() {
    #expect(
      heads("if a = 1 {\n sav\n} else {\n rest\n}\nfor in x { reste }") == [
        "1:6 unexpected '=' in an expression; use '=='",
        "2:2 unknown statement 'sav'; did you mean 'save'?",
        "4:2 unknown statement 'rest'; did you mean 'reset'?",
        "6:8 expected 'in', found 'x'",
        "6:12 unknown statement 'reste'; did you mean 'reset'?",
      ])
  }

  @Test("a block that begins a line too late is read for its errors")
  func lateBlocks() {
    #expect(
      heads("for x in y\n{ sav }\nupdate Book where a == 1\n{ a = 1 }\nsave") == [
        "1:11 expected '{', found the end of the line",
        "2:3 unknown statement 'sav'; did you mean 'save'?",
        "3:25 expected '{', found the end of the line",
      ])
  }

  @Test("a fault in brackets over lines takes the lines with it")
  func brackets() {
    #expect(
      heads("insert Book(\n  title: \"x\"\n  pages: 3\n)\nsav") == [
        "3:3 expected ',' or ')', found 'pages'",
        "5:1 unknown statement 'sav'; did you mean 'save'?",
      ])
    #expect(heads("print f(1 2,\n [3,\n 4])\nsave") == ["1:11 expected ',' or ')', found '2'"])
  }

  @Test("brackets that never close cost their line, not the file")
  func openBrackets() {
    #expect(
      heads("dune.x = f(1 2\ndune.y = 1\ndune.z = ]\n") == [
        "1:14 expected ',' or ')', found '2'", "3:10 expected a value, found ']'",
      ])
  }

  @Test("quotes in what is skipped hide brackets")
  func quotes() {
    #expect(
      heads("print 1 2 \"}{\" '(' \"\\(\")\")\"\nsav").count == 2)
  }
}
