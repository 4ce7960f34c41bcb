import Basics
import Glibc
import PseudoTerminal

/// Random keys: letters, keys of the editor, keys without a meaning, and bytes that a terminal
/// sends on its own.
///
/// Some arrive in pieces.
struct RandomKeys {
  private var generator: SeededGenerator
  /// Whether text was typed on purpose that looks like a broken key.
  var typesRubbish = false

  /// Whether there may be a pause between Escape and the text after it.
  ///
  /// In vi mode Escape is a key, so a pause of 50 ms changes its meaning. On a busy machine any
  /// pause may be that long.
  private let splitsEscape: Bool
  /// The source of the last signal; nil if it is sure to have arrived.
  private var lastSignal: SignalSource?

  private enum SignalSource { case key, process }

  init(_ generator: SeededGenerator, splitsEscape: Bool = true) {
    self.generator = generator
    self.splitsEscape = splitsEscape
  }

  /// Characters of sequences, which are never typed.
  static let neverTyped = Set("[];~<>?:/=$!#%".unicodeScalars)

  private static let letters: [String] =
    Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPRXY0123456789...   {}()'\",_").map(String.init)
    + ["日", "本", "e\u{301}", "é", "👍", "ß"]

  private static let known: [String] =
    [
      Key.up, Key.down, Key.left, Key.right, Key.home, Key.end, Key.delete, Key.backspace,
      Key.tab, Key.tab, "\u{1B}[Z", "\u{1B}[1;5D", "\u{1B}[1;5C", "\u{1B}[3;5~", Key.enter,
      Key.alt(Key.enter), Key.control("_"), Key.alt("/"), Key.control("X"),
      Key.control("X") + Key.control("E"), Key.control("X") + Key.control("U"),
      Key.control("R"), Key.control("R") + "a", Key.control("V"), Key.escape, Key.escape,
    ]
    + "bfdpnu<>tclwy".map { Key.alt(String($0)) }
    + "ABEFGHKLNOPQRSTUVWXY\\]^_@".map(Key.control)

  /// Types one of the keys, in one of several ways.
  mutating func type(into terminal: PseudoTerminal) throws {
    switch number(in: 0..<100) {
    case 0..<55: try terminal.type(one(of: Self.letters))
    case 55..<75: try terminal.type(one(of: Self.known))
    case 75..<84: try type(sequence(), into: terminal)
    case 84..<88:
      try waitForEditor(of: terminal)
      try type(Key.paste(text(number(in: 0...40))), into: terminal)
    case 88..<90: try typePiece(of: one(of: ["日", "é", "👍"]), into: terminal)
    case 90: try typeOpenPaste(into: terminal)
    case 91: try terminal.typeAndWaitUntilRead(one(of: Self.letters))
    case 92:
      try letArrive(.process, at: terminal)
      try terminal.type(Key.control("C"))
    case 93:
      try letArrive(.process, at: terminal)
      try terminal.type(Key.control("Z"))
    case 94:
      try letArrive(.key, at: terminal)
      terminal.send([SIGWINCH, SIGCONT, SIGINT][number(in: 0...2)])
    case 95:
      try letArrive(.key, at: terminal)
      terminal.send(SIGTSTP)
      terminal.send(SIGCONT)
    default:
      terminal.resize(columns: number(in: 1...200), rows: number(in: 1...40))
    }
  }

  /// Waits until the last signal has arrived, if it came from that source.
  ///
  /// The system joins two signals of the same kind, and SIGCONT removes a pending Ctrl-Z. Then
  /// there would be no way to know whether the system has dropped the rest of a key.
  private mutating func letArrive(
    _ source: SignalSource, at terminal: PseudoTerminal
  ) throws {
    if lastSignal == source { try terminal.typeAndWaitUntilRead("a") }
    lastSignal = source == .key ? .process : .key
  }

  /// Waits until the program edits a line, and not the system.
  ///
  /// While a statement runs, the system applies Backspace to text that is typed ahead, and would
  /// remove a part of the mark at the end of a paste.
  private mutating func waitForEditor(of terminal: PseudoTerminal) throws {
    try terminal.typeAndWaitUntilRead("a")
    try terminal.wait(for: "raw mode") { $0.isRaw }
    lastSignal = nil
  }

  mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func one(of texts: [String]) -> String { texts[number(in: 0..<texts.count)] }

  private mutating func text(_ length: Int) -> String {
    (0..<length).map { _ in number(in: 0..<12) == 0 ? "\n" : one(of: Self.letters) }.joined()
  }

  /// Returns the sequence of a key without a meaning, or one that a terminal sends on its own.
  private mutating func sequence() -> String {
    let (a, b) = (number(in: 50...99), number(in: 2...99))
    return one(of: [
      "\u{1B}[\(a)~", "\u{1B}[\(a);\(b)~", "\u{1B}[1;\(b)S", "\u{1B}[\(a);\(b)u", "\u{1B}OP",
      "\u{1B}[<0;\(a);\(b)M", "\u{1B}[<0;\(a);\(b)m", "\u{1B}[M!!#", "\u{1B}[\(a);\(b)R",
      "\u{1B}]11;rgb:1e1e/1e1e/1e1e\u{7}", "\u{1B}]10;rgb:ffff/ffff/ffff\u{1B}\\",
      "\u{1B}P1$r\(a)\u{1B}\\", "\u{1B}_G\(a);=\u{1B}\\", "\u{1B}^!\u{1B}\\", "\u{1B}[I",
      "\u{1B}[O", "\u{1B}[?\(a);\(b)c", "\u{1B}[>\(a);\(b);0c", "\u{1B}[?997;1n",
      "\u{1B}[201~", "\u{1B}[[A", "\u{1B}[[E", "\u{1B}\u{1B}[\(a)~", "\u{1B}O1;\(b)S",
      "\u{1B}[\(String(repeating: "1;", count: a))5~", "\u{1B}[27;\(b);\(a)~",
    ])
  }

  /// Types a text at once, or byte by byte with some pauses.
  private mutating func type(_ text: String, into terminal: PseudoTerminal) throws {
    guard number(in: 0...2) == 0 else { return try terminal.type(text) }
    // Ctrl-C ends a paste, and what was read in bulk with the end of the paste is discarded. A part
    // of this text would not be.
    if lastSignal == .key {
      try terminal.typeAndWaitUntilRead("a")
      lastSignal = nil
    }
    let bytes = Array(text.utf8)
    let start = splitsEscape ? 0 : bytes.prefix { $0 == 0x1B }.count + 1
    let pieces = [Array(bytes.prefix(start))] + bytes.dropFirst(start).map { [$0] }
    var last = ContinuousClock.now
    for piece in pieces where !piece.isEmpty {
      try terminal.type(bytes: piece)
      // The program waits 500 ms for the rest of a key, and then takes the rest for text. The time
      // after a piece was written counts too: other processes may run then.
      let now = ContinuousClock.now
      if now - last > .milliseconds(250) { typesRubbish = true }
      last = now
      if piece.count == 1, number(in: 0..<8) == 0 { usleep(2000) }
    }
  }

  /// Types some bytes of a character, or all of them one by one.
  private mutating func typePiece(of character: String, into terminal: PseudoTerminal) throws {
    let bytes = Array(character.utf8)
    for byte in bytes.prefix(number(in: 1...bytes.count)) { try terminal.type(bytes: [byte]) }
  }

  /// Begins a paste without an end, so that the following text belongs to it.
  private mutating func typeOpenPaste(into terminal: PseudoTerminal) throws {
    guard number(in: 0..<4) == 0 else { return }
    typesRubbish = true
    try terminal.type("\u{1B}[200~" + text(5))
  }
}
