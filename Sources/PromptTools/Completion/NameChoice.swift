/// Picks the first of many names that match a word, in alphabetical order.
///
/// There may be many thousands, and this is asked between two keys. So not all of them are put
/// in order.
struct NameChoice {
  /// What a name must be to match.
  enum Rule {
    /// It begins as the word does; case counts only where the word has a capital letter.
    case prefix(String, ignoresCase: Bool)
    /// It has the letters of the word in order.
    case fuzzy(FuzzyMatch)
  }

  let rule: Rule
  /// How many names are wanted.
  let limit: Int

  init(_ word: String, isFuzzy: Bool, limit: Int) {
    rule =
      isFuzzy
      ? .fuzzy(FuzzyMatch(word))
      : .prefix(word, ignoresCase: !word.contains(where: \.isUppercase))
    self.limit = limit
  }

  /// Whether a name matches.
  func matches(_ name: String) -> Bool {
    switch rule {
    case .fuzzy(let match): return match.score(of: name) != nil
    case .prefix(let word, let ignoresCase):
      // Asked of every name at every key, so most are told apart by their bytes.
      return Self.begins(name, with: word, ignoresCase)
        ?? (ignoresCase && name.lowercased().hasPrefix(word) || name.hasPrefix(word))
    }
  }

  /// Compares byte by byte; nil where a character that is not ASCII has to be compared.
  private static func begins(_ name: String, with word: String, _ ignoresCase: Bool) -> Bool? {
    var bytes = name.utf8.makeIterator()
    for wanted in word.utf8 {
      guard let byte = bytes.next() else { return false }
      if wanted >= 0x80 || byte >= 0x80 { return nil }
      let folded = ignoresCase && 0x41...0x5A ~= byte ? byte | 0x20 : byte
      guard folded == wanted else { return false }
    }
    return true
  }

  /// What was picked.
  struct Result {
    /// The first names that match, in order.
    var names: [String] = []
    /// How many more match.
    var omitted = 0
    /// What all of them begin with, those that are left out as well; nil if none match.
    var common: String?
  }

  /// Picks names.
  ///
  /// - Complexity: O(*n*) in the names, and O(*k* log *k*) in those that are wanted.
  func pick(from names: some Sequence<String>) -> Result {
    if case .fuzzy(let match) = rule { return best(of: names, by: match) }
    var result = Result()
    var common: [UInt8]?
    for name in names where matches(name) {
      common = common.map { Self.common($0, name) } ?? Array(name.utf8)
      if result.names.count < limit {
        result.names.append(name)
        if result.names.count == limit { result.names.sort() }
        continue
      }
      result.omitted += 1
      // Where one or two are wanted, it is not said which.
      guard limit > 2, let last = result.names.last, name < last else { continue }
      result.names.removeLast()
      result.names.insert(name, at: Self.place(of: name, in: result.names))
    }
    if result.names.count < limit { result.names.sort() }
    result.common = common.map { String(decoding: $0, as: UTF8.self) }
    return result
  }

  /// Picks the names that match best.
  private func best(of names: some Sequence<String>, by match: FuzzyMatch) -> Result {
    var found: [(name: String, score: Int)] = []
    for name in names {
      if let score = match.score(of: name) { found.append((name, score)) }
    }
    var result = Result(omitted: max(0, found.count - limit))
    if result.omitted > 0 {
      result.common = ""
      // Sorting the numbers alone is faster than sorting the names.
      let last = found.map(\.score).sorted(by: >)[max(0, limit - 1)]
      let better = found.filter { $0.score > last }
      found = better + found.filter { $0.score == last }.prefix(limit - better.count)
    }
    result.names = found.map(\.name).sorted()
    return result
  }

  private static func common(_ bytes: [UInt8], _ name: String) -> [UInt8] {
    var count = 0
    for byte in name.utf8 {
      guard count < bytes.count, bytes[count] == byte else { break }
      count += 1
    }
    return count == bytes.count ? bytes : Array(bytes[..<count])
  }

  private static func place(of name: String, in names: [String]) -> Int {
    var range = 0..<names.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range = names[middle] < name ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
