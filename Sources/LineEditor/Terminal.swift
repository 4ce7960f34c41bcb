import CLibEdit
import Glibc

/// Tells whether a person may sit at the other end of `fileDescriptor`.
package func isTerminal(_ fileDescriptor: Int32) -> Bool {
  isatty(fileDescriptor) == 1
}

/// Whether the system knows how the terminal that `TERM` names is written to:
/// at least, how its cursor goes up.
///
/// Of a `dumb` one there is nothing to know.
package var isTerminalKnown: Bool {
  guard let output = DiscardedOutput(), let editLine = frc_el_init("frc", output.stream) else {
    return false
  }
  defer { el_end(editLine) }
  return frc_el_knows(editLine, "up") != 0
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

  /// Asks the terminal behind `fileDescriptor` for its size.
  ///
  /// Nil where that is no terminal, or one that does not know its size.
  package init?(of fileDescriptor: Int32) {
    var size = winsize()
    guard ioctl(fileDescriptor, UInt(TIOCGWINSZ), &size) == 0,
      size.ws_col > 0, size.ws_row > 0
    else { return nil }
    self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
