import PseudoTerminal
import Testing

@Suite struct EditingTests {
  @Test("Japanese is typed, moved in, deleted from and inserted into")
  func japanese() throws {
    let terminal = try probe()

    try terminal.type("insert 日本語の名前", showing: ["frc> insert 日本語の名前"])
    try terminal.type(Key.left + Key.left + Key.left)
    try terminal.wait(for: "the cursor before の") { $0.screen.cursor.column == 18 }
    try terminal.type(Key.backspace, showing: ["frc> insert 日本の名前"])
    try terminal.type("と", showing: ["frc> insert 日本との名前"])
    try terminal.type(Key.delete, showing: ["frc> insert 日本と名前"])
    try terminal.type(Key.home + "「" + Key.end + "」", showing: ["frc> 「insert 日本と名前」"])
    try terminal.type(Key.enter, showing: ["frc> 「insert 日本と名前」", "<「insert 日本と名前」>", "frc>"])
  }

  @Test("a wide character that does not fit at the edge goes to the next row as a whole")
  func wideAtTheWrap() throws {
    let terminal = try probe(columns: 20)

    try terminal.type("日本語日本語日本", showing: ["frc> 日本語日本語日", "本"])
    try terminal.type(Key.home + "a", showing: ["frc> a日本語日本語日", "本"])
    try terminal.type(Key.delete + "bc", showing: ["frc> abc本語日本語日", "本"])
    try terminal.type(Key.end + Key.backspace + Key.backspace + "x", showing: ["frc> abc本語日本語x"])
    try terminal.type(Key.enter, showing: ["frc> abc本語日本語x", "<abc本語日本語x>", "frc>"])
  }

  @Test("Ctrl-T swaps the two characters before the cursor, with their accents")
  func swapped() throws {
    let terminal = try probe()

    try terminal.type("xyq" + Key.left + "\u{14}", showing: ["frc> yxq"])
    try terminal.type(Key.end + "e\u{301}\u{14}" + Key.enter, showing: "<yxe\u{301}q>")
  }

  @Test(
    "characters of all lengths come through",
    arguments: ["é", "ÿ", "ß", "ñandú", "Ω", "か\u{3099}", "e\u{301}", "한국어", "😀", "𠮷"])
  func scalars(_ text: String) throws {
    let terminal = try probe()

    try terminal.type("a" + text + "b" + Key.enter, showing: "<a\(text)b>")
  }

  @Test(
    "a locale without UTF-8, or with none installed, loses nothing",
    arguments: ["C", "POSIX", "en_US.ISO-8859-1", "ja_JP.UTF-8", ""])
  func locales(_ locale: String) throws {
    let terminal = try probe(environment: ["LANG": locale])

    try terminal.type("名é前" + Key.left + Key.backspace, showing: ["frc> 名前"])
  }

  @Test("bytes that are no UTF-8 are replaced and the rest is read")
  func invalidBytes() throws {
    let terminal = try probe()

    try terminal.type(bytes: [0x61, 0xE3, 0x81, 0x62, 0xFF, 0x63, 0xC0, 0xAF, 0x64, 0x0D])

    try terminal.wait(forText: "<a\u{FFFD}b\u{FFFD}c\u{FFFD}\u{FFFD}d>")
  }

  @Test("Ctrl-Left and Ctrl-Right move by words")
  func words() throws {
    let terminal = try probe()

    try terminal.type("one two three\u{1B}[1;5D\u{1B}[1;5Dx\u{1B}[1;5Cy")

    try terminal.wait(forRows: ["frc> one xtwoy three"])
  }

  @Test("Ctrl-A, E, K, U and W know lines and words, and Ctrl-Y brings back")
  func killing() throws {
    let terminal = try probe()

    try terminal.type(Key.paste("one 二 three\nfour five"))
    try terminal.type(Key.control("A") + Key.control("K"), showing: ["frc> one 二 three", "...>"])
    try terminal.type(Key.up + Key.control("E") + Key.control("W") + Key.control("Y"))
    try terminal.type(Key.control("Y"), showing: ["frc> one 二 threethree", "...>"])
    try terminal.type(Key.control("A") + Key.alt("d") + Key.control("E") + Key.alt(Key.backspace))
    try terminal.wait(forRows: ["frc>  二", "...>"])
    try terminal.type(Key.control("U") + Key.control("K") + Key.control("U"), showing: ["frc>"])
    try terminal.type("x" + Key.enter, showing: "<x>")
  }

  @Test("a line end in a paste is one, however it is written", arguments: ["\n", "\r", "\r\n"])
  func pastedLineEnds(_ end: String) throws {
    let terminal = try probe()

    try terminal.type("\u{1B}[200~a\(end)b\(end)\(end)c\u{1B}[201~")

    try terminal.wait(forRows: ["frc> a", "...> b", "...>", "...> c"])
  }

  @Test("what is typed ahead is read by the statements after it")
  func typedAhead() throws {
    let terminal = try probe()

    try terminal.type("a\rb\rc\r")

    try terminal.wait(forRows: ["frc> a", "<a>", "frc> b", "<b>", "frc> c", "<c>", "frc>"])
  }

  @Test("a narrower window wraps what is typed from then on")
  func resize() throws {
    let terminal = try probe()

    terminal.resize(columns: 30, rows: 10)
    try terminal.type("size\r", showing: "30 x 10")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(String(repeating: "0123456789", count: 3))

    try terminal.wait(forRows: [
      "frc> size", "30 x 10", "frc> 0123456789012345678901234", "56789",
    ])
  }

  @Test("a line of several rows is drawn again for a narrower window")
  func resizeWrapped() throws {
    let terminal = try probe(columns: 30)

    try terminal.type("first" + Key.enter, showing: ["frc> first", "<first>", "frc>"])
    try terminal.type("01234567890123456789日本語日本語日本語" + Key.left)
    try terminal.wait(forRows: ["frc> first", "<first>", "frc> 01234567890123456789日本", "語日本語日本語"])
    terminal.resize(columns: 20, rows: 20)
    try terminal.wait(forRows: [
      "frc> first", "<first>", "frc> 012345678901234", "56789日本語日本語日", "本語",
    ])
    try terminal.type("x")
    try terminal.wait(forRows: [
      "frc> first", "<first>", "frc> 012345678901234", "56789日本語日本語日", "本x語",
    ])
  }

  @Test("a prompt with colours takes the room of what is seen of it")
  func colours() throws {
    let prompt = "\u{1}\u{1B}[32m\u{1}日frc>\u{1}\u{1B}[m\u{1} "
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("LineEditorProbe"), arguments: ["--prompt", prompt],
      columns: 20)

    try terminal.wait(for: "the prompt") { $0.screen.rows == ["日frc>"] && $0.isRaw }
    try terminal.type("01234567890123" + Key.home + "x", showing: ["日frc> x012345678901", "23"])
    #expect(terminal.screen.cursor == (row: 0, column: 8))
    #expect(String(decoding: terminal.output, as: UTF8.self).contains("\u{1B}[32m日"))
  }

  @Test("a line far longer than the screen is read whole")
  func longLine() throws {
    let terminal = try probe()
    let text = String(repeating: "名前 ", count: 5000)

    try terminal.type(text + "end" + Key.enter, showing: "end>")

    #expect(String(decoding: terminal.output, as: UTF8.self).contains("<\(text)end>"))
  }
}
