/// Decides who may use the server: by the token in the path, the name of the host, and the page
/// that asks.
package struct Admission: Sendable {
  /// What a token allows.
  package enum Role: String, Sendable {
    /// The owner of the server, and in a class the teacher.
    case owner
    /// Somebody who joins a class.
    case student
  }

  /// Where a request leads.
  package enum Answer: Equatable, Sendable {
    /// A file of the page, by its path below the token.
    case file(String, Role)
    /// A WebSocket for a session of its own.
    case session(Role)
    case refused(Response.Status, reason: String)
  }

  private let tokens: [(text: [UInt8], role: Role)]
  private let hosts: Set<String>
  private let origins: Set<String>
  private let addressPort: Int?

  /// - Parameters:
  ///   - owner: The token of the server's owner.
  ///   - student: The code of a class; nil for none.
  ///   - hosts: The names by which a browser may reach the server, each with its port.
  ///   - origins: Further origins of pages: those of a proxy in front of the server.
  ///   - addressPort: The port at which a browser may reach the server by any numeric address; nil
  ///     if it may not. No page can give its own host such a name.
  package init(
    owner: String, student: String? = nil, hosts: [String], origins: [String] = [],
    addressPort: Int? = nil
  ) {
    tokens =
      [(Array(owner.utf8), Role.owner)]
      + (student.map { [(Array($0.utf8), Role.student)] } ?? [])
    self.hosts = Set(hosts.map { Self.withoutDefaultPort($0.lowercased()) })
    self.origins = Set(origins.map { $0.lowercased() })
    self.addressPort = addressPort
  }

  /// Decides about a request.
  package func answer(to request: Request) -> Answer {
    guard request.method == "GET" else {
      return .refused(.wrongMethod, reason: "only GET is allowed")
    }
    // A page of another site can make the name of its own host lead here.
    guard let host = request.fields["host"].map({ Self.withoutDefaultPort($0.lowercased()) }),
      isOwn(host)
    else {
      return .refused(.misdirected, reason: "this server has another name; see --name")
    }
    if let origin = request.fields["origin"]?.lowercased(),
      Self.withoutDefaultPort(origin) != "http://" + host, !origins.contains(origin)
    {
      return .refused(.forbidden, reason: "the page that asks is from another server")
    }
    let parts = request.path.dropFirst().split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let role = role(of: String(first)) else {
      // The only page without a token asks for the code of a class.
      if Self.openFiles.contains(request.path), tokens.count > 1 {
        return .file("join" + request.path, .student)
      }
      return .refused(.notFound, reason: "the address needs the token that frc serve printed")
    }
    guard parts.count == 2 else { return .refused(.notFound, reason: "a '/' is missing") }
    let path = String(parts[1])
    guard path == "session" else { return .file(path, role) }
    // A browser always names the page that opens a WebSocket.
    guard request.fields["origin"] != nil, request.wantsWebSocket else {
      return .refused(.forbidden, reason: "a session is opened by a page of this server")
    }
    return .session(role)
  }

  /// Returns a host without the port of `http`, which browsers leave out.
  private static func withoutDefaultPort(_ host: String) -> String {
    host.hasSuffix(":80") ? String(host.dropLast(3)) : host
  }

  private func isOwn(_ host: String) -> Bool {
    if hosts.contains(host) { return true }
    guard let addressPort else { return false }
    let port = Self.withoutDefaultPort(":\(addressPort)")
    guard host.hasSuffix(port) else { return false }
    let address = host.dropLast(port.count)
    let isV6 = address.hasPrefix("[") && address.hasSuffix("]")
    let letters = isV6 ? "0123456789abcdef:[]" : "0123456789."
    return address.contains(isV6 ? ":" : ".") && address.allSatisfy { letters.contains($0) }
  }

  private static let openFiles: Set<String> = ["/", "/join.js", "/page.css", "/serve.css"]

  /// Returns what a token allows, in a time that does not depend on how much of it is right.
  private func role(of text: String) -> Role? {
    let bytes = Array(text.utf8)
    var found: Role?
    for token in tokens where token.text.count == bytes.count {
      let difference = zip(token.text, bytes).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 }
      if difference == 0 { found = token.role }
    }
    return found
  }

  /// Returns a new token of letters and digits that look different.
  package static func newToken(length: Int = 26) -> String {
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    var random = SystemRandomNumberGenerator()
    return String(
      (0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
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
