#if DEBUG
import Foundation

/// Stops a debug build if two threads use one context at the same time.
///
/// Swift 6 does not compile such a program. In Swift 5 mode, it would damage the context silently.
final class UseCheck {
  private let user = Locked<ObjectIdentifier?>(nil)

  /// Notes that the calling thread uses the context.
  ///
  /// - Returns: Whether it did not use it already. If so, call ``end()`` afterwards.
  func begin() -> Bool {
    let thread = ObjectIdentifier(Thread.current)
    return user.withLock { user in
      if user == thread { return false }
      require(
        user == nil,
        "two threads use one ManagedObjectContext at the same time; give each thread or actor a "
          + "context of its own, such as by PersistentContainer.performBackgroundTask")
      user = thread
      return true
    }
  }

  func end() { user.withLock { $0 = nil } }
}
#endif

extension ManagedObjectContext {
  /// Calls `body`.
  ///
  /// A debug build stops if another thread uses the context in the meantime.
  @inline(__always)
  func alone<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    #if DEBUG
    let isOutermost = useCheck.begin()
    defer { if isOutermost { useCheck.end() } }
    #endif
    return try body()
  }
}
