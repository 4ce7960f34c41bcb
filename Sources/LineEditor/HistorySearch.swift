/// A search for the newest entry that holds a certain text.
///
/// Letters match in either case as long as the pattern has no capital. All
/// else stands for itself: in statements `[`, `.` and `*` are common.
struct HistorySearch {
  /// The text looked for.
  private(set) var pattern = ""

  /// Whether no entry, or no older one, has the pattern.
  private(set) var hasFailed = false

  /// Where the match stands, if there was one.
  private(set) var match: Int?

  /// Adds to the pattern; the match stays if it still has it.
  mutating func extend(with scalar: Unicode.Scalar, in entries: [String]) {
    pattern.unicodeScalars.append(scalar)
    find(before: match.map { $0 + 1 } ?? entries.count, in: entries)
  }

  /// Takes the last character off the pattern and begins at the newest entry.
  mutating func shorten(in entries: [String]) {
    guard !pattern.isEmpty else { return }
    pattern.removeLast()
    match = nil
    hasFailed = false
    if !pattern.isEmpty { find(before: entries.count, in: entries) }
  }

  /// Goes to the next older match.
  mutating func goOn(in entries: [String]) {
    guard !pattern.isEmpty else { return }
    let shown = match.map { entries[$0] }
    find(before: match ?? entries.count, except: shown, in: entries)
  }

  /// Starts with the pattern of an earlier search.
  mutating func begin(with pattern: String, in entries: [String]) {
    self.pattern = pattern
    find(before: entries.count, in: entries)
  }

  /// The place of the pattern in `entry`.
  func place(in entry: String) -> Range<String.Index>? {
    entry.firstRange(of: pattern, ignoringCase: pattern == pattern.lowercased())
  }

  private mutating func find(before end: Int, except shown: String? = nil, in entries: [String]) {
    let found = entries[..<end].lastIndex { $0 != shown && place(in: $0) != nil }
    hasFailed = found == nil
    if let found { match = found }
  }
}

extension String {
  /// Finds the first place of `pattern`, character by character.
  fileprivate func firstRange(of pattern: String, ignoringCase: Bool) -> Range<Index>? {
    let wanted = Array(pattern)
    guard let first = wanted.first else { return startIndex..<startIndex }
    func matches(_ character: Character, _ other: Character) -> Bool {
      character == other || (ignoringCase && character.lowercased() == other.lowercased())
    }
    var start = startIndex
    while start < endIndex {
      if matches(self[start], first) {
        var end = start
        var rest = wanted[...]
        while let next = rest.first, end < endIndex, matches(self[end], next) {
          rest.removeFirst()
          end = index(after: end)
        }
        if rest.isEmpty { return start..<end }
      }
      start = index(after: start)
    }
    return nil
  }
}
