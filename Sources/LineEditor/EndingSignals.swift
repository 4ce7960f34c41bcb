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
  /// Whether someone waits for the signals.
  private static let isInstalled = Atomic(false)
  private static let wakePipe = WakePipe()

  /// Lets SIGTERM, SIGHUP and SIGQUIT wake ``endWhenAsked(farewell:)`` instead of ending the
  /// program.
  package static func install() {
    prepare()
    isInstalled.store(true, ordering: .releasing)
    for signal in signals {
      _ = signal.handle { number, _, _ in
        EndingSignals.end(by: Signal(number: number))
      }
    }
  }

  /// Lets a signal end the program, if it has a prompt; for a signal handler.
  static func end(by signal: Signal) {
    guard isInstalled.load(ordering: .acquiring) else { return }
    arrived.store(signal.number, ordering: .releasing)
    wakePipe.wake()
  }

  /// Initializes everything here that a handler uses.
  static func prepare() {
    _ = wakePipe
    _ = arrived.load(ordering: .relaxed)
    _ = isInstalled.load(ordering: .relaxed)
  }

  /// Waits for one of the signals, removes the temporary files, and lets the signal end the program.
  ///
  /// The second Ctrl-C within a second does the same, with the exit status of a program that Ctrl-C
  /// ends. Call it on a thread of its own.
  ///
  /// - Parameter farewell: What a terminal shows after the second Ctrl-C.
  package static func endWhenAsked(farewell: String) {
    while arrived.load(ordering: .acquiring) == 0 {
      _ = FileDescriptor.wait(for: [wakePipe.reader], milliseconds: 1000)
    }
    TemporaryFolder.removeAll()
    let signal = Signal(number: arrived.load(ordering: .acquiring))
    if signal == .interrupt {
      TerminalRestorer.perform()
      if FileDescriptor.standardError.isTerminal {
        try? FileDescriptor.standardError.write(farewell.utf8)
      }
      ProcessCalls.endAtOnce(status: InterruptFlag.secondPressStatus)
    }
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
