/// Selects the first names that match a word, in alphabetical order.
///
/// There may be many thousands of names, and the selection runs between two key presses. Therefore
/// it does not sort all of them.
struct NameChoice {
  /// The condition that a name must fulfil.
  enum Rule {
    /// It begins with the word. Case is significant only if the word contains a capital letter.
    case prefix(String, ignoresCase: Bool)
    /// It contains the letters of the word in order.
    case fuzzy(FuzzyMatch)
  }

  let rule: Rule
  /// The largest number of names.
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
      // This runs for every name after every key, so most names are decided by comparing bytes.
      return Self.begins(name, with: word, ignoresCase)
        ?? (ignoresCase && name.lowercased().hasPrefix(word) || name.hasPrefix(word))
    }
  }

  /// Compares byte by byte; returns nil if a character outside ASCII has to be compared.
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

  /// The selected names.
  struct Result {
    /// The first matching names, in order.
    var names: [String] = []
    /// The number of further matching names.
    var omitted = 0
    /// The common start of all matching names, including those left out; nil if none match.
    var common: String?
  }

  /// Selects names.
  ///
  /// - Complexity: O(*n*) in the names, and O(*k* log *k*) in the limit.
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
      // With a limit of one or two, any matching names will do.
      guard limit > 2, let last = result.names.last, name < last else { continue }
      result.names.removeLast()
      result.names.insert(name, at: Self.place(of: name, in: result.names))
    }
    if result.names.count < limit { result.names.sort() }
    result.common = common.map { String(decoding: $0, as: UTF8.self) }
    return result
  }

  /// Selects the names that match best.
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
