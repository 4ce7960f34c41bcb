import Foundation

/// A value that several threads share, one at a time.
///
/// `Synchronization.Mutex` does the same. The thread sanitizer of Linux does not know it, and would
/// report races of ours in the tests of every app; it knows the system's locks.
package final class Locked<Value>: @unchecked Sendable {
  // Used under the lock only.
  private var value: Value
  private let lock = NSLock()

  package init(_ value: sending Value) { self.value = value }

  /// Calls `body` while no other thread has the value.
  package func withLock<Result, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
