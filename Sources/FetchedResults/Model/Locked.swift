import Foundation

/// A value that several threads share, one at a time.
///
/// `Synchronization.Mutex` does the same, but the thread sanitizer on Linux does not know it. The
/// tests of every app would report false data races. The sanitizer does know the system's locks.
package final class Locked<Value>: @unchecked Sendable {
  // Accessed only while the lock is held.
  private var value: Value
  private let lock = NSLock()

  package init(_ value: sending Value) { self.value = value }

  /// Calls `body` with the value, while no other thread can access it.
  package func withLock<Result, Failure>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
