import ScriptSyntax

/// An answer that names a statement and a reaction: `2 sectionDelete`.
struct FindAnswer: Equatable {
  var statement: Int?
  var reaction: TableReactionSyntax.Change?

  /// Parses an answer; nil if it contains neither.
  init?(_ text: String) {
    for word in text.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
      if let number = Int(word) {
        statement = number
      } else if let change = TableReactionSyntax.Change.allCases.first(where: {
        $0.rawValue.lowercased() == word.lowercased()
      }) {
        reaction = change
      }
    }
    if statement == nil, reaction == nil { return nil }
  }
}
