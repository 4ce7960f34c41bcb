import Foundation
import Platform
import Synchronization

/// Watches how much memory the process takes while it runs tests.
///
/// What the interpreter counts is an estimate of what scripts keep. This sees everything, where
/// the system tells it.
final class MemoryWatch: Sendable {
  private let limit = Atomic(Int.max)
  private let base = Atomic(0)
  private let over = Atomic(false)
  private let retired = Atomic(false)

  /// How often to look, in seconds.
  private static let pause = 0.02
  /// With more than that, a process is replaced by a new one after the test, in bytes: memory
  /// that was given back may still count.
  private static let mostKept = 256 << 20

  /// The exit status of a process that could not stop the test that took too much.
  static let status: Int32 = 77

  /// Begins with what the process takes before its first test.
  func begin(limit: Int?) {
    base.store(ResidentMemory.bytes ?? 0, ordering: .relaxed)
    self.limit.store(limit ?? .max, ordering: .relaxed)
  }

  func beginTest() { over.store(false, ordering: .relaxed) }

  /// Whether the running test takes more than it may.
  var isOver: Bool { over.load(ordering: .relaxed) }

  /// Whether the process is to end after the running test.
  var isRetired: Bool { retired.load(ordering: .relaxed) }

  /// Looks again and again, on a thread of its own.
  func run() {
    while true {
      Thread.sleep(forTimeInterval: Self.pause)
      guard let bytes = ResidentMemory.bytes else { return }
      let used = bytes - base.load(ordering: .relaxed)
      let limit = limit.load(ordering: .relaxed)
      if used > min(limit, Self.mostKept) { retired.store(true, ordering: .relaxed) }
      if used > limit { over.store(true, ordering: .relaxed) }
      // It does not look, and the system would soon end something.
      if used / 2 > limit { ProcessCalls.endAtOnce(status: Self.status) }
    }
  }
}
