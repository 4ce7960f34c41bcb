import Basics

/// Encodes messages between two processes of the program as bytes.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ byte: UInt8) { bytes.append(byte) }

  /// Writes a number; small numbers take few bytes.
  package mutating func write(_ number: Int) {
    var rest = UInt64(bitPattern: Int64(number))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func write(_ bytes: [UInt8]) {
    write(bytes.count)
    self.bytes += bytes
  }

  package mutating func write(_ text: String) {
    write(text.utf8.count)
    bytes.append(utf8: text)
  }

  package mutating func write(_ truth: Bool) { bytes.append(truth ? 1 : 0) }

  package mutating func write<Element>(
    _ elements: some Collection<Element>, _ body: (inout WireWriter, Element) -> Void
  ) {
    write(elements.count)
    for element in elements { body(&self, element) }
  }

  package mutating func write<Wrapped>(
    _ value: Wrapped?, _ body: (inout WireWriter, Wrapped) -> Void
  ) {
    write(value != nil)
    if let value { body(&self, value) }
  }

  /// Returns a message: the length of the written bytes, followed by the bytes.
  package func framed() -> [UInt8] {
    withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { Array($0) } + bytes
  }
}

/// Decodes what a ``WireWriter`` wrote.
package struct WireReader {
  /// The bytes are not a message.
  package struct Malformed: Error {}

  private let bytes: ArraySlice<UInt8>
  private var place: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  /// Whether everything was read.
  package var isAtEnd: Bool { place == bytes.endIndex }

  package mutating func byte() throws(Malformed) -> UInt8 {
    guard place < bytes.endIndex else { throw Malformed() }
    defer { place += 1 }
    return bytes[place]
  }

  package mutating func number() throws(Malformed) -> Int {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 64 else { throw Malformed() }
      result |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return Int(Int64(bitPattern: result)) }
      shift += 7
    }
  }

  private mutating func piece() throws(Malformed) -> ArraySlice<UInt8> {
    let count = try number()
    guard count >= 0, count <= bytes.endIndex - place else { throw Malformed() }
    defer { place += count }
    return bytes[place..<place + count]
  }

  package mutating func data() throws(Malformed) -> [UInt8] { Array(try piece()) }

  package mutating func text() throws(Malformed) -> String {
    String(decoding: try piece(), as: UTF8.self)
  }

  package mutating func truth() throws(Malformed) -> Bool { try byte() != 0 }

  package mutating func list<Element>(
    _ body: (inout WireReader) throws(Malformed) -> Element
  ) throws(Malformed) -> [Element] {
    var elements: [Element] = []
    for _ in 0..<max(0, try number()) { elements.append(try body(&self)) }
    return elements
  }

  package mutating func optional<Wrapped>(
    _ body: (inout WireReader) throws(Malformed) -> Wrapped
  ) throws(Malformed) -> Wrapped? {
    try truth() ? try body(&self) : nil
  }
}

/// Assembles complete messages from pieces of a stream.
package struct FrameBuffer {
  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  package mutating func append(_ piece: [UInt8]) {
    if start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += piece
  }

  /// Returns the next message; nil if it is incomplete.
  package mutating func next() -> ArraySlice<UInt8>? {
    guard bytes.count - start >= 4 else { return nil }
    var length = 0
    for offset in (0..<4).reversed() { length = length << 8 | Int(bytes[start + offset]) }
    guard bytes.count - start - 4 >= length else { return nil }
    defer { start += 4 + length }
    return bytes[start + 4..<start + 4 + length]
  }

  /// Returns a message of unknown length, which extends to the end of the stream.
  ///
  /// It begins with four bytes 0xFF. Returns nil if there is none.
  package mutating func takeRest() -> ArraySlice<UInt8>? {
    let rest = bytes[start...]
    bytes = []
    start = 0
    guard rest.count > 4, rest.prefix(4).allSatisfy({ $0 == 0xFF }) else { return nil }
    return rest.dropFirst(4)
  }
}
