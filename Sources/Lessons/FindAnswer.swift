import ScriptSyntax

/// An answer that names a statement and a reaction: `2 sectionDelete`, `statement 2, section
/// delete`, or the statement's text and the reaction.
struct FindAnswer: Equatable {
  private(set) var statement: Int?
  private(set) var reaction: TableReactionSyntax.Change?

  /// The reason why an answer cannot be read.
  struct Problem: Error {
    var reason: String
  }

  private static let numbers = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
  ]
  private static let fillers: Set<String> = [
    "the", "a", "and", "is", "it", "statement", "number", "no", "reaction", "to", "for", "in", "of",
    "crashed", "crashes", "with", "line",
  ]

  /// Reads an answer.
  ///
  /// - Parameter statements: The statements to search; an answer may repeat the text of one.
  static func read(_ text: String, statements: [String]) -> Result<FindAnswer, Problem> {
    var answer = FindAnswer()
    var rest = text
    // One statement can be the beginning of another.
    let named = statements.indices.filter { text.contains(statements[$0]) }
    if let index = named.max(by: { statements[$0].count < statements[$1].count }) {
      answer.statement = index + 1
      rest = rest.replacing(statements[index], with: " ")
    }
    do throws(Problem) {
      for word in words(of: rest) { try answer.take(word) }
    } catch {
      return .failure(error)
    }
    return .success(answer)
  }

  /// Returns the words of an answer, with `section delete` as one word.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    let parts = text.split { $0.isWhitespace || ",.:;#()".contains($0) }.map { $0.lowercased() }
    for word in parts {
      if words.last == "section", change(word) != nil {
        words[words.count - 1] += word
      } else {
        words.append(word)
      }
    }
    return words
  }

  private static func change(_ word: String) -> TableReactionSyntax.Change? {
    let stems = [word, String(word.dropLast()), String(word.dropLast(2))]
    return TableReactionSyntax.Change.allCases.first { stems.contains($0.rawValue.lowercased()) }
  }

  private mutating func take(_ word: String) throws(Problem) {
    if let number = Int(word) ?? Self.numbers.firstIndex(of: word).map({ $0 + 1 }) {
      guard statement == nil || statement == number else {
        throw Problem(reason: "it names two statements")
      }
      statement = number
    } else if let change = Self.change(word) {
      guard reaction == nil || reaction == change else {
        throw Problem(reason: "it names two reactions")
      }
      reaction = change
    } else if !Self.fillers.contains(word) {
      throw Problem(reason: "the word '\(word)' has no meaning here")
    }
  }

  /// Reads the answer in a lesson's file; nil if it names neither a statement nor a reaction.
  init?(_ text: String) {
    guard case .success(let answer) = Self.read(text, statements: []),
      answer.statement != nil || answer.reaction != nil
    else { return nil }
    self = answer
  }

  private init() {}
}
