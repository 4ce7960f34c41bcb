import CLibrary
import Synchronization

extension FileDescriptor {
  /// Whether this is a terminal, which a person may be using.
  package var isTerminal: Bool { isatty(number) == 1 }
}

/// The size of a terminal in character cells.
package struct TerminalSize: Equatable, Sendable {
  /// The number of cells in a row.
  package var columns: Int

  /// The number of rows.
  package var rows: Int

  /// Creates a size.
  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// Reads the size of a terminal.
  ///
  /// - Returns: Nil if the descriptor is not a terminal, or if the terminal does not know its size.
  package init?(of descriptor: FileDescriptor) {
    var size = winsize()
    guard ioctl(descriptor.number, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0, size.ws_row > 0
    else { return nil }
    self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}

/// The input mode of a terminal.
///
/// It can send each key when it is pressed, without showing it, and return to the original mode.
package struct KeyMode {
  private let descriptor: FileDescriptor
  private let before: termios

  /// - Returns: Nil if the descriptor is not a terminal.
  package init?(_ descriptor: FileDescriptor) {
    var before = termios()
    guard tcgetattr(descriptor.number, &before) == 0 else { return nil }
    self.descriptor = descriptor
    self.before = before
  }

  /// Starts to send each key when it is pressed.
  package func enter() {
    TerminalRestorer.arm(descriptor, restoring: before, farewell: "\r\n")
    var mode = before
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(descriptor.number, TCSADRAIN, &mode)
  }

  /// Starts to send the keys as well that the system would handle itself.
  ///
  /// Otherwise, Ctrl-S would stop the screen and Ctrl-\ would end the program. Ctrl-C and Ctrl-Z
  /// still cause signals.
  ///
  /// - Parameter farewell: The text to write if the program is ended in this mode.
  package func takeAllKeys(farewell: String) {
    TerminalRestorer.arm(descriptor, restoring: before, farewell: farewell)
    var mode = termios()
    guard tcgetattr(descriptor.number, &mode) == 0 else { return }
    mode.c_iflag &= ~tcflag_t(IXON)
    // A user's settings of libedit may say otherwise.
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    let disabled = UInt8(truncatingIfNeeded: fpathconf(descriptor.number, Int32(_PC_VDISABLE)))
    withUnsafeMutableBytes(of: &mode.c_cc) { keys in
      for key in [VQUIT, VLNEXT, VDISCARD] { keys[Int(key)] = disabled }
    }
    tcsetattr(descriptor.number, TCSADRAIN, &mode)
  }

  /// Restores the terminal's original mode.
  package func leave() {
    var mode = before
    tcsetattr(descriptor.number, TCSADRAIN, &mode)
    TerminalRestorer.disarm()
  }
}

/// Properties of the terminal according to the environment.
package enum TerminalSettings {
  /// The value of `TERM`; empty if it is not set.
  package static var kind: String { ProcessEnvironment["TERM", default: ""] }

  /// Whether the terminal understands control sequences.
  ///
  /// All do, except those with a name that says otherwise.
  ///
  /// A terminal that the system does not know counts as well. Today's terminals are similar, and
  /// their descriptions are often missing over SSH or in a container.
  package static var obeysSequences: Bool { !["", "dumb", "emacs", "unknown"].contains(kind) }

  /// Whether the terminal wraps the rows on its screen again when its width changes, as far as the
  /// environment shows.
  package static var reflows: Bool {
    // A multiplexer draws the screen itself, whatever terminal it runs in.
    guard ProcessEnvironment["STY"] == nil else { return false }
    let marks = [
      "TMUX", "VTE_VERSION", "KITTY_WINDOW_ID", "ALACRITTY_WINDOW_ID", "KONSOLE_VERSION",
      "WT_SESSION", "GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE", "ITERM_SESSION_ID",
    ]
    return marks.contains { !ProcessEnvironment[$0, default: ""].isEmpty }
      || ProcessEnvironment["TERM_PROGRAM"] == "Apple_Terminal"
  }

  /// Makes the C library treat text as UTF-8, whatever the user's locale is.
  ///
  /// Any other encoding would lose typed characters.
  package static func useUTF8() {
    setlocale(LC_CTYPE, "")
    if String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8" {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
  }
}

/// Restores a terminal's mode when a signal ends the program, whatever the program is doing then.
///
/// A signal handler may do almost nothing. So everything that it needs is prepared here: the mode,
/// and the bytes to write.
package enum TerminalRestorer {
  // These are written while `isArmed` is false, so a handler never reads incomplete values.
  nonisolated(unsafe) private static var mode = termios()
  nonisolated(unsafe) private static var terminal: Int32 = -1
  nonisolated(unsafe) private static var farewell: UnsafeMutablePointer<CChar>?
  nonisolated(unsafe) private static var farewellCount = 0
  /// The previous actions for signals, by their numbers.
  nonisolated(unsafe) private static var previous: UnsafeMutablePointer<sigaction>?
  /// A signal handler that also receives the source of the signal.
  private typealias Answer =
    @convention(c) (Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
  private static let isArmed = Atomic(false)
  /// The signal that will end the program.
  private static let awaited = Atomic<Int32>(0)

  /// Starts to watch over a terminal.
  ///
  /// - Parameters:
  ///   - descriptor: The terminal.
  ///   - mode: The mode to restore.
  ///   - text: A text to write as well.
  static func arm(_ descriptor: FileDescriptor, restoring mode: termios, farewell text: String) {
    disarm()
    install()
    self.mode = mode
    terminal = descriptor.number
    free(farewell)
    farewell = strdup(text)
    farewellCount = text.utf8.count
    isArmed.store(true, ordering: .releasing)
  }

  /// Stops watching, because the terminal is in its original mode again.
  static func disarm() { isArmed.store(false, ordering: .releasing) }

  /// Ends the program with a signal after one second, unless it ends before or ``stopDeadline()``
  /// is called.
  ///
  /// A handler of the signal may call it.
  package static func startDeadline(for signal: Int32) {
    awaited.store(signal, ordering: .releasing)
    alarm(1)
  }

  /// Cancels the deadline.
  package static func stopDeadline() { alarm(0) }

  /// Lets a signal restore the terminal and then end the program, at once.
  ///
  /// For waits that do not look at signals themselves.
  ///
  /// - Returns: The previous action, which the caller restores; nil if the signal is ignored.
  package static func endAtOnce(by signal: Signal) -> Signal.Action? {
    // It is initialized here and not in the handler.
    _ = isArmed.load(ordering: .relaxed)
    return signal.handle { number, _, _ in
      TerminalRestorer.perform()
      Signal(number: number).useDefault()
      Signal(number: number).send()
    }
  }

  /// Restores the terminal, if it is watched.
  package static func perform() {
    guard isArmed.exchange(false, ordering: .acquiringAndReleasing) else { return }
    tcsetattr(terminal, TCSANOW, &mode)
    _ = SystemCalls.write(terminal, farewell, farewellCount)
  }

  /// Installs handlers for crashes and for the deadline.
  private static func install() {
    guard previous == nil else { return }
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
    actions.initialize(repeating: sigaction(), count: 65)
    previous = actions
    _ = isArmed.load(ordering: .relaxed)
    _ = awaited.load(ordering: .relaxed)
    let answer: Answer = { number, details, context in
      TerminalRestorer.perform()
      // The runtime's handler may print a message. It returns if another process sent the signal.
      if let bits = TerminalRestorer.previous?[Int(number)].handlerBits, bits != 0, bits != 1 {
        unsafeBitCast(bits, to: Answer.self)(number, details, context)
      }
      signal(number, SIG_DFL)
      raise(number)
    }
    for crash in Signal.crashes {
      var action = sigaction()
      action.setHandler(unsafeBitCast(answer, to: Signal.Handler.self))
      action.sa_flags |= SA_ONSTACK | SA_SIGINFO
      sigaction(crash.number, &action, actions + Int(crash.number))
    }
    _ = Signal(number: SIGALRM).handle { _, _, _ in
      TerminalRestorer.perform()
      let number = TerminalRestorer.awaited.load(ordering: .acquiring)
      signal(number, SIG_DFL)
      raise(number)
    }
  }
}
