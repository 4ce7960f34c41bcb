import CLibrary

extension FileDescriptor {
  /// Whether this is a terminal, so that a person may sit at its other end.
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

  /// Asks a terminal for its size.
  ///
  /// Nil if the descriptor is not a terminal, or one that does not know its size.
  package init?(of descriptor: FileDescriptor) {
    var size = winsize()
    guard ioctl(descriptor.number, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0, size.ws_row > 0
    else { return nil }
    self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}

/// A terminal that sends each key as it is pressed and does not show it, or is
/// as it was before.
package struct KeyMode {
  private let descriptor: FileDescriptor
  private let before: termios

  /// Nil if the descriptor is not a terminal.
  package init?(_ descriptor: FileDescriptor) {
    var before = termios()
    guard tcgetattr(descriptor.number, &before) == 0 else { return nil }
    self.descriptor = descriptor
    self.before = before
  }

  /// Has each key sent as it is pressed.
  package func enter() {
    TerminalRescue.arm(descriptor, restoring: before, farewell: "\r\n")
    var mode = before
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(descriptor.number, TCSADRAIN, &mode)
  }

  /// Has also those keys sent that the system would answer itself.
  ///
  /// Ctrl-S would stop the screen, and Ctrl-\ end the program. Ctrl-C and Ctrl-Z stay signals.
  ///
  /// - Parameter farewell: What is written where the program is stopped in this
  ///   mode.
  package func takeAllKeys(farewell: String) {
    TerminalRescue.arm(descriptor, restoring: before, farewell: farewell)
    var mode = termios()
    guard tcgetattr(descriptor.number, &mode) == 0 else { return }
    mode.c_iflag &= ~tcflag_t(IXON)
    let disabled = UInt8(truncatingIfNeeded: fpathconf(descriptor.number, Int32(_PC_VDISABLE)))
    withUnsafeMutableBytes(of: &mode.c_cc) { keys in
      for key in [VQUIT, VLNEXT, VDISCARD] { keys[Int(key)] = disabled }
    }
    tcsetattr(descriptor.number, TCSADRAIN, &mode)
  }

  /// Puts the terminal back as it was.
  package func leave() {
    var mode = before
    tcsetattr(descriptor.number, TCSADRAIN, &mode)
    TerminalRescue.disarm()
  }
}

/// What the surroundings say about the terminal, and how text is written to it.
package enum TerminalSettings {
  /// What `TERM` names; empty where it names nothing.
  package static var kind: String { ProcessEnvironment["TERM", default: ""] }

  /// Whether the terminal obeys control sequences: any but those that say that
  /// they do not.
  ///
  /// One that the system does not know does, too. Terminals of today are alike, and
  /// their descriptions are often missing, at the other end of SSH or in a container.
  package static var obeysSequences: Bool { !["", "dumb", "emacs", "unknown"].contains(kind) }

  /// Whether the terminal is one of those that wrap the rows on their screen again when
  /// their width changes, as far as the environment tells.
  package static var reflows: Bool {
    // A multiplexer draws the screen, whatever terminal it is in.
    guard ProcessEnvironment["STY"] == nil else { return false }
    let marks = [
      "TMUX", "VTE_VERSION", "KITTY_WINDOW_ID", "ALACRITTY_WINDOW_ID", "KONSOLE_VERSION",
      "WT_SESSION", "GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE", "ITERM_SESSION_ID",
    ]
    return marks.contains { !ProcessEnvironment[$0, default: ""].isEmpty }
      || ProcessEnvironment["TERM_PROGRAM"] == "Apple_Terminal"
  }

  /// Has the C library take text for UTF-8, whatever the user's locale says: any
  /// other encoding loses what is typed.
  package static func useUTF8() {
    setlocale(LC_CTYPE, "")
    if String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8" {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
  }
}
