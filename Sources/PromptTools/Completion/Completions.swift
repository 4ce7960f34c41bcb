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
  /// Names come before words, each kind in alphabetical order.
  package let candidates: [String]
  private let detail: (Int) -> String

  /// Finds what can be typed.
  ///
  /// - Parameters:
  ///   - session: What names mean.
  ///   - text: The entry so far, which may have several lines.
  ///   - offset: Where the cursor is, in UTF-8 bytes.
  ///   - environment: Where files are.
  ///   - limit: How many candidates are wanted; where there are more, it is not
  ///     said which come.
  /// - Complexity: O(*n*) in the session's names, and for all candidates what it
  ///   takes to sort them.
  package init(
    in text: String, at offset: Int, session: Session,
    environment: (any ScriptEnvironment)? = nil, atMost limit: Int = .max
  ) {
    if let named = NamedThings(in: text, at: offset, session: session, environment: environment) {
      replacementStart = named.start
      candidates = named.candidates.map(\.text)
      detail = { named.candidates[$0].detail }
      return
    }
    let place = ScriptParser.place(in: text, at: offset)
    replacementStart = place.start
    let names = CompletionNames(session: session, place: place, atMost: limit)
    let before = String(decoding: Array(text.utf8.prefix(place.start)), as: UTF8.self)
    var found: [String] = []
    var kinds: [CursorPlace.Want] = []
    var seen: Set<String> = []
    for want in place.wants.sorted(by: { $0.rank < $1.rank })
    where !names.isNumber(behind: before) {
      // Where a label must stand, no value may.
      if want.rank > 0, place.wants.contains(where: \.isArgument), !found.isEmpty { break }
      for candidate in names.candidates(for: want)
      where found.count < limit && names.isWanted(candidate) && seen.insert(candidate).inserted {
        found.append(candidate)
        kinds.append(want)
      }
    }
    candidates = found
    detail = { names.detail(of: found[$0], for: kinds[$0]) }
  }

  /// Returns what a candidate is, in a few words.
  package func detail(at index: Int) -> String { detail(index) }

  /// What each candidate is.
  package var details: [String] { candidates.indices.map(detail) }
}

extension CursorPlace.Want {
  fileprivate var isArgument: Bool {
    if case .argument = self { true } else { false }
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
