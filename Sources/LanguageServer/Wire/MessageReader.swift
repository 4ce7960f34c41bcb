import Foundation

/// A message of the client, as far as it was read.
package struct IncomingMessage: Sendable {
  /// What arrived.
  enum Kind: Sendable {
    case request(RequestID, method: String)
    case notification(method: String)
    /// The answer to a request of the server.
    case answer(RequestID)
    /// Bytes that are not a message, with the error that answers them.
    case broken(ResponseError)
  }

  let kind: Kind
  let body: [UInt8]
}

/// Reads the client's messages from a stream of bytes.
package struct MessageReader {
  private var frames = MessageFrames()
  private let decoder = JSONDecoder()

  package init() {}

  package mutating func append(_ bytes: [UInt8]) { frames.append(bytes) }

  /// Returns the next message; nil if more bytes are needed.
  package mutating func next() -> IncomingMessage? {
    switch frames.next() {
    case nil: return nil
    case .broken(let reason):
      return IncomingMessage(kind: .broken(ResponseError(.parseError, reason)), body: [])
    case .message(let bytes):
      let body = Self.withoutHalfPairs(bytes)
      do {
        let head = try decoder.decode(MessageHead.self, from: Data(body))
        return IncomingMessage(kind: Self.kind(of: head), body: body)
      } catch DecodingError.dataCorrupted {
        frames.putBackLast()
        let error = ResponseError(.parseError, "the message is not JSON")
        return IncomingMessage(kind: .broken(error), body: [])
      } catch {
        let error = ResponseError(.invalidRequest, "the message is not an object with a method")
        return IncomingMessage(kind: .broken(error), body: [])
      }
    }
  }

  /// Returns a message with U+FFFD in place of each escape of half a surrogate pair.
  ///
  /// JavaScript writes such an escape for half an emoji, and `JSONDecoder` refuses it. Both count as
  /// one unit of UTF-16, so later places in the text stay right.
  private static func withoutHalfPairs(_ body: [UInt8]) -> [UInt8] {
    guard body.contains(UInt8(ascii: "\\")) else { return body }
    var body = body
    func code(at start: Int) -> UInt16? {
      guard start + 6 <= body.count, body[start] == UInt8(ascii: "\\"),
        body[start + 1] == UInt8(ascii: "u")
      else { return nil }
      return UInt16(String(decoding: body[(start + 2)..<(start + 6)], as: UTF8.self), radix: 16)
    }
    var place = 0
    while let start = body[place...].firstIndex(of: UInt8(ascii: "\\")) {
      place = min(start + 2, body.count)
      guard let unit = code(at: start), UTF16.isSurrogate(unit) else { continue }
      if UTF16.isLeadSurrogate(unit), let next = code(at: start + 6),
        UTF16.isTrailSurrogate(next)
      {
        place = start + 12
      } else {
        place = start + 6
        body.replaceSubrange((start + 2)..<place, with: Array("fffd".utf8))
      }
    }
    return body
  }

  private static func kind(of head: MessageHead) -> IncomingMessage.Kind {
    switch (head.id, head.method) {
    case (let id?, let method?): .request(id, method: method)
    case (nil, let method?): .notification(method: method)
    case (let id?, nil): .answer(id)
    case (nil, nil):
      .broken(ResponseError(.invalidRequest, "the message has neither a method nor an id"))
    }
  }
}
