import Basics
import Glibc
import PseudoTerminal
import RandomLaws
import Testing

@Suite struct RandomKeysTests {
  /// Keys that would stop the output, start a program or end this one.
  private static let excluded = Set("\u{03}\u{04}\u{13}\u{1A}\u{1C}vV")

  private static let keys: [String] =
    (1..<127).map { String(UnicodeScalar(UInt8($0))) }
    .filter { !excluded.contains(Character($0)) }
    + [
      Key.up, Key.down, Key.left, Key.right, Key.home, Key.end, Key.delete, "日", "本", "e\u{301}",
      "\u{1B}[1;5D", "\u{1B}[1;5C", Key.paste("a\n日本\n{"), Key.paste("x"), Key.alt("p"),
      Key.alt("d"), Key.alt(Key.enter), Key.control("R"), Key.control("R") + "a", Key.tab,
    ]

  @Test("no keys at all, in no window however small, end the session", arguments: ["-e", "-v"])
  func survives(_ mode: String) throws {
    let seed = drawnSeed()
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    try folder.write("frc:bind \(mode)\n".utf8, to: ".editrc")
    let rounds = LawForm.isLong ? 100 : 3

    for round in 1...rounds {
      let rows = Int.random(in: 1...6, using: &generator)
      let columns = Int.random(in: 2...30, using: &generator)
      let terminal = try PseudoTerminal(
        PseudoTerminal.builtProgram("LineEditorProbe"),
        // Memory that is freed or uninitialized is filled, so that mistakes fail immediately.
        environment: ["HOME": folder.path, "MALLOC_PERTURB_": "165"],
        columns: columns,
        rows: rows)
      var typed: [String] = []
      do {
        try terminal.wait(for: "raw mode") { $0.isRaw }
        for _ in 0..<300 {
          let key = Self.keys.randomElement(using: &generator) ?? "a"
          typed.append(key)
          try terminal.type(key)
          if Int.random(in: 0..<40, using: &generator) == 0 {
            terminal.resize(
              columns: Int.random(in: 2...30, using: &generator),
              rows: Int.random(in: 1...6, using: &generator))
          }
          if Int.random(in: 0..<40, using: &generator) == 0 {
            try terminal.type(Key.control("C"))
          }
        }
        terminal.resize(columns: 60, rows: 20)
        // These keys leave any mode, and any key that takes the next one.
        try terminal.typeAndWaitUntilRead("x")
        try terminal.type(Key.control("C"), untilPrompt: "frc> ")
        try terminal.type("alive" + Key.enter, showing: "<alive>")
      } catch {
        Issue.record("seed \(seed), round \(round), \(typed.suffix(20)): \(error)")
        return
      }
    }
  }
}
