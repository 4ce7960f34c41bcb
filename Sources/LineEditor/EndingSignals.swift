import Platform
import Synchronization

/// Removes the program's temporary files before a signal ends it, whatever the program is doing.
///
/// This is for a prompt, which has no answer of its own to these signals while a statement or
/// another program runs.
package enum EndingSignals {
  private static let signals = [Signal.terminate, .hangUp, .quit]
  /// The number of the signal that has come; 0 for none.
  private static let arrived = Atomic<Int32>(0)
  private static let wakePipe = WakePipe()

  /// Lets SIGTERM, SIGHUP and SIGQUIT wake ``endWhenAsked()`` instead of ending the program.
  package static func install() {
    // These are initialized here and not in the handler.
    _ = wakePipe
    _ = arrived.load(ordering: .relaxed)
    for signal in signals {
      _ = signal.handle { number, _, _ in
        EndingSignals.arrived.store(number, ordering: .releasing)
        EndingSignals.wakePipe.wake()
      }
    }
  }

  /// Waits for one of the signals, removes the temporary files, and lets the signal end the program.
  ///
  /// Call it on a thread of its own.
  package static func endWhenAsked() {
    while arrived.load(ordering: .acquiring) == 0 {
      _ = FileDescriptor.wait(for: [wakePipe.reader], milliseconds: 1000)
    }
    TemporaryFolder.removeAll()
    let signal = Signal(number: arrived.load(ordering: .acquiring))
    signal.useDefault()
    signal.send()
  }

  /// Waits for the end of the program if one of the signals has come.
  ///
  /// The terminal must be in its original mode, and would not be restored after this.
  static func waitForEnd() {
    while arrived.load(ordering: .acquiring) != 0 {
      _ = FileDescriptor.wait(for: [], milliseconds: 1000)
    }
  }
}
