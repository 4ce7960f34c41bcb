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

/// Takes a stream of bytes apart into the messages of the base protocol: a header with
/// `Content-Length`, an empty line, and as many bytes.
///
/// Bytes that belong to no message are skipped up to the next header, so one broken message costs
/// no other. A message that is shorter than its header says ends where the next header begins,
/// because JSON cannot contain one.
package struct MessageFrames {
  /// What was found in the stream.
  package enum Frame: Equatable {
    case message([UInt8])
    /// Bytes that are not a header, or a header that asks for too much.
    case broken(String)
  }

  /// The largest size of a header, in bytes.
  package static let mostHeaderBytes = 4096
  /// The largest size of a message, in bytes.
  package static let mostMessageBytes = 256 << 20

  private static let name = Array("content-length:".utf8)
  private static let headerEnd = Array("\r\n\r\n".utf8)
  /// A buffer that grew larger for one message is not kept.
  private static let mostKeptBytes = 1 << 20

  private var buffer: [UInt8] = []
  /// The start of what was not taken yet.
  private var start = 0
  /// The length of the message that begins at `start`; nil if a header is expected there.
  private var length: Int?
  /// The start of the last message.
  private var lastMessage = 0
  /// Whether the bytes at `start` belong to no message.
  private var isLost = false
  /// The end of the bytes that were searched for the end of a header.
  private var searched = 0

  package init() {}

  package mutating func append(_ bytes: [UInt8]) {
    // What was taken is removed at once, so that a byte is moved only once.
    if start == buffer.count, buffer.capacity > Self.mostKeptBytes {
      buffer = bytes
    } else {
      buffer.removeFirst(start)
      buffer += bytes
    }
    searched = max(0, searched - start)
    lastMessage = 0
    start = 0
  }

  /// Looks for another message in the bytes of the last one, which turned out to be none.
  ///
  /// A wrong length can take the next message with it, or the beginning of its header.
  package mutating func putBackLast() {
    start = lastMessage
    searched = start
    isLost = true
  }

  /// Returns the next message; nil if more bytes are needed.
  ///
  /// - Complexity: O(*n*) in the bytes that arrived since the last call.
  package mutating func next() -> Frame? {
    guard let length else { return readHeader() }
    let end = min(buffer.count, start + length)
    if let inner = header(endingIn: max(start, searched - 3)..<end) {
      start = inner
      searched = inner
      self.length = nil
      return .broken("a message is shorter than its Content-Length")
    }
    guard buffer.count - start >= length else {
      searched = end
      return nil
    }
    lastMessage = start
    start += length
    searched = start
    self.length = nil
    return .message(Array(buffer[lastMessage..<start]))
  }

  private mutating func readHeader() -> Frame? {
    if isLost, !findHeader() { return nil }
    let most = min(buffer.count, start + Self.mostHeaderBytes + Self.headerEnd.count)
    guard let end = Self.headerEnd(in: buffer, max(start, searched - 3)..<most) else {
      searched = most
      guard buffer.count - start > Self.mostHeaderBytes else { return nil }
      return lose("the header is longer than \(Self.mostHeaderBytes) bytes")
    }
    guard let length = Self.length(in: buffer[start..<end]) else {
      return lose("the header has no valid Content-Length")
    }
    guard length <= Self.mostMessageBytes else {
      return lose("a message has more than \(Self.mostMessageBytes >> 20) MB")
    }
    start = end + Self.headerEnd.count
    searched = start
    self.length = length
    return next()
  }

  /// Skips the bytes up to the next header.
  private mutating func lose(_ reason: String) -> Frame {
    isLost = true
    // The header itself is not looked at again.
    start = min(buffer.count, start + 1)
    searched = start
    return .broken(reason)
  }

  private mutating func findHeader() -> Bool {
    if let place = Self.place(of: Self.name, in: buffer[start...]) {
      start = place
      searched = place
      isLost = false
      return true
    }
    // The name may be at the end in part.
    start = max(start, buffer.count - Self.name.count)
    searched = start
    return false
  }

  /// Returns where a whole header begins that ends in a range of the message at `start`.
  private func header(endingIn range: Range<Int>) -> Int? {
    var range = range
    while let end = Self.headerEnd(in: buffer, range) {
      let before = buffer[max(start, end - Self.mostHeaderBytes)..<end]
      if Self.length(in: before) != nil {
        return Self.place(of: Self.name, in: before, isLast: true)
      }
      range = (end + 1)..<range.upperBound
    }
    return nil
  }

  /// Returns where the empty line begins that ends a header, within a range.
  private static func headerEnd(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    guard range.count >= headerEnd.count else { return nil }
    return bytes.withUnsafeBufferPointer { bytes in
      var place = range.lowerBound
      while place <= range.upperBound - headerEnd.count {
        if bytes[place] == 0x0D, bytes[place + 1] == 0x0A, bytes[place + 2] == 0x0D,
          bytes[place + 3] == 0x0A
        {
          return place
        }
        place += 1
      }
      return nil
    }
  }

  /// Returns the first or the last place of some bytes, in either case.
  private static func place(
    of wanted: [UInt8], in bytes: ArraySlice<UInt8>, isLast: Bool = false
  ) -> Int? {
    guard bytes.count >= wanted.count else { return nil }
    let start = bytes.startIndex
    return bytes.withUnsafeBufferPointer { bytes in
      let places = 0...(bytes.count - wanted.count)
      let isThere = { place in
        lowercase(bytes[place]) == wanted[0]
          && wanted.indices.allSatisfy { lowercase(bytes[place + $0]) == wanted[$0] }
      }
      return (isLast ? places.last(where: isThere) : places.first(where: isThere)).map {
        $0 + start
      }
    }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

  /// Returns the length in a header: the last one, because headers that broke off can be before it,
  /// even in its line.
  private static func length(in header: ArraySlice<UInt8>) -> Int? {
    guard let place = place(of: name, in: header, isLast: true) else { return nil }
    let value = header[(place + name.count)...].prefix { $0 != 0x0D && $0 != 0x0A }
    let digits = value.filter { $0 != UInt8(ascii: " ") }
    guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// Returns a message with its header.
  package static func framed(_ body: [UInt8]) -> [UInt8] {
    Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }
}
