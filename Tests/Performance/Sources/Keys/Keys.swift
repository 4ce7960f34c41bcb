import Foundation
import Glibc

/// Types into frc at its own terminal, and prints two times for each key: until the screen changes,
/// and how long the program computes.
///
/// It does so at a block of 500 lines, in a session of 100,000 objects, among 10,000 variables,
/// objects and entities, and with a history of 100,000 entries.
///
/// Only the processor time decides, because other programs do not affect it.
@main
struct Keys {
  static func main() {
    do {
      if try isSlow() { exit(1) }
    } catch {
      print(error)
      exit(2)
    }
  }

  /// Measures everything, and returns whether something takes longer than its limit.
  private static func isSlow() throws -> Bool {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let objects = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
    let terminal = try Terminal(folder.appendingPathComponent("frc").path)
    try terminal.type(
      "entity Book { title: String, publisher: String, pages: Int = 0 }\r", until: "# entity")
    try terminal.type(
      "controller books = Book sort by publisher, title section by publisher\r",
      until: "# fetch books")
    try terminal.type(
      "insert \(objects) Book(title: \"Book \\(i)\", publisher: \"P\\(i % 7)\")\r",
      until: "inserted")
    try terminal.type("fetch books; let dune = Book/1\r", until: "\(objects) objects")

    let lines = (1...500).map {
      "  insert Book(title: \"Line \($0)\", publisher: \"Ace\", pages: \($0))"
    }
    try terminal.type(
      "\u{1B}[200~perform {\r" + lines.joined(separator: "\r") + "\r\u{1B}[201~", until: "Line 500")
    try terminal.settle()

    var failed = false
    failed =
      try measure(
        "letters at the end", terminal, Array("  dune.pages = dune.pages + 12").map(String.init))
      || failed
    failed = try measure("Backspace", terminal, Array(repeating: "\u{7F}", count: 20)) || failed
    failed = try measure("Up", terminal, Array(repeating: "\u{1B}[A", count: 60)) || failed
    failed =
      try measure(
        "letters in the midst", terminal,
        Array("x = books[0, 1].title + \"Müller\"").map(String.init)) || failed
    failed = try measure("Left", terminal, Array(repeating: "\u{1B}[D", count: 20)) || failed
    // In a new line of the block, Tab lists, and a letter behind it narrows the list.
    failed =
      try measure(
        "Tab and its list", terminal,
        ["\u{1B}[F", "\u{1B}\r", "d", "\t", "\u{7}", "\u{7F}", "f", "\t", "\u{7}", "\u{7F}"])
      || failed
    failed = try stop(terminal) || failed
    return try names(folder.appendingPathComponent("frc").path) || failed
  }

  /// Measures keys in a session with many names.
  ///
  /// - Returns: Whether something takes longer than its limit.
  private static func names(_ program: String) throws -> Bool {
    let home = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-keys-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
    let script = home.appendingPathComponent("names.frc")
    let names = (1...10_000).map { "let name\($0) = \($0)" }.joined(separator: "\n")
    let objects = """
      entity Book { title: String, genre: String }
      insert 10000 Book(title: "Title \\(i)", genre: "Genre \\(i % 7)")
      save
      """
    try Data((names + "\n" + objects + "\n").utf8).write(to: script)
    let history = home.appendingPathComponent("history")
    let entries = (1...100_000).map { "print \"entry \($0)\"" }.joined(separator: "\n")
    try Data((entries + "\n").utf8).write(to: history)

    let start = ContinuousClock.now
    let terminal = try Terminal(program, history: history.path)
    print(
      String(
        format: "the first prompt, with a history of 100,000 entries: %.0f ms",
        (ContinuousClock.now - start) / .milliseconds(1)))
    var failed = try measure(
      "a history of 100,000", terminal,
      Array("print \"entry 5").map(String.init) + ["\u{7F}", "7", "\u{7F}", "x"])
    failed =
      try measure("Up, 100,000 entries", terminal, ["\u{7F}", "\u{1B}[A", "\u{1B}[A"])
      || failed
    try terminal.type("\u{15}", until: "")
    failed =
      try measure(
        "Ctrl-R, 100,000 entries", terminal, ["\u{12}"] + Array("ntry 4321").map(String.init))
      || failed
    try terminal.type("\u{7}\u{15}:load \(script.path)\r", until: "10003 of 10003")
    failed =
      try measure(
        "among 10,000 names", terminal, Array("let sum = name12 + name99 + zz").map(String.init))
      || failed
    try terminal.type("\u{15}", until: "")
    failed =
      try measure("begins as 10,000", terminal, Array("print name + count").map(String.init))
      || failed
    try terminal.type("\u{15}print na", until: "")
    failed =
      try measure("Tab, 10,000 names", terminal, ["\t", "1", "\u{1B}[B"], atMost: 2) || failed
    try terminal.type("\u{15}print nme", until: "")
    failed = try measure("Tab, fuzzy", terminal, ["\t", "9"], atMost: 2) || failed
    try terminal.type("\u{15}fetch Book where genre == \"G", until: "")
    failed =
      try measure("Tab, 10,000 values", terminal, ["\t", "7", "\u{7F}"], atMost: 2) || failed
    try terminal.type("\u{15}print Book/", until: "")
    failed =
      try measure("Tab, 10,000 objects", terminal, ["\t", "7", "\u{7F}"], atMost: 2) || failed
    return try entities(program, home) || failed
  }

  /// Measures keys in a session with many entities.
  private static func entities(_ program: String, _ home: URL) throws -> Bool {
    let script = home.appendingPathComponent("entities.frc")
    let entities = (1...10_000).map { "entity Entity\($0) { key\($0): Int = 0 }" }
    try Data((entities.joined(separator: "\n") + "\n").utf8).write(to: script)
    let terminal = try Terminal(program)
    try terminal.type(":load \(script.path)\r", until: "10000 of 10000")
    var failed = try measure(
      "among 10,000 entities", terminal, Array("fetch Entity77 where key77 > 1").map(String.init))
    try terminal.type("\u{15}fetch E", until: "")
    failed = try measure("Tab, 10,000 entities", terminal, ["\t", "9"], atMost: 2) || failed
    return failed
  }

  /// Prints how long Ctrl-C takes until a statement has stopped, and until the session is restored.
  ///
  /// - Returns: Whether a statement took longer to stop than its limit.
  private static func stop(_ terminal: Terminal) throws -> Bool {
    var failed = false
    try terminal.type("\u{3}", until: "frc> ")
    for statement in [
      "repeat 1000000000 { }",
      "for i in 1...100000000 { insert Book(title: \"n\", publisher: \"N\") }",
      "insert 10000000 Book(title: \"n\", publisher: \"N\")",
      "repeat 1000000 { count Book where title MATCHES '.*(a|b|c)+.*9' }",
      "repeat 1000000 { fetch books }",
    ] {
      try terminal.begin(statement + "\r")
      usleep(700_000)
      let start = ContinuousClock.now
      try terminal.type("\u{3}", until: "# interrupted", settles: false)
      let stopped = (ContinuousClock.now - start) / .milliseconds(1)
      try terminal.type("", until: "frc> ", forgets: false)
      let ready = (ContinuousClock.now - start) / .milliseconds(1)
      failed = failed || stopped > 100
      print(
        String(
          format: "Ctrl-C  stops in %4.0f ms (at most 100 wanted), prompt in %4.0f ms: ", stopped,
          ready)
          + statement)
    }
    return failed
  }

  /// Prints the median and the slowest of the keys' times.
  ///
  /// - Parameter limit: How many milliseconds of processor time the median key may take.
  /// - Returns: Whether it takes more.
  private static func measure(
    _ name: String, _ terminal: Terminal, _ keys: [String], atMost limit: Double = 5
  ) throws -> Bool {
    var times: [Double] = []
    var computed: [Double] = []
    for key in keys {
      let before = terminal.processorTime
      times.append(try terminal.answerTime(to: key))
      try terminal.settle()
      computed.append(terminal.processorTime - before)
    }
    times.sort()
    computed.sort()
    let median = computed[computed.count / 2]
    let label = name.padding(toLength: 24, withPad: " ", startingAt: 0)
    print(
      label
        + String(
          format: "computes: median %5.2f ms, slowest %5.2f ms; answers: median %5.2f ms%@", median,
          computed[computed.count - 1], times[times.count / 2],
          median > limit ? "; too slow, at most \(limit) wanted" : ""))
    return median > limit
  }
}

/// A program at a pseudo-terminal.
private final class Terminal {
  private let master: Int32
  private let process: pid_t
  private var seen = ""

  struct Failure: Error {
    let what: String
  }

  init(_ program: String, history: String = "") throws {
    var master: Int32 = -1
    var slave: Int32 = -1
    var name = [CChar](repeating: 0, count: 256)
    var size = winsize(ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, &name, nil, &size) == 0 else { throw Failure(what: "openpty") }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    self.master = master
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    // The flag for a new session, for which there is no imported constant.
    posix_spawnattr_setflags(&attributes, 0x80)
    let environment = ["HOME=/dev/null", "LANG=C.UTF-8", "TERM=xterm", "FRC_HISTORY=\(history)"]
    let argv = [strdup(program), nil]
    let envp = environment.map { strdup($0) } + [nil]
    var process: pid_t = 0
    guard posix_spawn(&process, program, &actions, &attributes, argv, envp) == 0 else {
      throw Failure(what: "cannot start \(program)")
    }
    close(slave)
    self.process = process
    try wait(for: "frc> ")
    try settle()
  }

  deinit {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  func type(
    _ text: String, until expected: String, settles: Bool = true, forgets: Bool = true
  ) throws {
    if forgets { seen = "" }
    try write(text)
    try wait(for: expected)
    if settles { try settle() }
  }

  func begin(_ text: String) throws { try write(text) }

  /// Returns how long it takes until a key changes something, in milliseconds.
  func answerTime(to key: String) throws -> Double {
    let start = ContinuousClock.now
    try write(key)
    guard try read(within: 5000) else { throw Failure(what: "no answer to a key") }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// The processor time of the program, in milliseconds.
  var processorTime: Double {
    guard let stream = fopen("/proc/\(process)/schedstat", "r") else { return 0 }
    defer { fclose(stream) }
    // The first number is the processor time in nanoseconds.
    var line = [CChar](repeating: 0, count: 64)
    guard fgets(&line, 64, stream) != nil else { return 0 }
    let digits = line.prefix { (48...57).contains($0) }.map { UInt8(bitPattern: $0) }
    return (Double(String(decoding: digits, as: UTF8.self)) ?? 0) / 1e6
  }

  /// Reads until there is no output for a while.
  func settle() throws { while try read(within: 60) {} }

  private func wait(for text: String) throws {
    while !text.isEmpty, !seen.contains(text) {
      guard try read(within: 60_000) else {
        throw Failure(what: "waited for '\(text)': \(seen.suffix(500))")
      }
    }
  }

  private func write(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
      if count > 0 { rest.removeFirst(count) } else { _ = try read(within: 5) }
    }
  }

  /// - Returns: Whether there was output in time.
  private func read(within milliseconds: Int32) throws -> Bool {
    var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, milliseconds) > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(master, &buffer, buffer.count)
    guard count > 0 else { throw Failure(what: "the program has ended: \(seen.suffix(500))") }
    seen += String(decoding: buffer[..<count], as: UTF8.self)
    if seen.utf8.count > 1 << 20 { seen = String(seen.suffix(4096)) }
    return true
  }
}
