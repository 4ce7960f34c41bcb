import Platform
import Synchronization

/// A flag that says whether Ctrl-C was pressed since it was last lowered.
///
/// It is also raised by another signal that must end the program in good order.
///
/// While a statement runs, Ctrl-C only raises the flag; the statement asks for it from time to time
/// and stops. A `LineReader` lowers it when it begins to read a statement. Signals belong to the
/// whole process, so there are no instances.
package enum InterruptFlag {
  /// Makes SIGINT raise the flag instead of ending the program.
  ///
  /// Waiting system calls are interrupted (`EINTR`). A signal that is ignored, as SIGINT is in a
  /// background job, is still ignored.
  ///
  /// - Parameter endsProgram: Whether the program will end when the flag is raised. If so, SIGTERM,
  ///   SIGHUP and SIGPIPE raise it too.
  package static func install(endsProgram: Bool = false) {
    let signals = endsProgram ? ending : [.interrupt]
    accepted.store(signals.reduce(0) { $0 | SignalInbox.bit($1) }, ordering: .relaxed)
    for signal in signals { SignalInbox.accept(signal) }
  }

  /// The signals that ask a program to end.
  private static let ending = [Signal.interrupt, .terminate, .hangUp, .brokenPipe]

  /// The signals that raise the flag, one bit each.
  private static let accepted = Atomic(SignalInbox.bit(.interrupt))

  /// Whether Ctrl-C or another accepted signal came and was not answered yet.
  ///
  /// This costs two atomic loads, which is cheap enough for an inner loop.
  package static var isRaised: Bool {
    SignalInbox.containsAny(of: accepted.load(ordering: .relaxed))
  }

  /// The exit status that shells expect of a program ended by the signal; nil if the flag is not
  /// raised.
  package static var exitStatus: Int32? {
    guard isRaised else { return nil }
    return ending.first(where: SignalInbox.contains).map { 128 + $0.number }
  }

  /// Forgets a Ctrl-C.
  package static func lower() {
    _ = SignalInbox.take(.interrupt)
  }
}
