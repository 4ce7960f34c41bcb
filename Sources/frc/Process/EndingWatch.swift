import Foundation
import LineEditor
import Platform

/// Ends the program a little later than it was asked to by a signal, if it has not ended by
/// itself: something may run that does not look whether to stop.
enum EndingWatch {
  /// How long the program may take to end by itself, in seconds.
  private static let patience = 0.8
  /// How often to look, in seconds.
  private static let pause = 0.05

  /// Begins to watch, on a thread of its own; after ``InterruptFlag/install(endsProgram:)``.
  static func begin() {
    let thread = Thread {
      while InterruptFlag.exitStatus == nil { Thread.sleep(forTimeInterval: pause) }
      Thread.sleep(forTimeInterval: patience)
      ScratchFolder.removeAll(named: ScratchFolder.name)
      ProcessCalls.endAtOnce(status: InterruptFlag.exitStatus ?? 1)
    }
    thread.stackSize = 1 << 18
    thread.start()
  }
}
