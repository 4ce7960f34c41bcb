import Glibc

/// Whether Ctrl-C was pressed since the flag was last lowered.
///
/// While a statement runs, Ctrl-C raises the flag and does nothing else; what
/// runs asks for it from time to time and stops. A `LineReader` lowers it when
/// it begins to read a statement. Signals belong to the whole process, hence
/// no instances.
package enum InterruptFlag {
  /// Makes SIGINT raise the flag instead of ending the program.
  ///
  /// System calls that wait are interrupted (`EINTR`). Where SIGINT is ignored,
  /// as in a background job, it stays so.
  package static func install() {
    SignalInbox.accept(SIGINT)
  }

  /// Whether Ctrl-C was pressed and nobody has answered it yet.
  ///
  /// One atomic load; cheap enough for an inner loop.
  package static var isRaised: Bool {
    SignalInbox.contains(SIGINT)
  }

  /// Forgets a Ctrl-C.
  package static func lower() {
    _ = SignalInbox.take(SIGINT)
  }
}
