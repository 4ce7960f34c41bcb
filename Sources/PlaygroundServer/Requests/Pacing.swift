/// Limits how often something happens: a number at once, and then so many each second.
package struct Pacing: Sendable {
  private let burst: Double
  private let rate: Double
  private var level: Double
  private var last: Double

  /// - Parameter now: The seconds since some moment.
  package init(burst: Double, rate: Double, now: Double) {
    (self.burst, self.rate) = (burst, rate)
    level = burst
    last = now
  }

  /// Returns whether it may happen now; only then is it counted.
  package mutating func allows(_ cost: Double = 1, now: Double) -> Bool {
    refill(now)
    guard level >= cost || level >= burst else { return false }
    level -= cost
    return true
  }

  /// The seconds after which it may happen again.
  package mutating func delay(_ cost: Double = 1, now: Double) -> Double {
    refill(now)
    return level >= min(cost, burst) ? 0 : (min(cost, burst) - level) / rate
  }

  private mutating func refill(_ now: Double) {
    level = min(burst, level + max(0, now - last) * rate)
    last = max(last, now)
  }

  /// Whether nothing happened for so long that it may be forgotten.
  package mutating func isFull(now: Double) -> Bool {
    refill(now)
    return level >= burst
  }
}

/// What the clients of a server may take together.
package struct ServerLimits: Sendable {
  /// The largest number of sessions, each with a process.
  package var sessions = 250
  /// The largest number of connections that have no session.
  package var waiting = 256
  /// The seconds in which a request must be complete.
  package var requestTime = 10.0
  /// The seconds after which a session without a message from its page ends.
  package var idleTime = 1800.0
  /// The bytes for a page that are kept while it does not read.
  ///
  /// Above it, the page's process waits.
  package var mostOutput = 4 << 20
  /// The seconds that a page may take until it reads something of what is kept for it.
  package var readTime = 30.0

  package init() {}

  /// Returns limits that a number of open files permits: a session has a connection and three pipes.
  package func fitting(openFiles: Int) -> ServerLimits {
    var fitted = self
    fitted.waiting = max(8, min(waiting, (openFiles - 64) / 4))
    fitted.sessions = max(1, min(sessions, (openFiles - 64 - fitted.waiting) / 4))
    return fitted
  }
}

/// How often each address may open a session.
package struct SessionGate: Sendable {
  package enum Answer: Equatable, Sendable {
    case open
    case refused(Response.Status, reason: String)
  }

  private let limits: ServerLimits
  private var pacings: [String: Pacing] = [:]

  /// How many sessions one address may open at once: a whole class may share an address.
  static let burst = 60.0
  static let rate = 8.0
  private static let mostAddresses = 4096

  package init(_ limits: ServerLimits) { self.limits = limits }

  /// Decides whether an address may open a session.
  ///
  /// - Parameter sessions: The number of sessions that are open.
  package mutating func answer(to address: String, sessions: Int, now: Double) -> Answer {
    guard sessions < limits.sessions else {
      return .refused(.full, reason: "all \(limits.sessions) sessions are in use; try again later")
    }
    if pacings.count >= Self.mostAddresses {
      for (name, var pacing) in pacings where pacing.isFull(now: now) { pacings[name] = nil }
    }
    guard pacings.count < Self.mostAddresses || pacings[address] != nil else {
      return .refused(.tooMany, reason: "too many addresses open sessions; try again later")
    }
    var pacing = pacings[address] ?? Pacing(burst: Self.burst, rate: Self.rate, now: now)
    defer { pacings[address] = pacing }
    return pacing.allows(now: now)
      ? .open
      : .refused(.tooMany, reason: "too many sessions at once; try again in a few seconds")
  }
}
