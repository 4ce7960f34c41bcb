import Platform
import Synchronization

/// Whether Ctrl-C was pressed since the flag was last lowered, or another signal
/// came that is to end the program in good order.
///
/// While a statement runs, Ctrl-C raises the flag and does nothing else; what
/// runs asks for it from time to time and stops. A `LineReader` lowers it when
/// it begins to read a statement. Signals belong to the whole process, hence
/// no instances.
package enum InterruptFlag {
  /// Makes SIGINT raise the flag instead of ending the program.
  ///
  /// System calls that wait are interrupted (`EINTR`). A signal that is ignored,
  /// as SIGINT is in a background job, stays so.
  ///
  /// - Parameter endsProgram: Whether all that is left to do when the flag is
  ///   raised is to end; then SIGTERM, SIGHUP and SIGPIPE raise it, too.
  package static func install(endsProgram: Bool = false) {
    let signals = endsProgram ? ending : [.interrupt]
    accepted.store(signals.reduce(0) { $0 | SignalInbox.bit($1) }, ordering: .relaxed)
    for signal in signals { SignalInbox.accept(signal) }
  }

  /// The signals by which a program is asked to end.
  private static let ending = [Signal.interrupt, .terminate, .hangUp, .brokenPipe]

  /// The signals that raise the flag, one bit each.
  private static let accepted = Atomic(SignalInbox.bit(.interrupt))

  /// Whether Ctrl-C was pressed, or another signal came that raises the flag, and
  /// nobody has answered it yet.
  ///
  /// Two atomic loads; cheap enough for an inner loop.
  package static var isRaised: Bool {
    SignalInbox.containsAny(of: accepted.load(ordering: .relaxed))
  }

  /// The exit status of a program that the signal would have ended, which shells
  /// know; nil where the flag is not raised.
  package static var exitStatus: Int32? {
    guard isRaised else { return nil }
    return ending.first(where: SignalInbox.contains).map { 128 + $0.number }
  }

  /// Forgets a Ctrl-C.
  package static func lower() {
    _ = SignalInbox.take(.interrupt)
  }
}
