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

  private var ignoresCase: Bool { pattern == pattern.lowercased() }

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

  /// Goes to the next newer match.
  mutating func goBack(in entries: [String]) {
    guard let match, !pattern.isEmpty else { return }
    let shown = entries[match]
    let newer = entries[(match + 1)...].firstIndex { $0 != shown && holdsPattern($0) }
    hasFailed = newer == nil
    self.match = newer ?? match
  }

  /// The match and the next older ones, each text once.
  func matches(in entries: [String], atMost count: Int) -> [String] {
    guard var index = match else { return [] }
    var found = [entries[index]]
    while found.count < count,
      let next = entries[..<index].lastIndex(where: { holdsPattern($0) && !found.contains($0) })
    {
      found.append(entries[next])
      index = next
    }
    return found
  }

  /// Starts with the pattern of an earlier search.
  mutating func begin(with pattern: String, in entries: [String]) {
    self.pattern = pattern
    find(before: entries.count, in: entries)
  }

  /// The first place of the pattern in `entry`.
  func place(in entry: String) -> String.Index? {
    let wanted = Array(pattern)
    let ignoresCase = ignoresCase
    return entry.indices.first { start in
      entry[start...].starts(with: wanted) { character, other in
        character == other || (ignoresCase && character.lowercased() == String(other))
      }
    }
  }

  private func holdsPattern(_ entry: String) -> Bool {
    (ignoresCase ? entry.lowercased() : entry).holds(pattern)
  }

  private mutating func find(before end: Int, except shown: String? = nil, in entries: [String]) {
    let found = entries[..<end].lastIndex { $0 != shown && holdsPattern($0) }
    hasFailed = found == nil
    if let found { match = found }
  }
}

extension String {
  /// Whether `pattern` stands somewhere in this text.
  ///
  /// Letters with their accents are compared as a person sees them, which takes
  /// its time; a pattern without any is looked for byte by byte.
  fileprivate func holds(_ pattern: String) -> Bool {
    let bytes = Array(pattern.utf8)
    guard let first = bytes.first else { return true }
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      return indices.contains { self[$0...].starts(with: pattern) }
    }
    var rest = utf8[...]
    while let start = rest.firstIndex(of: first) {
      if rest[start...].starts(with: bytes) { return true }
      rest = rest[rest.index(after: start)...]
    }
    return false
  }
}
