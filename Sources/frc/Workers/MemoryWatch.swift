import Foundation
import Platform
import Synchronization

/// Watches the memory of the process while it runs tests.
///
/// The interpreter only estimates the memory that scripts keep. This counts all memory of the
/// process, except pages of files, if the system reports it.
final class MemoryWatch: Sendable {
  private let limit = Atomic(Int.max)
  /// The memory of the process before its first test, in bytes.
  private let start = Atomic(0)
  /// The memory of the process when the running test began, in bytes.
  ///
  /// It may include memory that earlier tests have freed.
  private let base = Atomic(0)
  /// The number of the running test.
  private let test = Atomic(0)
  /// The number of the last test that exceeded its limit.
  private let over = Atomic(0)
  private let retired = Atomic(false)

  /// The time between two checks, in seconds.
  private static let pause = 0.02
  /// The memory above which a process is replaced after the test, in bytes, because freed memory
  /// may still count.
  private static let mostKept = 256 << 20

  /// The exit status of a process that could not stop a test that exceeded its limit.
  static let status: Int32 = 77

  /// Starts with the memory of the process before its first test.
  func begin(limit: Int?) {
    let bytes = OwnMemory.bytes ?? 0
    start.store(bytes, ordering: .relaxed)
    base.store(bytes, ordering: .relaxed)
    self.limit.store(limit ?? .max, ordering: .relaxed)
  }

  func beginTest() { test.add(1, ordering: .releasing) }

  /// Checks once more, so that the next test is not blamed for this one.
  func endTest() {
    guard let bytes = OwnMemory.bytes else { return }
    check(bytes)
    base.store(bytes, ordering: .relaxed)
  }

  /// Whether the running test exceeds its limit.
  var isOver: Bool { over.load(ordering: .relaxed) == test.load(ordering: .relaxed) }

  /// Whether the process must end after the running test.
  var isRetired: Bool { retired.load(ordering: .relaxed) }

  /// Checks repeatedly, on a thread of its own.
  func run() {
    while true {
      Thread.sleep(forTimeInterval: Self.pause)
      // The measured memory belongs to this test. If a later test has started, the number makes
      // sure that it is not blamed.
      let number = test.load(ordering: .acquiring)
      let base = base.load(ordering: .relaxed)
      guard let bytes = OwnMemory.bytes else { return }
      check(bytes)
      let used = bytes - base
      let limit = limit.load(ordering: .relaxed)
      if used > limit { over.store(number, ordering: .relaxed) }
      guard used / 2 > limit, test.load(ordering: .acquiring) == number else { continue }
      // The test does not react, and the system would soon kill a process. Answers of earlier tests
      // may not be written yet, and without them the first of these would be blamed.
      CrashReport.write()
      ProcessCalls.endAtOnce(status: Self.status)
    }
  }

  /// Retires a process that uses too much memory to run another test.
  private func check(_ bytes: Int) {
    let used = bytes - start.load(ordering: .relaxed)
    if used > min(limit.load(ordering: .relaxed), Self.mostKept) {
      retired.store(true, ordering: .relaxed)
    }
  }
}
