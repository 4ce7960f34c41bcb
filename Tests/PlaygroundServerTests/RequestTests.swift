import Testing

@testable import PlaygroundServer

@Suite("Requests and WebSockets, byte by byte")
struct RequestTests {
  private func reading(_ text: String) -> Request.Reading {
    var bytes = Array(text.utf8)
    return Request.take(from: &bytes)
  }

  @Test("a request is read, and what follows is left")
  func request() {
    var bytes = Array(
      "GET /a/b?c=d HTTP/1.1\r\nHost: x:1\r\nORIGIN:  http://x:1 \t\r\n\r\nrest".utf8)
    let request = Request(
      path: "/a/b", fields: ["host": "x:1", "origin": "http://x:1"])
    #expect(Request.take(from: &bytes) == .request(request))
    #expect(String(decoding: bytes, as: UTF8.self) == "rest")
  }

  @Test("part of a head is incomplete, at every place")
  func incomplete() {
    let text = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    for count in 0..<text.count {
      var part = Array(text.prefix(count))
      let reading = Request.take(from: &part)
      #expect(reading == .incomplete)
    }
  }

  @Test(
    "damaged heads are refused",
    arguments: [
      "GET /\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "\r\n\r\n\r\n\r\n",
      "GET http://x/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      "GET / HTTP/1.1\r\n: empty\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET / HTTP/1.1\r\nOrigin: a\r\nOrigin: b\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length : 5\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n",
      "GET / HTTP/1.1\r\nA: b\nContent-Length: 5\r\n\r\n",
    ])
  func damaged(text: String) {
    #expect(reading(text) == .refused(.badRequest))
  }

  @Test("a long head and a body are refused before they are read")
  func large() {
    let long = "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 9000)
    #expect(reading(long) == .refused(.headTooLarge))
    #expect(reading(long + "\r\n\r\n") == .refused(.headTooLarge))
    #expect(
      reading("GET / HTTP/1.1\r\nContent-Length: 67108864\r\n\r\n") == .refused(.bodyTooLarge))
    #expect(
      reading("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n") == .refused(.bodyTooLarge))
  }

  @Test("the answer to HEAD has no body, and names the method that is allowed")
  func head() {
    let refusal = Response(.wrongMethod, body: "only GET is allowed\n")
    let head = String(decoding: refusal.bytes(to: "HEAD", closes: true), as: UTF8.self)
    let whole = String(decoding: refusal.bytes(to: "POST", closes: true), as: UTF8.self)
    #expect(whole == head + "only GET is allowed\n")
    #expect(head.contains("Content-Length: 20\r\n") && head.contains("Allow: GET\r\n"))
  }

  @Test("the key of RFC 6455 has the answer of RFC 6455")
  func acceptance() throws {
    let request = Request(
      path: "/",
      fields: ["sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13"])
    let answer = try #require(WebSocketFrame.acceptance(of: request))
    #expect(
      answer.fields.contains { $0 == ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") })
    let old = Request(
      path: "/",
      fields: ["sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "8"])
    #expect(WebSocketFrame.acceptance(of: old) == nil)
  }

  // MARK: Frames

  private func frame(
    _ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true, isMasked: Bool = true
  ) -> [UInt8] {
    var bytes = [(isLast ? 0x80 : 0) | opcode]
    let flag: UInt8 = isMasked ? 0x80 : 0
    if payload.count < 126 {
      bytes.append(flag | UInt8(payload.count))
    } else if payload.count < 65_536 {
      bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    } else {
      bytes += [flag | 127, 0, 0, 0, 0]
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
    }
    guard isMasked else { return bytes + payload }
    let mask: [UInt8] = [1, 2, 3, 250]
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  private func messages(_ bytes: [UInt8], pieces: Int = 1_000_000) -> [WebSocketReader.Message] {
    var reader = WebSocketReader()
    var found: [WebSocketReader.Message] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      reader.append(Array(bytes[start..<min(bytes.count, start + pieces)]))
      while let message = reader.next() { found.append(message) }
    }
    return found
  }

  @Test("texts of all lengths arrive, in pieces of any size", arguments: [1, 3, 1000, 1_000_000])
  func texts(pieces: Int) {
    let sizes = pieces == 1 ? [0, 1, 125, 126, 300] : [0, 1, 125, 126, 65_535, 65_536, 100_000]
    let texts = sizes.map { size in (0..<size).map { UInt8(97 + $0 % 26) } }
    let bytes = texts.flatMap { frame(1, $0) }
    #expect(messages(bytes, pieces: pieces) == texts.map { .text($0) })
  }

  @Test("a text in several frames is one text, with a ping in between")
  func fragments() {
    let bytes =
      frame(1, [97, 0xC3], isLast: false) + frame(9, [7]) + frame(0, [], isLast: false)
      + frame(0, [0xA9]) + frame(8, [])
    #expect(messages(bytes) == [.ping([7]), .text(Array("aé".utf8)), .close])
  }

  @Test("damaged frames end the connection with the protocol's code")
  func damaged() {
    let huge: [UInt8] = [0x81, 0xFF, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]
    let cases: [(bytes: [UInt8], code: Int)] = [
      (frame(1, [1], isMasked: false), 1002), (frame(2, [1]), 1003), (frame(3, [1]), 1002),
      (frame(0, [1]), 1002), (frame(1, [], isLast: false) + frame(1, []), 1002),
      ([0xC1, 0x80, 0, 0, 0, 0], 1002), (frame(9, [UInt8](repeating: 0, count: 126)), 1002),
      (frame(9, [], isLast: false), 1002), (huge, 1009), (Array(huge.prefix(10)), 1009),
      (frame(1, [0x72, 0xFF]), 1007), (frame(1, [0xC3], isLast: false) + frame(0, [65]), 1007),
    ]
    for (bytes, code) in cases {
      #expect(messages(bytes + frame(1, [65])) == [.broken(code: code)], "\(bytes.prefix(8))")
    }
  }

  @Test("a text in frames without an end is refused at its limit")
  func endless() {
    let piece = [UInt8](repeating: 65, count: 1 << 20)
    var bytes = frame(1, piece, isLast: false)
    for _ in 0..<4 { bytes += frame(0, piece, isLast: false) }
    #expect(messages(bytes) == [.broken(code: 1009)])
  }

  @Test("random bytes never trap")
  func random() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      _ = messages(bytes, pieces: 5)
      var head = bytes
      _ = Request.take(from: &head)
    }
  }

  @Test("what this end sends has the length before it")
  func sent() {
    #expect(WebSocketFrame.text(Array("ab".utf8)) == [0x81, 2, 97, 98])
    #expect(WebSocketFrame.text([UInt8](repeating: 1, count: 300)).prefix(4) == [0x81, 126, 1, 44])
    #expect(
      WebSocketFrame.text([UInt8](repeating: 1, count: 70_000)).prefix(10)
        == [0x81, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70])
    #expect(WebSocketFrame.close(code: 4001, reason: "x") == [0x88, 3, 0x0F, 0xA1, 120])
  }
}
