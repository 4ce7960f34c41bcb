import Testing

@testable import LineEditor

@Suite struct KeyDecoderTests {
  /// Returns the keys for the bytes of a terminal.
  private func keys(_ text: String) -> [TerminalKey] {
    var decoder = KeyDecoder()
    return text.unicodeScalars.compactMap { decoder.take($0) }
  }

  @Test(
    "a sequence is one key, whole",
    arguments: [
      "[A", "[5~", "[15~", "[1;2D", "[3;5~", "OP", "O5P", "[[A", "[57441;1u", "[Z", "[!p",
    ])
  func sequences(_ sequence: String) {
    #expect(keys("a\u{1B}\(sequence)b") == [.character("a"), .sequence(sequence), .character("b")])
  }

  @Test(
    "what the terminal tells by itself is no key",
    arguments: [
      "[12;40R", "[?62;22c", "[>0;276;0c", "[I", "[O", "[<0;10;20M", "[<35;1;1m", "[M !!",
      "[?997;1n", "[0n", "[8;24;80t", "]11;rgb:1e1e/1e1e/1e1e\u{7}",
      "]11;rgb:1e1e/1e1e/1e1e\u{1B}\\", "P1+r544e=787465726d\u{1B}\\", "_Gi=1;OK\u{1B}\\", "[?1u",
    ])
  func reports(_ sequence: String) {
    #expect(keys("a\u{1B}\(sequence)b") == [.character("a"), .report, .character("b")])
  }

  @Test("what cuts a sequence off is a key of its own, and the rest is not typed")
  func cutOff() {
    #expect(keys("\u{1B}[12\rx") == [.character("\r"), .character("x")])
    #expect(keys("\u{1B}[12\u{1B}[Bx") == [.sequence("[B"), .character("x")])
    #expect(keys("\u{1B}]0;title\rx") == [.character("\r"), .character("x")])
    #expect(keys("\u{1B}O\u{7F}x") == [.character("\u{7F}"), .character("x")])
    #expect(keys("\u{1B}[1日x") == [.character("日"), .character("x")])
  }

  @Test("Escape is told from the keys that begin with it by what follows in time")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.take("\u{1B}") == nil)
    #expect(decoder.patience(endsEscape: true) == 50)
    #expect(decoder.patience(endsEscape: false) == nil)
    #expect(decoder.giveUp() == .escape)
    #expect(keys("\u{1B}b\u{1B}\u{1B}[Dx") == [.alt("b"), .sequence("[D"), .character("x")])
    for start in ["[", "O", "P", "_"] {
      #expect(keys("\u{1B}\(start)") == [])
      _ = decoder.take("\u{1B}")
      _ = decoder.take(Unicode.Scalar(start) ?? "x")
      #expect(decoder.giveUp() == .alt(Unicode.Scalar(start) ?? "x"))
    }
    _ = decoder.take("\u{1B}")
    _ = decoder.take("[")
    _ = decoder.take("1")
    #expect(decoder.giveUp() == nil)
    #expect(decoder.take("x") == .character("x"))
  }

  @Test("a paste is one key; one that never ends is given in parts, and keys in it are text")
  func pastes() {
    #expect(
      keys("\u{1B}[200~a\r\u{1B}[A\u{3}\u{1B}[201~b") == [
        .paste(Array("a\r\u{1B}[A\u{3}".unicodeScalars)), .character("b"),
      ])
    var decoder = KeyDecoder()
    for scalar in "\u{1B}[200~one\u{1B}[20".unicodeScalars { _ = decoder.take(scalar) }
    #expect(decoder.giveUp() == .paste(Array("one".unicodeScalars)))
    #expect(decoder.giveUp() == nil)
    #expect("1".unicodeScalars.compactMap { decoder.take($0) } == [])
    #expect(decoder.isInPaste)
    #expect(decoder.take("~") == .paste([]))
    #expect(!decoder.isInPaste)
  }

  @Test("a key that is dropped while it is half read is taken to its end, and not given")
  func dropped() {
    for (start, rest) in [("\u{1B}[1;", "5D"), ("\u{1B}[200~a", "\rb\u{1B}[201~"), ("\u{1B}", "x")]
    {
      var decoder = KeyDecoder()
      for scalar in start.unicodeScalars { _ = decoder.take(scalar) }
      decoder.dropKey()
      #expect("\(rest)y".unicodeScalars.compactMap { decoder.take($0) } == [.character("y")])
    }
    var decoder = KeyDecoder()
    for scalar in "\u{1B}[1;".unicodeScalars { _ = decoder.take(scalar) }
    decoder.dropKey()
    // The sequence was cut off, and this is another key.
    #expect("\r".unicodeScalars.compactMap { decoder.take($0) } == [.character("\r")])
    _ = decoder.take("\u{1B}")
    decoder.dropKey()
    #expect(decoder.patience(endsEscape: false) == 500)
    #expect(decoder.giveUp() == nil)
    #expect(decoder.take("x") == .character("x"))
  }
}
