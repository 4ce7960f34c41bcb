import Foundation
import Glibc

/// A program at its own terminal, controlled by a test.
///
/// No wait has a fixed length: each ends when the expected output appears, or fails with the screen
/// in its message. Only one test uses it at a time.
package final class PseudoTerminal {
  /// What the program has displayed so far.
  package private(set) var screen: Screen

  /// The bytes the program has written so far.
  package private(set) var output: [UInt8] = []

  /// The process at the terminal, which has its own session.
  package let process: Int32

  /// -1 after ``hangUp(seconds:)``.
  private var terminal: Int32
  private var status: Int32?
  private var isHungUp = false
  /// Whether rows are wrapped again when the width changes.
  package var reflows = false

  /// How much memory the program has, in bytes; nil if it has ended.
  package var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8) else {
      return nil
    }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
  }

  /// How many bytes the program had written when something was last typed.
  private var outputBeforeTyping = 0

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - executable: The path of the program.
  ///   - arguments: Its arguments, without its name.
  ///   - environment: Its environment; nothing is inherited. A TERM of nil leaves it unset.
  ///   - columns: The width of the window.
  ///   - rows: The height of the window.
  /// - Throws: `Failure` if there is no terminal or no such program.
  package init(
    _ executable: String,
    arguments: [String] = [],
    environment: [String: String?] = [:],
    columns: Int = 80,
    rows: Int = 24
  ) throws(Failure) {
    screen = Screen(columns: columns, rows: rows)
    var master: Int32 = -1
    var slave: Int32 = -1
    var name = [CChar](repeating: 0, count: 256)
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, &name, nil, &size) == 0 else { throw Failure("openpty") }
    // Programs that other tests start at the same time must not keep it open.
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    terminal = master
    let defaults: [String: String?] = [
      // Nothing can be made below this path, not even by root, so that no test leaves files there.
      "HOME": "/dev/null", "FRC_HISTORY": environment["HOME"] == nil ? "" : nil,
      "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "TERM": "xterm",
      // A program that knows the background need not ask this terminal, which does not answer.
      "COLORFGBG": "15;0",
      // A program that crashes prints a report and ends, and does not wait for a debugger.
      "SWIFT_BACKTRACE": "interactive=no,color=no",
    ]
    let variables = defaults.merging(environment) { $1 }
      .compactMap { name, value in value.map { "\(name)=\($0)" } }
    let started = Self.start(executable, [executable] + arguments, variables, terminal: name)
    close(slave)
    guard let started else {
      close(master)
      throw Failure("cannot start \(executable)")
    }
    process = started
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    if terminal >= 0 { close(terminal) }
  }

  /// Returns the path of a program of this package, as the test run has built it.
  ///
  /// `FRC_PROGRAM` names another `frc`, such as one of a release build, which is faster.
  package static func builtProgram(_ name: String) -> String {
    if name == "frc", let program = getenv("FRC_PROGRAM").map({ String(cString: $0) }) {
      guard program.hasPrefix("/") else {
        fatalError("FRC_PROGRAM is '\(program)'; expected an absolute path")
      }
      return program
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let length = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { name in
        name.baseAddress.map { readlink("/proc/self/exe", $0, name.count) } ?? 0
      }
    }
    let path = String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)
    let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
    return "\(folder)/\(name)"
  }

  /// Whether the program itself edits lines now.
  package var isRaw: Bool {
    var attributes = termios()
    return tcgetattr(terminal, &attributes) == 0 && attributes.c_lflag & tcflag_t(ICANON) == 0
  }

  /// Types `text`.
  package func type(_ text: String) throws(Failure) {
    try type(bytes: Array(text.utf8))
  }

  /// Whether the program has written something since something was last typed.
  package var hasAnswered: Bool { output.count > outputBeforeTyping }

  /// Types `text`, and waits until the program has read it.
  ///
  /// Use it for keys that display nothing. Text that is not read yet when Ctrl-C is typed would be
  /// lost.
  package func typeAndWaitUntilRead(_ text: String) throws(Failure) {
    try typeAndWaitUntilRead(bytes: Array(text.utf8))
  }

  /// Types bytes and waits until the program has read them.
  package func typeAndWaitUntilRead(bytes: [UInt8]) throws(Failure) {
    let before = bytesRead
    try type(bytes: bytes)
    try wait(for: "the program to read") { $0.bytesRead >= before + bytes.count }
  }

  /// How many bytes the program has read from anywhere.
  private var bytesRead: Int {
    guard let stream = fopen("/proc/\(process)/io", "r") else { return 0 }
    defer { fclose(stream) }
    // The first line is "rchar: 123".
    var line = [CChar](repeating: 0, count: 64)
    guard fgets(&line, 64, stream) != nil else { return 0 }
    let digits = line.filter { (48...57).contains($0) }.map { UInt8(bitPattern: $0) }
    return Int(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// Types bytes, which need not be UTF-8.
  ///
  /// - Throws: `Failure`, with the screen, if the program reads nothing for 20 seconds.
  package func type(bytes: [UInt8]) throws(Failure) {
    var deadline = ContinuousClock.now + .seconds(20)
    while look(POLLIN) {
      guard ContinuousClock.now < deadline else { throw failure("the program writes without end") }
    }
    outputBeforeTyping = output.count
    deadline = ContinuousClock.now + .seconds(20)
    var rest = bytes[...]
    while !rest.isEmpty {
      guard ContinuousClock.now < deadline else {
        throw failure("waited in vain for the program to read \(rest.count) bytes")
      }
      let count = rest.withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
      if count > 0 {
        rest.removeFirst(count)
        deadline = ContinuousClock.now + .seconds(20)
      } else {
        guard errno == EAGAIN || errno == EINTR else { throw failure("the terminal is closed") }
        // The program must first read earlier input, and its echo may be in the way.
        look(POLLIN | POLLOUT)
      }
    }
  }

  /// Gives the window another size.
  package func resize(columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    if reflows {
      screen.reflow(columns: columns, rows: rows)
    } else {
      screen.resize(columns: columns, rows: rows)
    }
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// Closes the terminal, as when its window is closed, and waits until the program has ended.
  ///
  /// - Returns: How it ended; nil if it did not within some seconds.
  package func hangUp(seconds: Int = 20) -> Exit? {
    close(terminal)
    terminal = -1
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !hasEnded, ContinuousClock.now < deadline { poll(nil, 0, 5) }
    return status.map(Self.exit)
  }

  /// The processes in the program's session, without those that have ended.
  package var processesInSession: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { number in
      guard getsid(number) == process,
        let line = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
      else { return false }
      // A process that has ended is a zombie until its parent asks for its status.
      let fields = line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ")
      return fields.count > 1 && fields[1] != "Z"
    }
  }

  /// Sends `signal` to the program.
  package func send(_ signal: Int32) {
    kill(process, signal)
  }
}

// MARK: - Waiting

extension PseudoTerminal {
  /// The reason why a terminal cannot do what a test expects.
  package struct Failure: Error, CustomStringConvertible {
    /// The reason, and the screen if there was one.
    package let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// How a program ended.
  package enum Exit: Equatable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  /// Waits until `condition` is true.
  ///
  /// - Parameters:
  ///   - what: A description of what is expected, for the failure's message.
  ///   - seconds: How long to wait at most.
  ///   - condition: Checks the terminal; called after each output.
  /// - Throws: `Failure`, with the screen, if the time is over or the program has ended.
  package func wait(
    for what: String, seconds: Int = 20, until condition: (PseudoTerminal) -> Bool
  ) throws(Failure) {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !condition(self) {
      guard ContinuousClock.now < deadline else { throw failure("waited in vain for \(what)") }
      // A program leaves its terminal before it ends.
      if isHungUp, hasEnded, !look(POLLIN) {
        if condition(self) { return }
        throw failure("the program ended before \(what)")
      }
      look(POLLIN)
    }
  }

  /// Whether the program has ended.
  ///
  /// Its status is kept.
  private var hasEnded: Bool {
    var code: Int32 = 0
    if status == nil, waitpid(process, &code, WNOHANG) == process { status = code }
    return status != nil
  }

  /// Waits until the screen shows exactly these rows, and the program is ready for keys.
  package func wait(forRows rows: [String]) throws(Failure) {
    try wait(for: "these rows and raw mode:\n" + rows.joined(separator: "\n")) {
      $0.screen.rows == rows && $0.isRaw
    }
  }

  /// Waits until `text` is displayed.
  package func wait(forText text: String) throws(Failure) {
    try wait(for: "'\(text)'") { $0.screen.text.contains(text) }
  }

  /// Types `text`, and waits as ``wait(forRows:)`` does.
  package func type(_ text: String, showing rows: [String]) throws(Failure) {
    try type(text)
    try wait(forRows: rows)
  }

  /// Types `text`, and waits until `shown` is displayed.
  package func type(_ text: String, showing shown: String) throws(Failure) {
    try type(text)
    try wait(forText: shown)
  }

  /// Types `text`, and waits as ``wait(forPrompt:)`` does.
  package func type(_ text: String, untilPrompt prompt: String) throws(Failure) {
    try type(text)
    try wait(forPrompt: prompt)
  }

  /// Waits until the cursor is after `prompt` in a row with nothing else, and the program is ready
  /// for keys.
  ///
  /// The prompt at which something was typed does not count.
  package func wait(forPrompt prompt: String) throws(Failure) {
    try wait(for: "the prompt '\(prompt)'") {
      $0.isRaw && $0.hasAnswered
        // A line of a block may begin with blanks.
        && $0.screen.cursor.column >= prompt.count
        && $0.screen.cursorRow + " " == prompt
    }
  }

  /// Waits until the program has ended.
  package func waitForExit() throws(Failure) -> Exit {
    try wait(for: "the end of the program") { terminal in
      terminal.look(POLLIN)
      return terminal.hasEnded
    }
    while look(POLLIN) {}
    return Self.exit(status ?? 0)
  }

  /// Types `text`, and waits until the program has ended.
  package func exit(afterTyping text: String) throws(Failure) -> Exit {
    try type(text)
    return try waitForExit()
  }

  private static func exit(_ status: Int32) -> Exit {
    status & 0x7F == 0 ? .code((status >> 8) & 0xFF) : .signal(status & 0x7F)
  }

  /// Reads the program's output, waiting a few milliseconds for it.
  ///
  /// - Returns: Whether there was any.
  @discardableResult
  private func look(_ events: Int32) -> Bool {
    var request = pollfd(fd: terminal, events: Int16(events), revents: 0)
    // A terminal that is hung up is always readable, so wait to avoid a busy loop.
    if isHungUp { poll(nil, 0, 2) }
    guard poll(&request, 1, 2) > 0 else { return false }
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
      count = read(terminal, buffer.baseAddress, 65_536)
      if count < 0, errno == EIO { isHungUp = true }
      filled = max(0, count)
    }
    output += bytes
    screen.feed(bytes)
    return count > 0
  }

  private func failure(_ reason: String) -> Failure {
    let seen = screen.scrolledOff.suffix(40) + screen.rows
    let rows = seen.map { "|\($0)" }.joined(separator: "\n")
    let cursor = "cursor in row \(screen.cursor.row), column \(screen.cursor.column)"
    return Failure("\(reason)\nthe screen, \(cursor), raw mode \(isRaw):\n\(rows)")
  }
}

// MARK: - Starting

extension PseudoTerminal {
  private static func start(
    _ executable: String, _ arguments: [String], _ environment: [String], terminal: [CChar]
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Opened after the new session is created, it becomes the session's terminal.
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Tests run on threads that block all signals, and a child inherits this.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // Swift does not import the constant for a new session.
    let newSession: Int32 = 0x80
    let flags = newSession | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, executable, &actions, &attributes, argv, envp)
    return code == 0 ? process : nil
  }
}
