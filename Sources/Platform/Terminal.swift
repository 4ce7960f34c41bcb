import CLibrary

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
    TerminalRescue.arm(descriptor, restoring: before, farewell: "\r\n")
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
    TerminalRescue.arm(descriptor, restoring: before, farewell: farewell)
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
    TerminalRescue.disarm()
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
