import Foundation

/// Searches in bytes.
///
/// The text can be lowercased during the search; the pattern already is.
enum ByteSearch {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  @inline(__always)
  static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }

  /// Whether the pattern occurs in the text at `start`.
  @inline(__always)
  static func matches(
    _ pattern: Bytes, in text: Bytes, at start: Int, lowers: Bool
  ) -> Bool {
    guard pattern.count <= text.count - start else { return false }
    guard lowers else {
      return Bytes(rebasing: text[start..<start + pattern.count])
        .comparedBytes(with: pattern) == 0
    }
    for index in 0..<pattern.count where lowered(text[start &+ index]) != pattern[index] {
      return false
    }
    return true
  }

  /// Whether the pattern occurs anywhere in the text.
  ///
  /// - Complexity: O(*n* · *m*) at worst, if the text is lowercased.
  static func contains(_ pattern: Bytes, in text: Bytes, lowers: Bool) -> Bool {
    guard let first = pattern.first, pattern.count <= text.count else {
      return pattern.isEmpty
    }
    guard lowers else { return containsExactly(pattern, first, in: text) }
    var effort = Effort()
    for start in 0...text.count - pattern.count where lowered(text[start]) == first {
      if matches(pattern, in: text, at: start, lowers: true) { return true }
      if effort.isTooMuch(adding: pattern.count) { return false }
    }
    return false
  }

  /// Finds the first byte with a fast search, and then compares the rest.
  private static func containsExactly(_ pattern: Bytes, _ first: UInt8, in text: Bytes) -> Bool {
    guard let base = text.baseAddress else { return false }
    let last = text.count - pattern.count
    var start = 0
    var effort = Effort()
    while start <= last, let found = memchr(base + start, Int32(first), last - start + 1) {
      start = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      if matches(pattern, in: text, at: start, lowers: false) { return true }
      if effort.isTooMuch(adding: pattern.count) { return false }
      start += 1
    }
    return false
  }

  /// Counts the bytes that a search may have compared, and checks regularly whether to stop.
  struct Effort {
    private var bytes = 0

    /// Whether the search must end without a result.
    @inline(__always)
    mutating func isTooMuch(adding count: Int) -> Bool {
      bytes &+= count
      guard bytes > 1 << 16 else { return false }
      bytes = 0
      return StopCheck.isWanted(after: 1 << 10)
    }
  }

  /// Compares like `memcmp`, with a prefix before longer texts.
  static func compare(_ text: Bytes, with pattern: Bytes, lowers: Bool) -> Int {
    guard lowers else { return text.comparedBytes(with: pattern) }
    for index in 0..<min(text.count, pattern.count) {
      let difference = Int(lowered(text[index])) - Int(pattern[index])
      if difference != 0 { return difference }
    }
    return text.count - pattern.count
  }
}
