/// The head of a request: its first line and its fields.
package struct Request: Equatable, Sendable {
  package let method: String
  /// The path without the query, as it was sent.
  package let path: String
  /// The values by the name in lower case.
  package let fields: [String: String]

  /// The largest size of a head, in bytes.
  package static let mostHeadBytes = 8192

  /// The result of reading.
  package enum Reading: Equatable, Sendable {
    /// More bytes are needed.
    case incomplete
    case request(Request)
    case refused(Response.Status)
  }

  /// Takes a head from the start of what a client sent.
  ///
  /// A request with a body is refused before the body is read, because no page sends one.
  package static func take(from bytes: inout [UInt8]) -> Reading {
    guard let end = endOfHead(in: bytes) else {
      return bytes.count > mostHeadBytes ? .refused(.headTooLarge) : .incomplete
    }
    guard end <= mostHeadBytes else { return .refused(.headTooLarge) }
    let head = String(decoding: bytes[..<end], as: UTF8.self)
    bytes.removeFirst(end)
    guard let request = Request(head) else { return .refused(.badRequest) }
    guard request.fields["transfer-encoding"] == nil,
      request.fields["content-length"].map({ $0 == "0" }) ?? true
    else { return .refused(.bodyTooLarge) }
    return .request(request)
  }

  private static func endOfHead(in bytes: [UInt8]) -> Int? {
    let end: [UInt8] = [13, 10, 13, 10]
    let last = min(bytes.count, mostHeadBytes + end.count) - end.count
    guard last >= 0 else { return nil }
    return (0...last).first { place in
      bytes[place] == 13 && bytes[place..<place + end.count].elementsEqual(end)
    }.map { $0 + end.count }
  }

  private init?(_ head: String) {
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
    guard let first = lines.popFirst() else { return nil }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2] == "HTTP/1.1", words[1].hasPrefix("/") else { return nil }
    method = String(words[0])
    path = String(words[1].prefix { $0 != "?" && $0 != "#" })
    var fields: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
      let name = line[..<colon].lowercased()
      // A blank in the name, or a lone line end, could hide a field from this server and not from a
      // proxy.
      guard !name.contains(where: \.isWhitespace), !line.contains(where: \.isNewline) else {
        return nil
      }
      // Of two values, a proxy might believe the other one.
      guard fields[name] == nil || !["host", "origin", "content-length"].contains(name) else {
        return nil
      }
      var value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      while value.last == " " || value.last == "\t" { value.removeLast() }
      fields[name] = String(value)
    }
    self.fields = fields
  }

  package init(method: String = "GET", path: String, fields: [String: String] = [:]) {
    self.method = method
    self.path = path
    self.fields = fields
  }

  /// Whether the client asks for a WebSocket.
  package var wantsWebSocket: Bool { fields["upgrade"]?.lowercased() == "websocket" }

  /// Whether the client sends no further request on the connection.
  package var isLast: Bool { fields["connection"]?.lowercased() == "close" }
}

/// An answer to a request.
package struct Response: Equatable, Sendable {
  package enum Status: Int, Sendable {
    case switching = 101
    case ok = 200
    case badRequest = 400
    case forbidden = 403
    case notFound = 404
    case wrongMethod = 405
    case tooSlow = 408
    case bodyTooLarge = 413
    case misdirected = 421
    case tooMany = 429
    case headTooLarge = 431
    case full = 503

    var words: String {
      switch self {
      case .switching: "Switching Protocols"
      case .ok: "OK"
      case .badRequest: "Bad Request"
      case .forbidden: "Forbidden"
      case .notFound: "Not Found"
      case .wrongMethod: "Method Not Allowed"
      case .tooSlow: "Request Timeout"
      case .bodyTooLarge: "Content Too Large"
      case .misdirected: "Misdirected Request"
      case .tooMany: "Too Many Requests"
      case .headTooLarge: "Request Header Fields Too Large"
      case .full: "Service Unavailable"
      }
    }
  }

  package let status: Status
  package let type: String
  package let body: [UInt8]
  /// Further fields.
  package let fields: [(String, String)]

  package init(
    _ status: Status, type: String = "text/plain; charset=utf-8", body: String? = nil,
    fields: [(String, String)] = []
  ) {
    self.status = status
    self.type = type
    self.body = Array((body ?? status.words + "\n").utf8)
    self.fields = fields
  }

  package static func == (one: Response, other: Response) -> Bool {
    one.bytes(closes: false) == other.bytes(closes: false)
  }

  /// What a page may do: run the scripts of this server, and talk to this server.
  package static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// The answer as it is sent.
  ///
  /// - Parameters:
  ///   - method: The method of the request. A client that sends `HEAD` expects no body.
  ///   - closes: Whether the connection ends after it.
  package func bytes(to method: String = "GET", closes: Bool) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status.rawValue) \(status.words)"]
    if status != .switching {
      lines += [
        "Content-Type: \(type)", "Content-Length: \(body.count)", "Cache-Control: no-store",
        "Content-Security-Policy: \(Self.policy)", "X-Content-Type-Options: nosniff",
        "X-Frame-Options: DENY", "Referrer-Policy: no-referrer",
        "Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Resource-Policy: same-origin",
        "Connection: \(closes ? "close" : "keep-alive")",
      ]
    }
    // The protocol asks for this field.
    if status == .wrongMethod { lines.append("Allow: GET") }
    lines += fields.map { "\($0.0): \($0.1)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
      + (status == .switching || method == "HEAD" ? [] : body)
  }
}
