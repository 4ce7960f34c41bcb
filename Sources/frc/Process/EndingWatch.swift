import Foundation
import LineEditor
import Platform
import Synchronization

/// Ends the program a little later than it was asked to by a signal, if it has not ended by
/// itself: something may run that does not look whether to stop.
enum EndingWatch {
  /// How long the program may take to end by itself, in seconds.
  private static let patience = 0.8
  /// How long it may take once it writes reports.
  private static let longPatience = 30.0
  private static let isPatient = Atomic(false)
  /// How often to look, in seconds.
  private static let pause = 0.05

  /// Gives the program the time to write reports.
  static func bePatient() { isPatient.store(true, ordering: .relaxed) }

  /// Begins to watch, on a thread of its own; after ``InterruptFlag/install(endsProgram:)``.
  static func begin() {
    let thread = Thread {
      while InterruptFlag.exitStatus == nil { Thread.sleep(forTimeInterval: pause) }
      Thread.sleep(forTimeInterval: patience)
      // It may have begun with its reports in the meantime, which are to be whole.
      if isPatient.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: longPatience) }
      ScratchFolder.removeAll(named: ScratchFolder.name)
      ProcessCalls.endAtOnce(status: InterruptFlag.exitStatus ?? 1)
    }
    thread.stackSize = 1 << 18
    thread.start()
  }
}
