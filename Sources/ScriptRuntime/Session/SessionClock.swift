import Foundation
import Synchronization

/// A clock that a script may set.
final class SessionClock: Sendable {
  /// A struct around the function: a mutex directly around a function would wrap it at each access,
  /// so that each call took longer than the one before.
  private struct Time {
    var read: @Sendable () -> Date
  }

  private let time: Mutex<Time>

  init(_ time: @escaping @Sendable () -> Date) { self.time = Mutex(Time(read: time)) }

  var now: Date { time.withLock(\.read)() }

  func stand(at moment: Date) { time.withLock { $0.read = { moment } } }
}
