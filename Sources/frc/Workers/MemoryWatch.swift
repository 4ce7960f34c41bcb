import Foundation
import Platform
import Synchronization

/// Watches how much memory the process takes while it runs tests.
///
/// What the interpreter counts is an estimate of what scripts keep. This sees everything, where
/// the system tells it.
final class MemoryWatch: Sendable {
  private let limit = Atomic(Int.max)
  /// What the process takes before its first test, in bytes.
  private let start = Atomic(0)
  /// What the process took when the running test began, in bytes.
  ///
  /// Memory that earlier tests gave back may still be part of it.
  private let base = Atomic(0)
  /// The number of the running test.
  private let test = Atomic(0)
  /// The number of the last test that took more than it may.
  private let over = Atomic(0)
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
    let bytes = ResidentMemory.bytes ?? 0
    start.store(bytes, ordering: .relaxed)
    base.store(bytes, ordering: .relaxed)
    self.limit.store(limit ?? .max, ordering: .relaxed)
  }

  func beginTest() { test.add(1, ordering: .releasing) }

  /// Looks once more, so that the next test does not have to answer for this one.
  func endTest() {
    guard let bytes = ResidentMemory.bytes else { return }
    check(bytes)
    base.store(bytes, ordering: .relaxed)
  }

  /// Whether the running test takes more than it may.
  var isOver: Bool { over.load(ordering: .relaxed) == test.load(ordering: .relaxed) }

  /// Whether the process is to end after the running test.
  var isRetired: Bool { retired.load(ordering: .relaxed) }

  /// Looks again and again, on a thread of its own.
  func run() {
    while true {
      Thread.sleep(forTimeInterval: Self.pause)
      // What is read belongs to this test, or to a later one that the number then excuses.
      let number = test.load(ordering: .acquiring)
      let base = base.load(ordering: .relaxed)
      guard let bytes = ResidentMemory.bytes else { return }
      check(bytes)
      let used = bytes - base
      let limit = limit.load(ordering: .relaxed)
      if used > limit { over.store(number, ordering: .relaxed) }
      guard used / 2 > limit, test.load(ordering: .acquiring) == number else { continue }
      // The test does not look, and the system would soon end something. Answers of earlier
      // tests may not be written yet: without them, the first of these would be blamed.
      CrashReport.write()
      ProcessCalls.endAtOnce(status: Self.status)
    }
  }

  /// Retires a process that takes too much to run another test.
  private func check(_ bytes: Int) {
    let used = bytes - start.load(ordering: .relaxed)
    if used > min(limit.load(ordering: .relaxed), Self.mostKept) {
      retired.store(true, ordering: .relaxed)
    }
  }
}
