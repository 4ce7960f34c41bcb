import Basics
import ScriptSyntax
import Testing

@Suite("Carets")
struct CaretTests {
  @Test("the caret stands right under wide characters")
  func wide() {
    #expect(
      messages("let 本 = \"砂の惑星\" 誤り") == """
        test.frc:1:16: error: unexpected '誤り'
        let 本 = "砂の惑星" 誤り
                            ^~~~
        """)
    #expect(
      messages("print \"한국어\" ; sav") == """
        test.frc:1:15: error: unknown statement 'sav'; did you mean 'save'?
        print "한국어" ; sav
                         ^~~
        """)
    #expect(
      messages("print \"👩‍👩‍👧🇯🇵❤️é\" x") == """
        test.frc:1:14: error: unexpected 'x'
        print "👩‍👩‍👧🇯🇵❤️é" x
                        ^
        """)
  }

  @Test("columns count characters, whatever their bytes")
  func columns() {
    #expect(heads("print \"e\u{301}\u{1F600}\" x") == ["1:12 unexpected 'x'"])
  }

  @Test("tabs stand in the caret's line as tabs")
  func tabs() {
    #expect(
      messages("\tprint\t1\t2 # x") == """
        test.frc:1:10: error: unexpected '2'
        \tprint\t1\t2 # x
        \t     \t \t^
        """)
  }

  @Test("of a range over lines its first line is marked")
  func severalLines() {
    let source = SourceText(name: "a", text: "one two\nthree")
    let diagnostic = Diagnostic(message: "m", range: 4..<10)
    #expect(
      DiagnosticRenderer().render(diagnostic, in: source) == "a:1:5: error: m\none two\n    ^~~")
  }

  @Test("of a long line what stands around the place is shown, and messages are cut off")
  func longLines() {
    let filling = String(repeating: "é", count: 500_000)
    let source = SourceText(name: "a", text: "print \"\(filling)\" wrong \"\(filling)\"")
    let offset = 1_000_009
    let text = DiagnosticRenderer().render(
      Diagnostic(message: filling, range: offset..<offset + 5), in: source)
    let lines = text.split(separator: "\n").map(String.init)

    #expect(text.utf8.count < 6_000)
    #expect(lines.count == 3 && lines[1].hasPrefix("…é") && lines[1].hasSuffix("é…"))
    #expect(lines[1].contains("wrong"))
    let caret = lines[2].prefix { $0 == " " }.count
    #expect(lines[1].dropFirst(caret).prefix(5) == "wrong")
    #expect(messages("sav\(filling)").utf8.count < 6_000)
  }

  @Test(
    "a place in a long line of bytes that are not UTF-8 is quoted",
    arguments: [nil, 1, 20, 60, 200] as [Int?])
  func notUTF8(columns: Int?) {
    func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }
    let letters = repeated(UInt8(ascii: "x"), 450)
    let lines: [[UInt8]] = [
      repeated(0x80, 1) + letters, repeated(0x80, 500), repeated(0xFF, 500),
      repeated(0xFF, 50) + letters, letters + repeated(0x80, 450),
    ]
    let room = columns.map { max(16, $0) } ?? 360
    let renderer = DiagnosticRenderer(columns: columns)
    for bytes in lines {
      let source = SourceText(name: "a", bytes: bytes)
      for offset in [0, 1, 2, 10, 51, 149, 151, 449, 451, bytes.count - 1, bytes.count] {
        let diagnostic = Diagnostic(message: "m", range: offset..<min(offset + 1, bytes.count))
        let rows = renderer.render(diagnostic, in: source).split(separator: "\n")
        #expect(rows.count == 3, "\(bytes.prefix(3)) at \(offset)")
        guard rows.count == 3 else { continue }
        let width = DisplayWidth.width(of: String(rows[1]))
        #expect(width <= room, "\(bytes.prefix(3)) at \(offset)")
      }
    }
  }

  @Test("a range beyond the text is drawn at its end")
  func beyond() {
    let source = SourceText(name: "a", text: "one\n")
    let diagnostic = Diagnostic(message: "m", range: 90..<100)
    #expect(DiagnosticRenderer().render(diagnostic, in: source) == "a:2:1: error: m\n\n^")
  }

  @Test("a byte order mark is no column")
  func byteOrderMark() {
    #expect(heads("\u{FEFF}sav") == ["1:1 unknown statement 'sav'; did you mean 'save'?"])
    #expect(shapes("\u{FEFF}# x\nsave") == ["save"])
    #expect(shapes("\u{FEFF}save") == ["save"])
  }

  @Test("colors stand around the same text")
  func colors() {
    let source = SourceText(name: "a", text: "x y")
    let diagnostic = Diagnostic(severity: .warning, message: "m", range: 2..<3)
    let text = DiagnosticRenderer(usesColor: true).render(diagnostic, in: source)
    #expect(
      text == "\u{1B}[1ma:1:3: \u{1B}[0m\u{1B}[1;33mwarning:\u{1B}[0m \u{1B}[1mm\u{1B}[0m\n"
        + "x y\n  \u{1B}[1;32m^\u{1B}[0m")
  }

  @Test("display widths")
  func widths() {
    let widths: [(String, Int)] = [
      ("abc", 3), ("é", 1), ("e\u{301}", 1), ("本", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("😀", 2), ("👩‍👩‍👧", 2), ("🇯🇵", 2), ("❤", 1),
      ("❤️", 2), ("1️⃣", 2), ("\u{200B}", 0), ("─", 1), ("、", 2), ("　", 2), ("ا", 1), ("𠮷", 2),
      ("か\u{3099}", 2),
    ]
    for (text, width) in widths {
      #expect(DisplayWidth.width(of: text) == width, "\(text)")
    }
  }
}
