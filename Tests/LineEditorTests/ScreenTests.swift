import PseudoTerminal
import Testing

@Suite struct ScreenTests {
  @Test("text wraps at the edge, wide characters as a whole, and scrolls off")
  func wrapping() {
    var screen = Screen(columns: 5, rows: 2)

    screen.feed("abcde".utf8)
    #expect(screen.cursor == (row: 0, column: 4))
    screen.feed("日本x".utf8)
    #expect(screen.rows == ["abcde", "日本x"])
    screen.feed("y語".utf8)

    #expect(screen.scrolledOff == ["abcde"])
    #expect(screen.rows == ["日本x", "y語"])
    #expect(screen.text == "abcde\n日本x\ny語")
  }

  @Test("the cursor moves, cells are erased, inserted and deleted")
  func sequences() {
    var screen = Screen(columns: 10, rows: 3)

    screen.feed("abcdef\r\u{1B}[2C\u{1B}[1P\u{1B}[2@XY".utf8)
    #expect(screen.rows == ["abXYdef"])
    screen.feed("\u{1B}[K\r\nnext\u{1B}[A\u{8}Z".utf8)
    #expect(screen.rows == ["abXZ", "next"])
    screen.feed("\u{1B}[H\u{1B}[2J\u{1B}[?2004h\u{7}".utf8)

    #expect(screen.rows.isEmpty)
    #expect(screen.privateModes == [2004])
    #expect(screen.bellCount == 1)
  }

  @Test("marks join their character, and half a wide character takes the other with it")
  func cells() {
    var screen = Screen(columns: 10, rows: 3)

    screen.feed("か\u{3099}e\u{301}x\r\u{1B}[C-".utf8)

    #expect(screen.rows == [" -e\u{301}x"])
  }

  @Test("characters and sequences may come in pieces")
  func pieces() {
    var screen = Screen(columns: 10, rows: 3)

    for byte in Array("日\u{1B}[2Dab\u{1B}(B".utf8) { screen.feed([byte]) }

    #expect(screen.rows == ["ab"])
  }
}
