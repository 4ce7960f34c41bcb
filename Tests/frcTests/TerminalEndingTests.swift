import Foundation
import Glibc
import PseudoTerminal
import RandomLaws
import Testing

/// Every state in which a command waits at a terminal, with the signals and with a closed terminal.
@Suite("The end of a command at a terminal")
struct TerminalEndingTests {
  /// A command, and what is typed until it waits.
  struct State: CustomTestStringConvertible {
    let name: String
    var arguments: [String] = []
    /// The keys, each with a text that then is on the screen; an empty one for keys without an
    /// effect.
    var keys: [(keys: String, shown: String)] = []
    /// What is on the screen before the first key.
    var shown = "frc> "
    /// Whether Ctrl-C and SIGINT only stop what it does.
    var survivesInterrupt = true
    /// Whether Ctrl-C belongs to another program, and SIGINT has no effect.
    var isElsewhere = false

    var testDescription: String { name }

    /// A state of the prompt.
    static func prompt(
      _ name: String, _ keys: (keys: String, shown: String)..., isElsewhere: Bool = false
    ) -> State {
      State(name: "prompt: " + name, keys: keys, isElsewhere: isElsewhere)
    }

    /// A command that ends with each of them.
    static func command(
      _ arguments: String..., shown: String = "", keys: [(keys: String, shown: String)] = [],
      isElsewhere: Bool = false
    ) -> State {
      State(
        name: arguments.joined(separator: " "), arguments: arguments, keys: keys, shown: shown,
        survivesInterrupt: false, isElsewhere: isElsewhere)
    }
  }

  private static let loop = "repeat 9223372036854775807 { let a = 1 }"

  private static let states: [State] = [
    .prompt("an empty line"), .prompt("half a line", ("inse", "inse")),
    .prompt("half a block", ("perform {\r", "...> ")), .prompt("a loop", ("\(loop)\r", loop)),
    .prompt("a menu", ("in\t\t", "insert")), .prompt("a search", ("\u{12}pr", "pr")),
    .prompt("half a paste", ("\u{1B}[200~print 1", "")), .prompt("half a key", ("\u{1B}", "")),
    .prompt("a page of output", ("for i in 1...500 { print i }\r", "more")),
    .prompt("panes", (":pane on\r", "pane")),
    .prompt(
      "a turn in steps", ("entity Book { title: String }\r", "frc> "),
      ("controller b = Book sort by title\r", "frc> "), ("fetch b\r", "frc> "),
      ("perform stepping { insert Book(title: \"y\") }\r", "willChange")),
    .prompt("endless output", ("repeat 9223372036854775807 { print \"abc\" }\r", "abc")),
    .prompt("an editor", ("print 1\r:edit\r", "editing"), isElsewhere: true),
    .prompt("a shell command", ("!echo started; sleep 1000\r", "started"), isElsewhere: true),
    State(name: "plain: an empty line", arguments: ["--plain"]),
    State(name: "plain: a loop", arguments: ["--plain"], keys: [("\(loop)\r", loop)]),
    State(name: "learn: a question", arguments: ["learn", "1"], shown: "Lesson 1"),
    State(
      name: "learn: a loop", arguments: ["learn", "2"], keys: [("\(loop)\r", loop)],
      shown: "Lesson 2"),
    .command("run", "-"), .command("check", "-"), .command("fmt", "-"), .command("test", "-"),
    .command("reduce", "-"), .command("replay", "-"), .command("run", "endless.frc"),
    .command("-e", loop), .command("test", "endless.frc"),
    .command("test", "--watch", "red.frc", shown: "failed"),
    .command("review", "endless.frc"), .command("review", "red.frc", shown: "red.frc"),
    .command("review", "red.frc", shown: "red.frc", keys: [("e", "editing")], isElsewhere: true),
    .command("play", "endless.frc", "-o", "out.html"),
    .command("export", "endless.frc", "-o", "kit"),
    .command("fuzz", "--turns", "100000000", "--seed", "4"),
    .command("watch", "none.sqlite", "red.frc"),
  ]

  /// What ends a command.
  enum Ending: CaseIterable {
    case terminate, hangUp, interrupt, controlC, closing
  }

  @Test("a command ends within a second, and leaves the terminal as it was", arguments: states)
  func endings(state: State) throws {
    let index = Self.states.firstIndex { $0.name == state.name } ?? 0
    let all = Ending.allCases
    // In the short form two for each state, another two for the next one.
    let chosen = LawForm.isLong ? all : [all[2 * index % 5], all[(2 * index + 1) % 5]]
    for ending in chosen { try expectEnd(of: state, by: ending) }
  }

  private func expectEnd(of state: State, by ending: Ending) throws {
    let home = try TemporaryHome()
    try home.makeHistory()
    try home.makeFolder("temporary")
    try home.write("print 1\n#> 2\n", to: "red.frc")
    try home.write(Self.loop + "\n", to: "endless.frc")
    // The system runs no file that is open for writing, as in the new process of another test.
    try home.write("echo editing\nsleep 1000\n", to: "editor")
    let arguments = state.arguments.map {
      $0.hasSuffix(".frc") || $0.hasSuffix(".sqlite") || $0 == "kit" || $0 == "out.html"
        ? home.path + "/" + $0 : $0
    }
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("frc"), arguments: arguments,
      environment: [
        "HOME": home.path, "TMPDIR": home.path + "/temporary",
        "EDITOR": "/bin/sh \(home.path)/editor",
      ], columns: 100, rows: 30)
    let what = "\(state.name), \(ending)"
    try Self.bring(terminal, to: state)

    let start = ContinuousClock.now
    var exit: PseudoTerminal.Exit?
    switch ending {
    case .terminate: terminal.send(SIGTERM)
    case .hangUp: terminal.send(SIGHUP)
    case .interrupt: terminal.send(SIGINT)
    case .controlC: try terminal.type(Key.control("C"))
    case .closing: exit = terminal.hangUp()
    }
    let isInterrupt = ending == .interrupt || ending == .controlC
    if isInterrupt, state.survivesInterrupt || state.isElsewhere {
      if ending == .controlC, state.arguments.first != "learn", state.survivesInterrupt {
        try Self.expectPrompt(terminal, what)
      }
      terminal.send(SIGTERM)
    }
    if ending != .closing { exit = try terminal.waitForExit() }
    let duration = ContinuousClock.now - start

    // A busy machine gets more time than the second that SECURITY.md promises.
    #expect(duration < .seconds(8), "\(what) took \(duration)")
    let number: Int32 =
      switch ending {
      case .terminate: SIGTERM
      case .hangUp, .closing: SIGHUP
      case .interrupt, .controlC:
        state.survivesInterrupt || state.isElsewhere ? SIGTERM : SIGINT
      }
    let isRight = exit == .signal(number) || exit == .code(128 + number)
    // A closed terminal also is the end of the input.
    #expect(isRight || ending == .closing && exit != nil, "\(what): \(String(describing: exit))")
    if ending != .closing { #expect(!terminal.isRaw, "\(what)") }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: home.path + "/temporary") == [],
      "\(what)")
    let deadline = ContinuousClock.now + .seconds(5)
    while !terminal.processesInSession.isEmpty, ContinuousClock.now < deadline { usleep(5_000) }
    #expect(terminal.processesInSession == [], "\(what)")
  }

  /// Types what a state needs, and waits until the program is there.
  private static func bring(_ terminal: PseudoTerminal, to state: State) throws {
    if state.shown.isEmpty {
      // It shows nothing. Before it handles signals, they have their usual effect.
      try terminal.wait(for: "a handler") { isHandled(SIGTERM, by: $0.process) }
    } else {
      try terminal.wait(for: state.shown) {
        ($0.screen.text + " ").contains(state.shown.trimmingCharacters(in: .whitespaces))
      }
    }
    for (keys, shown) in state.keys {
      guard !shown.isEmpty else {
        try terminal.typeAndWaitUntilRead(keys)
        continue
      }
      try terminal.type(keys)
      try terminal.wait(for: shown) {
        $0.hasAnswered && $0.screen.text.contains(shown.trimmingCharacters(in: .whitespaces))
      }
    }
    // What it does next cannot be seen.
    usleep(50_000)
  }

  /// Expects that the prompt comes back, and works.
  private static func expectPrompt(_ terminal: PseudoTerminal, _ what: String) throws {
    for _ in 0..<100 {
      try terminal.type("q\u{15}print 40 + 2\r")
      if (try? terminal.wait(for: "42", seconds: 1) { $0.screen.text.contains("42") }) != nil {
        return
      }
      try terminal.type(Key.control("C"))
    }
    Issue.record("\(what): no prompt\n\(terminal.screen.text)")
  }

  private static func isHandled(_ signal: Int32, by process: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let handled = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
      .flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
    return (handled ?? 0) & (1 << UInt64(signal - 1)) != 0
  }
}
