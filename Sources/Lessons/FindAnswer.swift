import ScriptSyntax

/// Which statement, and which reaction: `2 sectionDelete`.
struct FindAnswer: Equatable {
  var statement: Int?
  var reaction: TableReactionSyntax.Change?

  /// Reads an answer; nil if it says neither.
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
