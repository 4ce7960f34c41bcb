import FetchedResults
package import ScriptRuntime
package import ScriptSyntax

/// The texts that can be typed at the cursor.
package struct Completions {
  /// The start of the text that a candidate replaces, in UTF-8 bytes.
  ///
  /// That text ends at the cursor.
  package let replacementStart: Int
  /// The texts to choose from, each with the blank or bracket that must follow it.
  ///
  /// Values of the data come first, then names, then words. Each kind has an order of its own.
  package private(set) var candidates: [String] = []
  /// The number of further candidates.
  package private(set) var omitted = 0
  /// The common start of the further candidates; nil if there are none.
  package private(set) var omittedStart: String?
  private var kinds: [Detail] = []
  private var names: CompletionNames?

  /// The description of a candidate.
  private enum Detail {
    case known(String)
    /// A description that is computed when it is first read.
    case kind(CursorPlace.Want)
  }

  /// Finds the texts that can be typed.
  ///
  /// - Parameters:
  ///   - session: The session that gives names their meaning.
  ///   - text: The entry so far, which may have several lines.
  ///   - offset: The cursor's position, in UTF-8 bytes.
  ///   - environment: Provides the files.
  ///   - variables: Variables that are visible at the start of the entry, besides the session's.
  ///   - limit: The largest number of candidates. If it is one or two, any candidates may be
  ///     returned; then neither the data nor names that only resemble the typed word are searched.
  ///
  /// - Complexity: O(*n*) in the session's names, and in some thousands of its objects; plus
  ///   sorting the candidates.
  package init(
    in text: String, at offset: Int, session: Session,
    environment: (any ScriptEnvironment)? = nil, variables: [LocalVariable] = [],
    atMost limit: Int = 250
  ) {
    let isForHint = limit <= 2
    if let named = NamedThings(in: text, at: offset, session: session, environment: environment) {
      replacementStart = named.start
      take(named.candidates, atMost: limit)
      return
    }
    let objects = NamedObjects(session: session)
    if let numbered = objects.numbered(in: text, at: offset, atMost: limit) {
      replacementStart = numbered.start
      take(numbered.candidates, atMost: limit)
      omitted += numbered.omitted
      if omitted > 0 { omittedStart = "" }
      return
    }
    let values =
      isForHint
      ? nil : ValuesOfData(in: text, at: offset, session: session, atMost: min(limit, 200))
    if let values, values.isInString {
      replacementStart = values.start
      take(values)
      return
    }
    var place = ScriptParser.place(in: text, at: offset)
    place.locals = variables + place.locals
    replacementStart = place.start
    if !isForHint, text.utf8.prefix(offset).allSatisfy({ $0 == 0x20 || $0 == 0x0A }) {
      take(NextSteps(session).candidates, atMost: limit)
    }
    if let values, place.typed.isEmpty, place.wants.contains(where: \.isOperand) { take(values) }
    take(CompletionNames(session: session, place: place, atMost: limit), atMost: limit)
    guard !isForHint, place.typed.utf8.count > 1 else { return }
    if place.wants.contains(.value) {
      let variables = candidates.compactMap { session.variable($0)?.objectID }
      let shown = objects.shown(as: place.typed, except: Set(variables), atMost: 20)
      take(shown.map { ($0.id.description, $0.display.quoted) }, atMost: limit)
    }
    guard candidates.isEmpty else { return }
    takeSimilar(
      CompletionNames(session: session, place: place, isFuzzy: true, atMost: limit), atMost: limit)
  }

  /// Returns a short description of a candidate.
  package func detail(at index: Int) -> String {
    switch kinds[index] {
    case .known(let words): words
    case .kind(let want): names?.detail(of: candidates[index], for: want) ?? ""
    }
  }

  /// Returns what a candidate is; nil for values, objects and files.
  package func want(at index: Int) -> CursorPlace.Want? {
    switch kinds[index] {
    case .known: nil
    case .kind(let want): want
    }
  }

  /// The descriptions of all candidates.
  package var details: [String] { candidates.indices.map(detail) }

  // MARK: Collecting

  private mutating func take(_ found: [(text: String, detail: String)], atMost limit: Int) {
    for (text, detail) in found {
      guard candidates.count < limit else {
        omitted += 1
        omittedStart = ""
        continue
      }
      candidates.append(text)
      kinds.append(.known(detail))
    }
  }

  private mutating func take(_ values: ValuesOfData) {
    take(values.candidates, atMost: .max)
    omitted += values.omitted
    if omitted > 0 { omittedStart = "" }
  }

  /// Adds the names that begin with the typed word, or all names if no word is typed.
  private mutating func take(_ names: CompletionNames, atMost limit: Int) {
    self.names = names
    var seen = Set(candidates)
    let first = candidates.count
    for want in names.place.wants.sorted(by: { $0.rank < $1.rank }) {
      // Where an argument's label is required, a value is not allowed.
      if want.rank > 0, names.place.wants.contains(where: \.isArgument), candidates.count > first {
        break
      }
      let listing = names.listing(for: want)
      for candidate in listing.candidates
      where names.isWanted(candidate) && seen.insert(candidate).inserted {
        guard candidates.count < limit else {
          omitted += 1
          omittedStart = omittedStart.map { $0.commonPrefix(with: candidate) } ?? candidate
          continue
        }
        candidates.append(candidate)
        kinds.append(.kind(want))
      }
      guard listing.omitted > 0, let common = listing.common else { continue }
      omitted += listing.omitted
      omittedStart = omittedStart.map { $0.commonPrefix(with: common) } ?? common
    }
  }

  /// Adds the names that contain the letters of the typed word, the best ones first.
  private mutating func takeSimilar(_ names: CompletionNames, atMost limit: Int) {
    take(names, atMost: limit)
    let order = candidates.indices.map { ($0, names.score(of: candidates[$0])) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.0)
    (candidates, kinds) = (order.map { candidates[$0] }, order.map { kinds[$0] })
    if omitted > 0 { omittedStart = "" }
  }
}

extension ScriptValue {
  /// The ID of the object that the value is; nil if it is not an object.
  fileprivate var objectID: ObjectID? {
    if case .value(.object(let id)) = self { id } else { nil }
  }
}

extension CursorPlace.Want {
  fileprivate var isArgument: Bool {
    if case .argument = self { true } else { false }
  }

  fileprivate var isOperand: Bool {
    if case .operand = self { true } else { false }
  }

  /// The script's own names have a lower rank, and so come before those of the language.
  fileprivate var rank: Int {
    switch self {
    case .member, .argument, .attribute, .key, .relationship: 0
    case .operand, .entity, .insertedEntity, .importedEntity, .source, .fetchedSource, .controller,
      .historyObserver, .table, .context, .type:
      1
    case .value: 2
    case .statement: 3
    case .comparison: 4
    case .word: 5
    }
  }
}

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

extension String {
  /// Returns the common start of this text and another one.
  func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
