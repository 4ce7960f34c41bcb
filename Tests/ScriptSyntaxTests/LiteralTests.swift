import ScriptSyntax
import Testing

@Suite("Literals")
struct LiteralTests {
  private func kind(_ text: String) -> ExpressionSyntax.Kind? {
    guard case .print(let value) = parse("print " + text).statements.first?.kind else {
      return nil
    }
    return value.kind
  }

  @Test("numbers are whole or not, with underscores and a sign")
  func numbers() {
    #expect(kind("42") == .integer(42))
    #expect(kind("-42") == .integer(-42))
    #expect(kind("1_000_000") == .integer(1_000_000))
    #expect(kind("-3.5") == .real(-3.5, text: "-3.5"))
    #expect(kind("0.10") == .real(0.1, text: "0.10"))
    #expect(kind("1_000.25") == .real(1000.25, text: "1000.25"))
    #expect(kind("1.5e3") == .real(1500, text: "1.5e3"))
    #expect(kind("9223372036854775807") == .integer(.max))
    #expect(kind("-9223372036854775808") == .integer(.min))
  }

  @Test("a whole number beyond 64 bits keeps its digits")
  func largeNumbers() {
    #expect(
      kind("12345678901234567890") == .real(1.2345678901234567e19, text: "12345678901234567890"))
    #expect(heads("print 1e999") == ["1:7 the number '1e999' is too large"])
  }

  @Test("a number that runs into letters is an error")
  func malformedNumbers() {
    #expect(heads("print 12ab") == ["1:7 '12ab' is not a number"])
    #expect(heads("print 1 + 0x1F") == ["1:11 '0x1F' is not a number"])
  }

  @Test("true, false, YES, NO and nil are values, written just so")
  func words() {
    #expect(kind("true") == .boolean(true))
    #expect(kind("YES") == .boolean(true))
    #expect(kind("false") == .boolean(false))
    #expect(kind("NO") == .boolean(false))
    #expect(kind("nil") == .null)
    #expect(kind("yes") == .name("yes"))
    #expect(kind("Nil") == .name("Nil"))
  }

  @Test("dates have a time or none, and are in UTC where no zone is given")
  func dates() {
    var date = DateLiteral(year: 2026, month: 11, day: 21)
    #expect(kind("@2026-11-21") == .date(date))
    (date.hour, date.minute) = (9, 30)
    #expect(kind("@2026-11-21T09:30") == .date(date))
    #expect(kind("@2026-11-21T09:30:00Z") == .date(date))
    #expect(kind("@2026-11-21T09:30:00") == .date(date))
    date.second = 15.25
    date.offset = -330
    #expect(kind("@2026-11-21T09:30:15.25-05:30") == .date(date))
    #expect(kind("@2026-11-21T09:30:15.25-0530") == .date(date))
  }

  @Test("a date must be one of the calendar")
  func calendar() {
    #expect(kind("@2024-02-29") != nil)
    #expect(kind("@2000-02-29") != nil)
    for text in [
      "@1500-02-29", "@1582-10-04", "@1582-10-15", "@0001-01-01T05:00+05:00",
      "@9999-12-31T18:59-05:00",
    ] {
      #expect(kind("\(text)") != nil)
    }
    for text in [
      "@1582-10-05", "@1582-10-14", "@1501-02-29", "@0001-01-01T04:59+05:00",
      "@9999-12-31T19:00-05:00",
      "@2026-02-29", "@1900-02-29", "@2026-13-01", "@2026-00-01", "@2026-04-31", "@0000-01-01",
      "@2026-01-01T24:00", "@2026-01-01T10:60",
    ] {
      #expect(heads("print \(text)") == ["1:7 the calendar has no '\(text)'"])
    }
  }

  @Test("what begins like a date and is none is an error with all of its text")
  func malformedDates() {
    for text in [
      "@2026", "@2026-1-1", "@2026-11-21x", "@2026-11-21T9", "@2026-11-21T09:30:00+1",
      "@20261121", "@2026-11-21-3",
    ] {
      #expect(
        heads("print \(text)") == [
          "1:7 '\(text)' is not a date; dates are written '@2026-11-21' or "
            + "'@2026-11-21T09:30:00Z'"
        ])
    }
  }

  @Test("dates may bound a range")
  func dateRange() {
    #expect(expression("@2026-01-01...@2026-02-01") == "@2026-01-01...@2026-02-01")
    #expect(
      expression("@2026-01-01T09:00:00..<@2026-01-02") == "@2026-01-01T09:00:00Z..<@2026-01-02")
  }

  @Test("lists hold values, and may end with a comma")
  func lists() {
    #expect(expression("[]") == "[]")
    #expect(expression("[1, \"a\", [nil]]") == "[1, \"a\", [nil]]")
    #expect(expression("[1, 2,]") == "[1, 2]")
  }

  @Test("ranges are closed or not")
  func ranges() {
    #expect(expression("1...9") == "1...9")
    #expect(expression("1..<9") == "1..<9")
    #expect(expression("-1...n + 1") == "-1...(n + 1)")
  }

  @Test("uuid(…) is a call")
  func uuid() {
    #expect(expression("uuid(\"A-B\")") == "uuid(\"A-B\")")
  }

  @Test("Name/12 without blanks is an object")
  func objects() {
    #expect(kind("Book/3") == .object(entity: "Book", number: 3))
    #expect(kind("Ärztin/12") == .object(entity: "Ärztin", number: 12))
    #expect(expression("Book/3.title") == "Book/3.title")
    #expect(expression("[Book/1, Book/2]") == "[Book/1, Book/2]")
  }

  @Test("a division has blanks or another left side")
  func divisions() {
    #expect(expression("Book / 3") == "Book / 3")
    #expect(expression("Book/ 3") == "Book / 3")
    #expect(expression("Book /3") == "Book / 3")
    #expect(expression("Book/n") == "Book / n")
    #expect(expression("book/3") == "book / 3")
    #expect(expression("本/3") == "本 / 3")
    #expect(expression("(Book)/3") == "Book / 3")
    #expect(expression("x.Book/3") == "x.Book / 3")
    #expect(expression("$Book/3") == "$Book / 3")
    #expect(expression("12/3") == "12 / 3")
    #expect(expression("Book/12/3") == "Book/12 / 3")
  }

  @Test("an object's number is whole and of 64 bits")
  func objectNumbers() {
    #expect(heads("print Book/3x") == ["1:12 '3x' is not a number"])
    #expect(
      heads("print Book/99999999999999999999")
        == ["1:12 the number '99999999999999999999' is too large"])
  }

  @Test("identifiers may be any Unicode letters")
  func identifiers() {
    #expect(expression("größe + 本の題名 + _x1 +책이름") == "((größe + 本の題名) + _x1) + 책이름")
    #expect(
      shapes("entity 本 { 題名: String }\ninsert 本(題名: \"砂\")") == [
        "entity 本 { 題名: String }", "insert 本(題名: \"砂\")",
      ])
  }
}
