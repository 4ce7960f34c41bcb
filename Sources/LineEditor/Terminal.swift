import CLibEdit

/// Whether the system knows how the terminal that `TERM` names is written to:
/// at least, how its cursor goes up.
///
/// Of a `dumb` one there is nothing to know.
///
/// The system is asked once. Its library keeps what it read of a terminal in
/// global variables, which two threads must not change at a time.
package let isTerminalKnown: Bool = {
  guard let output = DiscardedOutput(), let editLine = frc_el_init("frc", output.stream) else {
    return false
  }
  defer { el_end(editLine) }
  return frc_el_knows(editLine, "up") != 0
}()
