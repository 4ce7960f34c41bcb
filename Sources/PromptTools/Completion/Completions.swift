import FetchedResults
package import ScriptRuntime
import ScriptSyntax

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
  ///   - limit: The largest number of candidates. If it is one or two, any candidates may be
  ///     returned; then neither the data nor names that only resemble the typed word are searched.
  ///
  /// - Complexity: O(*n*) in the session's names, and in some thousands of its objects; plus
  ///   sorting the candidates.
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

  /// Returns a short description of a candidate.
  package func detail(at index: Int) -> String {
    switch kinds[index] {
    case .known(let words): words
    case .kind(let want): names?.detail(of: candidates[index], for: want) ?? ""
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
    case .member, .argument, .attribute, .key: 0
    case .operand, .entity, .insertedEntity, .source, .controller, .table, .context, .type: 1
    case .value: 2
    case .statement: 3
    case .comparison: 4
    case .word: 5
    }
  }
}
