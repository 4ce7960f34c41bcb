/// The bytes by which strings of rows compare where comparing the strings
/// themselves is dear: by folding or by the rules of a locale.
///
/// Bounded: each place of the table has one row's bytes at most. Rows that are compared again and
/// again, those at the top of each search, get one. A row that is met once is compared as it is,
/// which is cheaper than computing its bytes. Texts that ``LetterRanks`` tells apart need none.
/// An entry has its string, which is compared at each use. So a changed row needs no notice.
package final class CollationKeys {
  private struct Entry {
    var number: Int64
    var key: Int
    var text: String
    var value: CollationKey
  }

  private let capacity: Int
  // A comparison calls no code that uses the table.
  /// By place; made for the first string, since most controllers need none.
  @exclusivity(unchecked) private var entries: ContiguousArray<Entry?> = []
  /// For each place the row that was met there last without an entry.
  @exclusivity(unchecked) private var met: ContiguousArray<UInt64> = []

  /// - Parameter capacity: How many keys are kept at most.
  package init(capacity: Int = 16_384) {
    var size = 1
    while size * 2 <= capacity { size *= 2 }
    self.capacity = size
  }

  /// Compares a row's string with the key of another one.
  ///
  /// - Parameters:
  ///   - number: The row.
  ///   - key: Which of the sort keys.
  ///   - order: How strings compare.
  ///   - other: The key of the other string, with its text.
  /// - Returns: A negative number where the row comes first, 0 or a positive number.
  /// - Complexity: O(1) comparisons of bytes where the row is known.
  func compare(
    _ text: String, number: Int64, key: Int, order: StringOrder, with other: CollationProbe
  ) -> Int {
    if let result = order.compareLetters(text, other.text) { return result }
    if entries.isEmpty {
      entries = ContiguousArray(repeating: nil, count: capacity)
      met = ContiguousArray(repeating: 0, count: capacity)
    }
    var hash = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(key)
    hash ^= hash >> 29
    let place = Int(hash & UInt64(capacity - 1))
    if entries[place]?.number == number, entries[place]?.key == key,
      entries[place]?.text.hasSameScalars(as: text) == true,
      let result = entries[place]?.value.compare(with: other.key)
    {
      return result
    }
    // Nearly all rows of a search are met once: those at its end.
    guard met[place] == hash else {
      met[place] = hash
      return order.compare(text, other.text)
    }
    let value = CollationKey(order.key(for: text))
    entries[place] = Entry(number: number, key: key, text: text, value: value)
    return value.compare(with: other.key)
  }

  /// How many keys are kept.
  package var count: Int { entries.count { $0 != nil } }
}

/// Bytes that compare as a string does, and their beginning as numbers.
struct CollationKey {
  private let first: UInt64
  private let second: UInt64
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    first = Self.number(bytes, from: 0)
    second = Self.number(bytes, from: 8)
  }

  private static func number(_ bytes: [UInt8], from start: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in start..<start + 8 {
      number = number << 8 | UInt64(index < bytes.count ? bytes[index] : 0)
    }
    return number
  }

  @inline(__always)
  func compare(with other: Self) -> Int {
    if first != other.first { return first < other.first ? -1 : 1 }
    if second != other.second { return second < other.second ? -1 : 1 }
    return bytes.withUnsafeBufferPointer { a in
      other.bytes.withUnsafeBufferPointer { b in a.comparedBytes(with: b) }
    }
  }
}

/// A string that is compared with those of many rows, with its key.
final class CollationProbe {
  let text: String
  private let order: StringOrder
  /// Computed for the first row that needs it, since many searches meet none.
  private(set) lazy var key = CollationKey(order.key(for: text))

  init(text: String, order: StringOrder) {
    self.text = text
    self.order = order
  }
}
