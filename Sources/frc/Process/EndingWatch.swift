import Foundation
import LineEditor
import Platform
import Synchronization

/// Ends the program shortly after a signal asked it to, if it has not ended by itself.
///
/// Some running code may not check whether to stop.
enum EndingWatch {
  /// How long the program may take to end by itself, in seconds.
  private static let patience = 0.8
  /// How long it may take once it writes reports, in seconds.
  private static let longPatience = 30.0
  private static let isPatient = Atomic(false)
  /// The time between two checks, in seconds.
  private static let pause = 0.05

  /// Gives the program more time, to write reports.
  static func bePatient() { isPatient.store(true, ordering: .relaxed) }

  private static let hasBegun = Atomic(false)

  /// Removes temporary files before SIGTERM, SIGHUP or SIGQUIT ends a prompt.
  static func beginPrompt() {
    EndingSignals.install()
    let thread = Thread { EndingSignals.endWhenAsked() }
    thread.stackSize = 1 << 18
    thread.start()
  }

  /// Lets signals raise ``InterruptFlag``, and starts to watch on a thread of its own.
  ///
  /// Another call does nothing.
  ///
  /// - Parameter needsReader: Whether the program ends at once, without a word, when the reader of
  ///   its output goes away.
  static func begin(needsReader: Bool = true) {
    guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
    InterruptFlag.install(endsProgram: true)
    if needsReader { Signal.brokenPipe.useDefault() }
    let thread = Thread {
      while InterruptFlag.exitStatus == nil { Thread.sleep(forTimeInterval: pause) }
      Thread.sleep(forTimeInterval: patience)
      // The program may have started its reports in the meantime, which should be complete.
      if isPatient.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: longPatience) }
      TemporaryFolder.removeAll()
      ProcessCalls.endAtOnce(status: InterruptFlag.exitStatus ?? 1)
    }
    thread.stackSize = 1 << 18
    thread.start()
  }
}
