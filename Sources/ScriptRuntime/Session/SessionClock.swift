import Foundation
import Synchronization

/// A clock that a script may set.
final class SessionClock: Sendable {
  private let time: Mutex<@Sendable () -> Date>

  init(_ time: @escaping @Sendable () -> Date) { self.time = Mutex(time) }

  var now: Date { time.withLock { $0 }() }

  func stand(at moment: Date) { time.withLock { $0 = { moment } } }
}
