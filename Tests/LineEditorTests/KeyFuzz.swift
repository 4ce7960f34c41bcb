import Basics
import Glibc
import PseudoTerminal

/// A session of random keys, including hostile ones.
///
/// Whatever they are, the program must answer, and type nothing for a key without a meaning. It
/// must run the statement that it shows, and restore the terminal.
struct KeyFuzz {
  /// `-e` or `-v`, for the keys of emacs or vi.
  let mode: String
  let seed: UInt64

  /// What went wrong.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The number of keys between two checks of the statement.
  private static let keysBetweenChecks = 60

  /// How long a session may take.
  ///
  /// Each wait has a limit of its own, but there are many.
  private static let limit = Duration.seconds(60)

  /// Types `count` keys into a new program.
  func run(keys count: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    try folder.write("frc:bind \(mode)\n".utf8, to: ".editrc")
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("LineEditorProbe"),
      arguments: ["--whole", "--escape", "--assist", "--history", folder.file("history")],
      // Memory that is freed or uninitialized is filled, so that mistakes fail immediately.
      environment: ["HOME": folder.path, "MALLOC_PERTURB_": "165"],
      columns: Int.random(in: 1...200, using: &generator),
      rows: Int.random(in: 1...40, using: &generator))
    try terminal.wait(for: "raw mode") { $0.isRaw }

    var source = RandomKeys(generator, splitsEscape: mode == "-e")
    var typed = 0
    let start = ContinuousClock.now
    while typed < count {
      for _ in 0..<min(Self.keysBetweenChecks, count - typed) {
        guard ContinuousClock.now - start < Self.limit else {
          throw Failure(description: "has typed \(typed) of \(count) keys after \(Self.limit)")
        }
        try source.type(into: terminal)
        typed += 1
      }
      try check(terminal, rubbishIsTyped: source.typesRubbish)
      // The text would come back through the history.
      if source.typesRubbish { break }
      terminal.resize(
        columns: source.number(in: 1...200), rows: source.number(in: 1...40))
    }
    try end(terminal, by: source.number(in: 0...3))
  }

  /// Runs the statement and compares it with what the screen shows.
  private func check(_ terminal: PseudoTerminal, rubbishIsTyped: Bool) throws {
    terminal.resize(columns: Self.columns, rows: Self.rows)
    // A paste without an end would treat keys as text.
    if rubbishIsTyped { try terminal.typeAndWaitUntilRead("\u{1B}[201~") }
    // These leave a half-typed key, a search and a list.
    let cancel = String(repeating: Key.control("G"), count: 5)
    try terminal.typeAndWaitUntilRead(cancel)
    try terminal.typeAndWaitUntilRead(Key.control("L"))
    let start = terminal.output.count
    try terminal.type(Key.enter)
    var statement: String?
    try terminal.wait(for: "the statement") { terminal in
      statement = Self.statement(in: terminal.output[start...])
      return statement != nil
    }
    try terminal.wait(for: "the next prompt") { $0.isRaw }
    guard let statement, !rubbishIsTyped else { return }

    let rubbish = statement.unicodeScalars.filter { RandomKeys.neverTyped.contains($0) }
    guard rubbish.isEmpty else {
      throw Failure(description: "typed of a key that means nothing: \(statement.debugDescription)")
    }
    let expected = Self.shown(statement)
    guard expected.count < Self.rows - 2 else { return }
    let rows = terminal.screen.rows.map(Self.withoutMarks)
    guard rows.starts(with: expected) else {
      throw Failure(
        description: "ran \(statement.debugDescription), and showed\n"
          + rows.joined(separator: "\n"))
    }
  }

  /// Ends the program in one of several ways.
  private func end(_ terminal: PseudoTerminal, by way: Int) throws {
    let wanted: PseudoTerminal.Exit
    switch way {
    case 0:
      try terminal.type(Key.control("D"))
      wanted = .code(0)
    default:
      let signal = [SIGTERM, SIGHUP, SIGABRT][way - 1]
      terminal.send(signal)
      wanted = .signal(signal)
    }
    let exit = try terminal.waitForExit()
    guard exit == wanted, !terminal.isRaw, terminal.screen.privateModes.isEmpty else {
      throw Failure(
        description: "ended with \(exit), raw mode \(terminal.isRaw), "
          + "private modes \(terminal.screen.privateModes)")
    }
  }

  // MARK: What the screen must show

  private static let columns = 300
  private static let rows = 120

  /// Reads `<61,62>`, the numbers of the characters; nil if it has not arrived yet.
  private static func statement(in output: ArraySlice<UInt8>) -> String? {
    guard let start = output.lastIndex(of: UInt8(ascii: "<")),
      let end = output[start...].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let numbers = String(decoding: output[(start + 1)..<end], as: UTF8.self).split(separator: ",")
    var text = String.UnicodeScalarView()
    for number in numbers {
      guard let value = UInt32(number.filter { $0 != "\r" && $0 != "\n" }, radix: 16),
        let scalar = Unicode.Scalar(value)
      else { return nil }
      text.append(scalar)
    }
    return String(text)
  }

  /// The rows of a statement and its prompts on a screen that is wide enough for most.
  private static func shown(_ statement: String) -> [String] {
    var rows = [""]
    var column = 0
    func put(_ text: String, _ width: Int) {
      if column + width > columns { wrap() }
      rows[rows.count - 1] += text
      column += width
      if column >= columns { wrap() }
    }
    func wrap() {
      rows.append("")
      column = 0
    }
    for character in "frc> " { put(String(character), 1) }
    for character in statement {
      if character == "\n" || character == "\r\n" {
        wrap()
        for character in "...> " { put(String(character), 1) }
      } else if character == "\t" {
        for _ in 0..<min(8 - column % 8, columns - column) { put(" ", 1) }
      } else if let value = character.asciiValue, value < 0x20 || value == 0x7F {
        put("^", 1)
        put(String(Unicode.Scalar(value ^ 0x40)), 1)
      } else {
        let isWide = character.unicodeScalars.contains { $0.value >= 0x2E80 && $0.value != 0xFFFD }
        put(String(character), isWide ? 2 : 1)
      }
    }
    return rows.map(withoutMarks)
  }

  /// Returns a row without accents and without blanks at its end.
  private static func withoutMarks(_ row: String) -> String {
    var scalars = row.unicodeScalars.filter { $0 != "\u{301}" }
    while scalars.last == " " { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
  }
}
