import CLibEdit

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
