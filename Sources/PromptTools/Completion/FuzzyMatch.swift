/// A search for names that contain the letters of a text in order; it also rates each match.
///
/// For example, `bkt` matches `bookTitle`. Case is ignored.
struct FuzzyMatch {
  private let wanted: [UInt8]

  init(_ typed: String) {
    wanted = typed.utf8.map(Self.folded)
  }

  /// Returns how well a name matches, or nil if it does not.
  ///
  /// A greater number is a better match.
  ///
  /// - Complexity: O(*n*) in the length of the name.
  func score(of name: String) -> Int? {
    var score = 0
    var next = 0
    var isAfterMatch = false
    var previous: UInt8 = 0
    for byte in name.utf8 {
      if next < wanted.count, Self.folded(byte) == wanted[next] {
        next += 1
        score += 1
        if isAfterMatch { score += 4 }
        if Self.beginsWord(byte, after: previous) { score += 6 }
        isAfterMatch = true
      } else {
        isAfterMatch = false
      }
      previous = byte
    }
    // If two names match equally well, the shorter one wins.
    return next == wanted.count ? score * 64 - min(63, name.utf8.count) : nil
  }

  private static func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

  private static func isLetter(_ byte: UInt8) -> Bool {
    0x61...0x7A ~= byte | 0x20 || byte >= 0x80
  }

  private static func beginsWord(_ byte: UInt8, after previous: UInt8) -> Bool {
    isLetter(byte) && (!isLetter(previous) || (byte < 0x60 && previous >= 0x60))
  }
}
