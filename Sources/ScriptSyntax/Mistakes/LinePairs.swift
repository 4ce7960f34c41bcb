/// The set of adjacent bytes in a line.
///
/// If a line lacks one pair of a text's bytes, it cannot contain the text. This excludes almost
/// every form at once, so an error costs little although there are hundreds of forms.
struct LinePairs {
  /// One bit for each hash of two bytes.
  private var bits = ContiguousArray<UInt64>(repeating: 0, count: 64)

  /// Creates the set of a line's pairs and single bytes.
  ///
  /// ASCII letters count as lower case.
  init(_ line: Substring) {
    var previous: UInt8 = 0
    for byte in line.utf8 {
      let folded = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      insert(Self.hash(0, folded))
      insert(Self.hash(previous, folded))
      previous = folded
    }
  }

  private mutating func insert(_ hash: Int) { bits[hash >> 6] |= 1 << UInt64(hash & 63) }

  /// Whether the line may contain a text, given the hashes of the text's pairs.
  func mayContain(_ hashes: [Int]) -> Bool {
    for hash in hashes where bits[hash >> 6] & (1 << UInt64(hash & 63)) == 0 { return false }
    return true
  }

  /// Returns the hashes of a text's pairs, or of its only byte.
  ///
  /// A text that is not ASCII has none.
  static func hashes(of text: String) -> [Int] {
    let bytes = Array(text.utf8)
    guard bytes.allSatisfy({ $0 < 0x80 }), let first = bytes.first else { return [] }
    return bytes.count == 1 ? [hash(0, first)] : zip(bytes, bytes.dropFirst()).map(hash)
  }

  private static func hash(_ first: UInt8, _ second: UInt8) -> Int {
    (Int(first) &* 67 &+ Int(second)) & 4095
  }
}
