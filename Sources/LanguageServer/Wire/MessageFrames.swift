/// Takes a stream of bytes apart into the messages of the base protocol: a header with
/// `Content-Length`, an empty line, and as many bytes.
///
/// Bytes that belong to no message are skipped up to the next header, so one broken message costs
/// no other.
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

  private var buffer: [UInt8] = []
  /// The start of what was not taken yet.
  private var start = 0
  /// Whether the bytes at `start` belong to no message.
  private var isLost = false
  /// The end of the bytes that were searched for the end of a header.
  private var searched = 0

  package init() {}

  package mutating func append(_ bytes: [UInt8]) {
    // What was taken is removed at once, so that a byte is moved only once.
    if start > 0 {
      buffer.removeFirst(start)
      searched = max(0, searched - start)
      start = 0
    }
    buffer += bytes
  }

  /// Puts the bytes of a message back that turned out to be none, to look for another one in them.
  ///
  /// A wrong length can take the next message with it.
  package mutating func putBack(_ body: [UInt8]) {
    guard let inner = Self.place(of: Self.name, in: body, from: 0) else { return }
    buffer.replaceSubrange(..<start, with: body[inner...])
    start = 0
    searched = 0
    isLost = false
  }

  /// Returns the next message; nil if more bytes are needed.
  ///
  /// - Complexity: O(*n*) in the bytes that arrived since the last call.
  package mutating func next() -> Frame? {
    if isLost, !findHeader() { return nil }
    let end = Self.place(of: Self.headerEnd, in: buffer, from: max(start, searched - 3))
    guard let end, end - start <= Self.mostHeaderBytes else {
      searched = buffer.count
      guard buffer.count - start > Self.mostHeaderBytes else { return nil }
      return lose("the header is longer than \(Self.mostHeaderBytes) bytes")
    }
    guard let length = Self.length(in: buffer[start..<end]) else {
      return lose("the header has no valid Content-Length")
    }
    guard length <= Self.mostMessageBytes else {
      return lose("a message has more than \(Self.mostMessageBytes >> 20) MB")
    }
    let body = end + Self.headerEnd.count
    guard buffer.count - body >= length else {
      searched = end
      return nil
    }
    start = body + length
    searched = start
    return .message(Array(buffer[body..<start]))
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
    if let place = Self.place(of: Self.name, in: buffer, from: start) {
      start = place
      searched = place
      isLost = false
      return true
    }
    // The name may be at the end in part.
    start = max(start, buffer.count - Self.name.count)
    return false
  }

  /// Returns where some bytes are, in either case.
  private static func place(of wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard start >= 0, bytes.count - wanted.count >= start else { return nil }
    return bytes.withUnsafeBufferPointer { bytes in
      (start...(bytes.count - wanted.count)).first { place in
        wanted.indices.allSatisfy { lowercase(bytes[place + $0]) == wanted[$0] }
      }
    }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

  private static func length(in header: ArraySlice<UInt8>) -> Int? {
    for line in header.split(separator: UInt8(ascii: "\n")) {
      guard line.count >= name.count, line.prefix(name.count).map(lowercase) == name else {
        continue
      }
      let digits = line.dropFirst(name.count).filter { $0 != UInt8(ascii: " ") && $0 != 0x0D }
      return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
    }
    return nil
  }

  /// Returns a message with its header.
  package static func framed(_ body: [UInt8]) -> [UInt8] {
    Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }
}
