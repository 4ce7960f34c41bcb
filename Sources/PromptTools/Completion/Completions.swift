package import ScriptRuntime
import ScriptSyntax

/// What can be typed at the cursor.
package struct Completions: Hashable, Sendable {
  /// Where the text begins that a candidate replaces, in UTF-8 bytes; it ends
  /// at the cursor.
  package let replacementStart: Int
  /// The texts to choose from, each with the blank or the bracket that must
  /// follow it.
  ///
  /// Names come before words, each kind in alphabetical order.
  package let candidates: [String]
  /// What each candidate is, in a few words.
  package let details: [String]

  /// Finds what can be typed.
  ///
  /// - Parameters:
  ///   - session: What names mean.
  ///   - text: The entry so far, which may have several lines.
  ///   - offset: Where the cursor is, in UTF-8 bytes.
  ///   - environment: Where files are.
  package init(
    in text: String, at offset: Int, session: Session,
    environment: (any ScriptEnvironment)? = nil
  ) {
    if let named = NamedThings(in: text, at: offset, session: session, environment: environment) {
      replacementStart = named.start
      candidates = named.candidates.map(\.text)
      details = named.candidates.map(\.detail)
      return
    }
    let place = ScriptParser.place(in: text, at: offset)
    replacementStart = place.start
    let names = CompletionNames(session: session, place: place)
    let before = String(decoding: Array(text.utf8.prefix(place.start)), as: UTF8.self)
    guard !names.isNumber(behind: before) else {
      candidates = []
      details = []
      return
    }
    var found: [String] = []
    var said: [String] = []
    for want in place.wants.sorted(by: { $0.rank < $1.rank }) {
      // Where a label must stand, no value may.
      if want.rank > 0, place.wants.contains(where: \.isArgument), !found.isEmpty { break }
      for candidate in names.candidates(for: want) where !found.contains(candidate) {
        guard candidate.isCompletion(of: place.typed) else { continue }
        found.append(candidate)
        said.append(names.detail(of: candidate, for: want))
      }
    }
    candidates = found
    details = said
  }
}

extension CursorPlace.Want {
  fileprivate var isArgument: Bool {
    if case .argument = self { true } else { false }
  }

  /// What is nearer to the script comes before what is the language's.
  fileprivate var rank: Int {
    switch self {
    case .member, .argument, .attribute: 0
    case .operand, .entity, .insertedEntity, .source, .controller, .table, .context, .type: 1
    case .value: 2
    case .statement: 3
    case .comparison: 4
    case .word: 5
    }
  }
}

extension String {
  /// Whether this goes on where `typed` ends; its case counts only where it has
  /// a capital letter.
  fileprivate func isCompletion(of typed: String) -> Bool {
    if typed.contains(where: \.isUppercase) { return hasPrefix(typed) }
    return hasPrefix(typed) || lowercased().hasPrefix(typed)
  }
}
