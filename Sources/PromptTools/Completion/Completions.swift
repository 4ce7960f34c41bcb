import FetchedResults
package import ScriptRuntime
import ScriptSyntax

/// What can be typed at the cursor.
package struct Completions {
  /// Where the text begins that a candidate replaces, in UTF-8 bytes; it ends
  /// at the cursor.
  package let replacementStart: Int
  /// The texts to choose from, each with the blank or the bracket that must
  /// follow it.
  ///
  /// Values of the data come first, then names, then words, each kind in an order of its own.
  package private(set) var candidates: [String] = []
  /// How many more there are.
  package private(set) var omitted = 0
  /// What those that are left out begin with; nil if there are none.
  package private(set) var omittedStart: String?
  private var kinds: [Detail] = []
  private var names: CompletionNames?

  /// What a candidate is.
  private enum Detail {
    case known(String)
    /// To be worked out when someone looks.
    case kind(CursorPlace.Want)
  }

  /// Finds what can be typed.
  ///
  /// - Parameters:
  ///   - session: What names mean.
  ///   - text: The entry so far, which may have several lines.
  ///   - offset: Where the cursor is, in UTF-8 bytes.
  ///   - environment: Where files are.
  ///   - limit: How many candidates are wanted; where one or two are, it is not said which come,
  ///     and neither the data is looked at nor names that only resemble the typed word.
  /// - Complexity: O(*n*) in the session's names and objects, of which some thousands are looked
  ///   at, and for the candidates what it takes to sort them.
  package init(
    in text: String, at offset: Int, session: Session,
    environment: (any ScriptEnvironment)? = nil, atMost limit: Int = 250
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
    let place = ScriptParser.place(in: text, at: offset)
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

  /// Returns what a candidate is, in a few words.
  package func detail(at index: Int) -> String {
    switch kinds[index] {
    case .known(let words): words
    case .kind(let want): names?.detail(of: candidates[index], for: want) ?? ""
    }
  }

  /// What each candidate is.
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

  /// Takes the names that begin as the typed word does, or all of them.
  private mutating func take(_ names: CompletionNames, atMost limit: Int) {
    self.names = names
    var seen = Set(candidates)
    let first = candidates.count
    for want in names.place.wants.sorted(by: { $0.rank < $1.rank }) {
      // Where a label must be, no value may.
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

  /// Takes the names that have the letters of the typed word, the best ones first.
  private mutating func takeSimilar(_ names: CompletionNames, atMost limit: Int) {
    take(names, atMost: limit)
    let order = candidates.indices.map { ($0, names.score(of: candidates[$0])) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.0)
    (candidates, kinds) = (order.map { candidates[$0] }, order.map { kinds[$0] })
    if omitted > 0 { omittedStart = "" }
  }
}

extension ScriptValue {
  /// The object that the value is.
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

  /// What is nearer to the script comes before what is the language's.
  fileprivate var rank: Int {
    switch self {
    case .member, .argument, .attribute, .key: 0
    case .operand, .entity, .insertedEntity, .source, .controller, .table, .context, .type: 1
    case .value: 2
    case .statement: 3
    case .comparison: 4
    case .word: 5
    }
  }
}
