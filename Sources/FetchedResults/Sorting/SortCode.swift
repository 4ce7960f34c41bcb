import Foundation

/// A number that orders as a key's value does, as far as 64 bits go.
///
/// Most comparisons of a long sort are then made on numbers that lie side by
/// side, and do not touch the values.
package struct SortCode {
  package let number: UInt64
  /// Whether another value of the attribute has another number.
  package let isExact: Bool

  private init(_ number: UInt64, isExact: Bool) {
    self.number = number
    self.isExact = isExact
  }

  /// Creates the code of a value by its own order, ascending.
  package init(_ value: PropertyValue) {
    switch value {
    case .null: self.init(0, isExact: true)
    case .bool(let value): self.init(Self.present | (value ? 1 : 0), isExact: true)
    case .int(let value):
      let bound: Int64 = 1 << 62
      let near = min(max(value, -bound), bound - 1)
      self.init(Self.present | UInt64(near + bound), isExact: near == value)
    case .double(let value): self.init(double: value)
    case .date(let value): self.init(double: value.timeIntervalSinceReferenceDate)
    case .string(let value):
      var value = value
      self = value.withUTF8 { Self(bytes: $0) }
    case .decimal, .uuid, .uri, .data, .object, .list:
      self.init(Self.present, isExact: false)
    }
  }

  /// How many bytes of a text a code has.
  static let textLength = LetterRanks.codeLength

  /// Creates the code of bytes from an offset on; the bytes order as `memcmp` has it.
  init(bytes: UnsafeBufferPointer<UInt8>, from offset: Int = 0) {
    let left = max(bytes.count - offset, 0)
    if left > Self.textLength, let start = bytes.baseAddress {
      let eight = UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self)
      self.init(Self.present | UInt64(bigEndian: eight) >> 8, isExact: false)
      return
    }
    var number: UInt64 = 0
    var hasZero = false
    for index in 0..<Self.textLength {
      let byte = index < left ? bytes[offset + index] : 0
      number = number << 8 | UInt64(byte)
      hasZero = hasZero || index < left && byte == 0
    }
    // A shorter text and one that continues with a zero have the same code.
    self.init(Self.present | number, isExact: !hasZero)
  }

  /// Whether a text with this code may be longer than the code's part of it.
  ///
  /// Then all texts with this code are, since none of them ends within that part.
  static func mayContinue(_ code: UInt64) -> Bool {
    (0..<textLength).allSatisfy { code >> UInt64($0 * 8) & 0xFF != 0 }
  }

  /// Creates the code of a text by that of its letters.
  init(letters code: UInt64) { self.init(Self.present | code, isExact: false) }

  private init(double value: Double) {
    guard !value.isNaN else {
      self.init(Self.present, isExact: false)
      return
    }
    // Positive zero and negative zero are the same.
    let bits = (value == 0 ? 0 : value).bitPattern
    let ordered = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    self.init(Self.present | ordered >> 1, isExact: false)
  }

  /// Set in every code but that of null, which comes before all others.
  private static let present: UInt64 = 1 << 63
}
