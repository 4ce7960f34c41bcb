import Foundation
import LineEditor
import Platform
import Synchronization

/// Answers Ctrl-C at once, because a statement may take some time to stop.
final class InterruptWatch: Sendable {
  /// How long a statement may take to stop before a message is shown, in seconds.
  private static let patience = 0.06
  /// The time between two checks, in seconds.
  private static let pause = 0.02

  private let condition = NSCondition()
  private let isRunning = Mutex(false)
  private let answer: String

  /// - Parameter answer: The message for standard error.
  init(answer: String) {
    self.answer = answer
    guard FileDescriptor.standardError.isTerminal else { return }
    let thread = Thread { [weak self] in
      while let watch = self { watch.watchOnce() }
    }
    thread.stackSize = 1 << 18
    thread.start()
  }

  /// Records whether a statement is running.
  func note(isRunning now: Bool) {
    isRunning.withLock { $0 = now }
    condition.lock()
    condition.signal()
    condition.unlock()
  }

  private var runs: Bool { isRunning.withLock { $0 } }

  /// Waits for a statement, and then until it ends or is interrupted.
  private func watchOnce() {
    condition.lock()
    // From time to time, this checks whether the watch is still in use.
    if !runs { _ = condition.wait(until: Date(timeIntervalSinceNow: 1)) }
    condition.unlock()
    while runs {
      Thread.sleep(forTimeInterval: Self.pause)
      guard InterruptFlag.isRaised else { continue }
      Thread.sleep(forTimeInterval: Self.patience)
      // The message is written while the lock is held, so that it cannot come after the end of the
      // statement.
      isRunning.withLock { runs in
        if runs { try? FileDescriptor.standardError.write(answer.utf8) }
      }
      while runs { Thread.sleep(forTimeInterval: Self.pause) }
    }
  }
}
