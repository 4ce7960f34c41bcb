import Foundation

/// Takes what a browser sends on a WebSocket apart into messages.
package struct WebSocketReader: Sendable {
  package enum Message: Equatable, Sendable {
    case text([UInt8])
    /// The browser asks whether this end is alive; the answer has the same bytes.
    case ping([UInt8])
    case close
    /// The bytes are no message. The connection ends, with the code of the protocol.
    case broken(code: Int)
  }

  /// The largest size of a message, in bytes.
  package static let mostBytes = 4 << 20
  /// The protocol's code for a message that is larger.
  package static let tooLarge = 1009

  private var buffer: [UInt8] = []
  private var start = 0
  /// The pieces so far of a message in several frames; nil if there is none.
  private var pieces: [UInt8]?
  private var isBroken = false

  package init() {}

  package mutating func append(_ bytes: [UInt8]) {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    buffer += bytes
  }

  /// Returns the next message; nil if more bytes are needed.
  package mutating func next() -> Message? {
    while !isBroken {
      guard let frame = nextFrame() else { return nil }
      switch frame {
      case .failure(let fault): return fail(fault.code)
      case .success(let frame):
        switch frame.opcode {
        case 0x0:
          guard pieces != nil else { return fail(1002) }
          guard add(frame.payload) else { return fail(Self.tooLarge) }
        case 0x1:
          guard pieces == nil else { return fail(1002) }
          pieces = frame.payload
        case 0x8: return .close
        case 0x9: return .ping(frame.payload)
        case 0xA: continue
        // Bytes that are no text, and everything of the future.
        case 0x2: return fail(1003)
        default: return fail(1002)
        }
        if frame.isLast, let whole = pieces {
          guard String(validating: whole, as: UTF8.self) != nil else { return fail(1007) }
          pieces = nil
          return .text(whole)
        }
      }
    }
    return nil
  }

  private mutating func add(_ piece: [UInt8]) -> Bool {
    pieces? += piece
    return (pieces?.count ?? 0) <= Self.mostBytes
  }

  private mutating func fail(_ code: Int) -> Message {
    isBroken = true
    buffer = []
    start = 0
    pieces = nil
    return .broken(code: code)
  }

  private struct Frame {
    let isLast: Bool
    let opcode: UInt8
    let payload: [UInt8]
  }

  private struct Fault: Error { let code: Int }

  private mutating func nextFrame() -> Result<Frame, Fault>? {
    guard buffer.count - start >= 2 else { return nil }
    let (first, second) = (buffer[start], buffer[start + 1])
    let opcode = first & 0x0F
    let isControl = opcode & 0x08 != 0
    // A browser masks all that it sends, and no extension was agreed on.
    guard first & 0x70 == 0, second & 0x80 != 0 else { return .failure(Fault(code: 1002)) }
    var length = Int(second & 0x7F)
    guard !isControl || length < 126 && first & 0x80 != 0 else {
      return .failure(Fault(code: 1002))
    }
    var place = start + 2
    if length > 125 {
      let count = length == 126 ? 2 : 8
      guard buffer.count - place >= count else { return nil }
      let number = buffer[place..<place + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard number <= UInt64(Self.mostBytes) else { return .failure(Fault(code: Self.tooLarge)) }
      length = Int(number)
      place += count
    }
    guard buffer.count - place >= 4 + length else { return nil }
    let mask = place
    place += 4
    var payload = Array(buffer[place..<place + length])
    for index in payload.indices { payload[index] ^= buffer[mask + (index & 3)] }
    start = place + length
    return .success(Frame(isLast: first & 0x80 != 0, opcode: opcode, payload: payload))
  }
}

/// What this end sends on a WebSocket.
package enum WebSocketFrame {
  package static func text(_ bytes: some Collection<UInt8>) -> [UInt8] { frame(0x1, bytes) }

  package static func pong(_ bytes: [UInt8]) -> [UInt8] { frame(0xA, bytes) }

  /// - Parameter reason: At most 123 bytes of text.
  package static func close(code: Int, reason: String = "") -> [UInt8] {
    frame(0x8, [UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)] + reason.utf8.prefix(123))
  }

  private static func frame(_ opcode: UInt8, _ bytes: some Collection<UInt8>) -> [UInt8] {
    var head = [0x80 | opcode]
    let count = bytes.count
    if count < 126 {
      head.append(UInt8(count))
    } else if count < 1 << 16 {
      head += [126, UInt8(count >> 8), UInt8(count & 0xFF)]
    } else {
      head.append(127)
      for shift in stride(from: 56, through: 0, by: -8) {
        head.append(UInt8(truncatingIfNeeded: count >> shift))
      }
    }
    return head + bytes
  }

  /// The answer that accepts a WebSocket; nil if the request asks for another version.
  package static func acceptance(of request: Request) -> Response? {
    guard let key = request.fields["sec-websocket-key"],
      request.fields["sec-websocket-version"] == "13", (20...32).contains(key.utf8.count)
    else { return nil }
    let proof = SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    return Response(
      .switching, body: "",
      fields: [
        ("Upgrade", "websocket"), ("Connection", "Upgrade"),
        ("Sec-WebSocket-Accept", Data(proof).base64EncodedString()),
      ])
  }
}

/// The digest that the protocol of WebSockets asks for.
///
/// It protects nothing.
enum SHA1 {
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    var padded = bytes + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bits = UInt64(bytes.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    for block in stride(from: 0, to: padded.count, by: 64) {
      var words = (0..<16).map { index -> UInt32 in
        padded[(block + index * 4)..<(block + index * 4 + 4)].reduce(0) { $0 << 8 | UInt32($1) }
      }
      for index in 16..<80 {
        words.append(
          rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
      }
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for index in 0..<80 {
        let (mix, constant): (UInt32, UInt32) =
          switch index {
          case ..<20: (b & c | ~b & d, 0x5A82_7999)
          case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
          case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        let next = rotated(a, 5) &+ mix &+ e &+ constant &+ words[index]
        (e, d, c, b, a) = (d, c, rotated(b, 30), a, next)
      }
      for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }
    return state.flatMap { word in (0..<4).map { UInt8(word >> UInt32(24 - $0 * 8) & 0xFF) } }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
