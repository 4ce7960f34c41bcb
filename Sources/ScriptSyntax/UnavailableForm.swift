/// A statement of the language that this version does not have yet.
///
/// The one list of them: when a form comes, its line goes.
struct UnavailableForm {
  var word: String
  var next: Next

  /// What must stand behind the word for the form to be meant.
  enum Next {
    case anything
    case word(String)
    /// A name: of a context, in all of these.
    case name
    /// A name and then this word.
    case wordAfterName(String)
    /// A name and then `{`.
    case blockAfterName
  }

  static let all: [UnavailableForm] =
    [
      "stats"
    ].map { UnavailableForm(word: $0, next: .anything) } + [
      UnavailableForm(word: "set", next: .word("sql"))
    ]

  private static let byWord = Dictionary(grouping: all, by: \.word)

  static func forms(of word: String) -> [UnavailableForm] { byWord[word] ?? [] }

  /// What the statement is called: `stats`, `set sql`.
  var title: String {
    switch next {
    case .anything: word
    case .word(let second), .wordAfterName(let second): word + " " + second
    case .name: word + " CONTEXT"
    case .blockAfterName: word + " { }"
    }
  }
}
