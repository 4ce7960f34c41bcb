import Basics

/// The first level of ICU's root order, for the characters of most European texts.
///
/// ICU compares texts level by level: base letters first, then accents, then case. Texts that
/// differ in their base letters, digits or signs are compared here, without ICU. All others, and
/// texts with other characters, are left to ICU.
///
/// The ranks are read from ICU's own sort keys, so both agree in every version of ICU.
struct LetterRanks: Sendable {
  /// The ranks in the root order; nil where ICU's keys are not as expected.
  static let root = LetterRanks()

  /// By scalar below ``end``: the place among all first levels, 0 where it is not known.
  private let ranks: [UInt8]
  /// Latin letters with accents end here.
  private static let end: UInt32 = 0x180
  private static let digits: ClosedRange<UInt32> = 0x30...0x39
  /// How many bytes a code has: with a byte before them, they fit into a number.
  static let codeLength = 7
  /// A longer number is left to ICU, which compares it in parts.
  private static let longestNumber = 64

  private init?() {
    guard let collator = ICUCollator(locale: "root") else { return nil }
    defer { collator.close() }
    func firstLevel(_ scalar: UInt32) -> [UInt8] {
      guard let scalar = Unicode.Scalar(scalar) else { return [] }
      // The levels of a key are separated by ones.
      return Array(collator.key(for: String(Character(scalar))).prefix { $0 > 1 })
    }
    var scalars: [[UInt8]: [UInt32]] = [:]
    for scalar: UInt32 in 0x20...0x7E { scalars[firstLevel(scalar), default: []].append(scalar) }
    // Characters without a first level change nothing there, and are not known.
    scalars[[]] = nil
    let levels = scalars.keys.ordered { $0.lexicographicallyPrecedes($1) }
    guard levels.count < 255 else { return nil }
    var ranks = [UInt8](repeating: 0, count: Int(Self.end))
    for (place, level) in levels.enumerated() {
      for scalar in scalars[level] ?? [] { ranks[Int(scalar)] = UInt8(place + 1) }
    }
    let letters = levels.filter { level in
      scalars[level]?.contains { Unicode.Scalar($0)?.properties.isAlphabetic == true } == true
    }
    for scalar in 0xC0..<Self.end {
      // A letter with an accent has the first level of the letter. Others may have two letters'.
      let level = firstLevel(scalar)
      if letters.contains(level), let base = scalars[level]?.first {
        ranks[Int(scalar)] = ranks[Int(base)]
      }
    }
    // No other character may come between digits, since a number counts as one digit.
    let digits = Self.digits.map { ranks[Int($0)] }
    guard digits.first.map({ $0 > 0 }) == true,
      zip(digits, digits.dropFirst()).allSatisfy({ $0 + 1 == $1 })
    else { return nil }
    self.ranks = ranks
  }

  /// Returns whether a locale has no rules beside those of the root.
  ///
  /// A name with extensions, which may set options of the order, counts as one that has.
  static func describe(_ collator: ICUCollator, of locale: String) -> Bool {
    collator.actualLocale == "root" && !locale.contains("@")
      && !locale.split(whereSeparator: { $0 == "-" || $0 == "_" }).contains { $0.utf8.count == 1 }
  }

  /// Compares two texts by their first level.
  ///
  /// - Parameter isNumeric: Whether digits in a row count as a number.
  /// - Returns: A negative or a positive number; nil where the texts are equal at this level, or
  ///   where only ICU can compare them.
  func compare(_ left: String, _ right: String, isNumeric: Bool) -> Int? {
    var left = left
    var right = right
    return left.withUTF8 { left in
      right.withUTF8 { right in compare(left, right, isNumeric: isNumeric) }
    }
  }

  /// Compares the bytes of two texts by their first level.
  @inline(__always)
  func compare(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, isNumeric: Bool
  ) -> Int? {
    ranks.withUnsafeBufferPointer { Comparison(left, right, ranks: $0).result(isNumeric) }
  }

  /// Returns a code that orders as a text does at this level; nil where the text has a character
  /// that is not known, or a very long number.
  ///
  /// A text is compared by these bytes: the rank of each character; of a number the rank of zero,
  /// the count of its digits after leading zeros, and these digits. No byte is zero.
  ///
  /// - Parameter offset: The first of the seven bytes that make up the code. What comes before it
  ///   is known to be equal.
  /// - Complexity: O(*n*) for *n* bytes.
  func code(of text: String, isNumeric: Bool, from offset: Int) -> UInt64? {
    var text = text
    return text.withUTF8 { text in
      ranks.withUnsafeBufferPointer { ranks in
        var key = KeyPart(offset: offset)
        var place = 0
        while place < text.count {
          // Of the beginning all characters are looked at, so that later parts are surely known.
          if key.isFull, offset > 0 { break }
          guard let (scalar, length) = Comparison.scalar(text, place), ranks[Int(scalar)] > 0
          else { return nil }
          guard isNumeric, Self.digits.contains(scalar) else {
            key.append(ranks[Int(scalar)])
            place += length
            continue
          }
          let (first, end) = Comparison.number(text, place)
          guard end - place <= Self.longestNumber else { return nil }
          key.append(ranks[0x30])
          key.append(UInt8(end - first + 1))
          for digit in text[first..<end] { key.append(ranks[Int(digit)]) }
          place = end
        }
        return key.code
      }
    }
  }

  /// Seven bytes from an offset on of those that are appended.
  private struct KeyPart {
    private var skipped: Int
    private var number: UInt64 = 0
    private var count = 0

    init(offset: Int) { skipped = offset }

    var isFull: Bool { count == LetterRanks.codeLength }

    var code: UInt64 { number << UInt64((LetterRanks.codeLength - count) * 8) }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
      if skipped > 0 {
        skipped -= 1
      } else if !isFull {
        number = number << 8 | UInt64(byte)
        count += 1
      }
    }
  }

  /// Two texts that are compared.
  private struct Comparison {
    private let left: UnsafeBufferPointer<UInt8>
    private let right: UnsafeBufferPointer<UInt8>
    private let ranks: UnsafeBufferPointer<UInt8>

    init(
      _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>,
      ranks: UnsafeBufferPointer<UInt8>
    ) {
      self.left = left
      self.right = right
      self.ranks = ranks
    }

    /// Returns the scalar at a place, and how many bytes it has; nil where it is none of the table.
    @inline(__always)
    static func scalar(
      _ text: UnsafeBufferPointer<UInt8>, _ place: Int
    ) -> (scalar: UInt32, length: Int)? {
      let first = UInt32(text[place])
      if first < 0x80 { return (first, 1) }
      guard 0xC2...0xC5 ~= first, place + 1 < text.count else { return nil }
      return ((first & 0x1F) << 6 | UInt32(text[place + 1]) & 0x3F, 2)
    }

    /// Whether a text ends at a place, or goes on with a character that is known: another one may
    /// belong to the character before it.
    @inline(__always)
    private func isKnown(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
      guard place < text.count else { return true }
      guard let (scalar, _) = Self.scalar(text, place) else { return false }
      return ranks[Int(scalar)] > 0
    }

    func result(_ isNumeric: Bool) -> Int? {
      var a = 0
      var b = 0
      while a < left.count, b < right.count {
        guard let (mine, length) = Self.scalar(left, a),
          let (other, otherLength) = Self.scalar(right, b), ranks[Int(mine)] > 0,
          ranks[Int(other)] > 0
        else { return nil }
        let areDigits = isNumeric && digits.contains(mine) && digits.contains(other)
        if areDigits {
          guard let (result, end, otherEnd) = compareNumbers(a, b) else { return nil }
          a = end
          b = otherEnd
          if result == 0 { continue }
          return isKnown(left, a) && isKnown(right, b) ? result : nil
        }
        a += length
        b += otherLength
        if ranks[Int(mine)] != ranks[Int(other)] {
          guard isKnown(left, a), isKnown(right, b) else { return nil }
          return ranks[Int(mine)] < ranks[Int(other)] ? -1 : 1
        }
      }
      guard isKnown(left, a), isKnown(right, b), a < left.count || b < right.count else {
        return nil
      }
      return a < left.count ? 1 : -1
    }

    /// Compares the numbers that begin at two places, and returns where they end; nil where one is
    /// very long.
    private func compareNumbers(_ a: Int, _ b: Int) -> (result: Int, end: Int, otherEnd: Int)? {
      let (first, end) = Self.number(left, a)
      let (otherFirst, otherEnd) = Self.number(right, b)
      let count = end - first
      let otherCount = otherEnd - otherFirst
      guard max(end - a, otherEnd - b) <= longestNumber else { return nil }
      if count != otherCount { return (count < otherCount ? -1 : 1, end, otherEnd) }
      for place in 0..<count where left[first + place] != right[otherFirst + place] {
        return (left[first + place] < right[otherFirst + place] ? -1 : 1, end, otherEnd)
      }
      return (0, end, otherEnd)
    }

    /// Returns where a number's first digit but zero is, and where the number ends.
    static func number(
      _ text: UnsafeBufferPointer<UInt8>, _ start: Int
    ) -> (first: Int, end: Int) {
      var end = start
      while end < text.count, digits.contains(UInt32(text[end])) { end += 1 }
      var first = start
      while first < end, text[first] == 0x30 { first += 1 }
      return (first, end)
    }
  }
}
