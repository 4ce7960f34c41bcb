/// A search for the newest entry that contains a given text.
///
/// Case is ignored if the pattern has no capital letter. All other characters match themselves,
/// because `[`, `.` and `*` are common in statements.
struct HistorySearch {
  /// The text that is searched for.
  private(set) var pattern = ""

  /// Whether no entry, or no older one, contains the pattern.
  private(set) var hasFailed = false

  /// The index of the match, if there is one.
  private(set) var match: Int?

  /// The indices of all entries that contain the pattern, the newest first.
  private var found: [Int] = []

  /// Appends to the pattern.
  ///
  /// The match stays if it still contains the pattern.
  mutating func extend(with scalar: Unicode.Scalar, in entries: [String]) {
    let isFirst = pattern.isEmpty
    pattern.unicodeScalars.append(scalar)
    let wanted = SearchPattern(pattern)
    // An entry that contains the longer pattern also contains the shorter one.
    found =
      isFirst
      ? entries.indices.reversed().filter { wanted.isIn(entries[$0]) }
      : found.filter { wanted.isIn(entries[$0]) }
    let next = found.first { $0 <= match ?? .max }
    hasFailed = next == nil
    match = next ?? match
  }

  /// Removes the last character of the pattern and starts again at the newest entry.
  mutating func shorten(in entries: [String]) {
    guard !pattern.isEmpty else { return }
    pattern.removeLast()
    find(in: entries)
  }

  /// Moves to the next older match.
  mutating func goOn(in entries: [String]) {
    guard !pattern.isEmpty else { return }
    let next = found.first { $0 < match ?? .max }
    hasFailed = next == nil
    match = next ?? match
  }

  /// Moves to the next newer match.
  mutating func goBack(in entries: [String]) {
    guard let match, !pattern.isEmpty else { return }
    let newer = found.last { $0 > match }
    hasFailed = newer == nil
    self.match = newer ?? match
  }

  /// Returns the match and the next older ones.
  func matches(in entries: [String], atMost count: Int) -> [String] {
    guard let match else { return [] }
    return [entries[match]] + found.lazy.filter { $0 < match }.prefix(count - 1).map { entries[$0] }
  }

  /// Starts with the pattern of an earlier search.
  mutating func begin(with pattern: String, in entries: [String]) {
    self.pattern = pattern
    find(in: entries)
  }

  /// Returns the first place of the pattern in `entry`.
  func place(in entry: String) -> String.Index? {
    let wanted = Array(pattern)
    let ignoresCase = SearchPattern(pattern).ignoresCase
    return entry.indices.first { start in
      entry[start...].starts(with: wanted) { character, other in
        character == other || (ignoresCase && character.lowercased() == String(other))
      }
    }
  }

  private mutating func find(in entries: [String]) {
    let wanted = SearchPattern(pattern)
    found =
      pattern.isEmpty ? [] : entries.indices.reversed().filter { wanted.isIn(entries[$0]) }
    match = found.first
    hasFailed = match == nil && !pattern.isEmpty
  }
}

/// A pattern that is searched for in many texts.
private struct SearchPattern {
  let ignoresCase: Bool
  private let pattern: String
  private let bytes: [UInt8]
  private let isASCII: Bool

  init(_ pattern: String) {
    self.pattern = pattern
    bytes = Array(pattern.utf8)
    isASCII = bytes.allSatisfy { $0 < 0x80 }
    ignoresCase = pattern == pattern.lowercased()
  }

  /// Whether a text contains the pattern.
  ///
  /// Letters with accents are compared as a person sees them, which is slow. A pattern of ASCII
  /// only is compared byte by byte.
  func isIn(_ entry: String) -> Bool {
    guard isASCII else {
      guard entry.utf8.contains(where: { $0 >= 0x80 }) else { return false }
      let text = ignoresCase ? entry.lowercased() : entry
      return text.indices.contains { text[$0...].starts(with: pattern) }
    }
    var entry = entry
    return entry.withUTF8(isIn)
  }

  private func isIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    guard text.count >= bytes.count else { return false }
    for start in 0...(text.count - bytes.count) where folded(text[start]) == first {
      var length = 1
      while length < bytes.count, folded(text[start + length]) == bytes[length] { length += 1 }
      if length == bytes.count { return true }
    }
    return false
  }

  /// Returns a letter in the pattern's case.
  private func folded(_ byte: UInt8) -> UInt8 {
    ignoresCase && 0x41...0x5A ~= byte ? byte | 0x20 : byte
  }
}
