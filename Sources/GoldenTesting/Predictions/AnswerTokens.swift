import FetchedResults

/// A part of an answer's line.
enum AnswerToken {
  case word(String)
  case number(Int)
  case text(String)
  case path(ResultsIndexPath)
  case arrow
}

/// The tokens of an answer's line.
struct AnswerTokens {
  private var rest: Substring
  private(set) var all: [AnswerToken] = []

  static let numberWords: [String: Int] = Dictionary(
    uniqueKeysWithValues: [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
      "eleven", "twelve",
    ].enumerated().map { ($1, $0) })

  init(_ line: Substring) {
    rest = line
    while let character = rest.first { take(character) }
    joinRowsAndSections()
  }

  private mutating func take(_ character: Character) {
    if let path = takePath() {
      all.append(.path(path))
    } else if let text = takeText() {
      all.append(.text(text))
    } else if let arrow = ["-->", "->", "=>", "→", "⇒"].first(where: rest.hasPrefix) {
      rest = rest.dropFirst(arrow.count)
      all.append(.arrow)
    } else if let number = takeNumber() {
      all.append(.number(number))
    } else if Self.isPartOfWord(character) {
      let word = String(rest.prefix { Self.isPartOfWord($0) || $0 == "'" })
      rest = rest.dropFirst(word.count)
      all.append(Self.numberWords[word.lowercased()].map { .number($0) } ?? .word(word))
    } else if character.isWhitespace || ",:;.!()=".contains(character) {
      rest = rest.dropFirst()
    } else {
      rest = rest.dropFirst()
      all.append(.word(String(character)))
    }
  }

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "/"
  }

  private static let pairs: [Character: Character] = ["[": "]", "(": ")", "{": "}"]

  /// Reads an index path such as `[0, 1]`, with a comma or a blank between its numbers.
  private mutating func takePath() -> ResultsIndexPath? {
    // A path is short, so no bracket has to be sought at the end of a long line.
    guard let open = rest.first, let close = Self.pairs[open],
      let end = rest.prefix(40).firstIndex(of: close)
    else { return nil }
    let inner = rest[rest.index(after: rest.startIndex)..<end]
    let parts = inner.split { $0.isWhitespace || $0 == "," }
    let numbers = parts.compactMap { part in
      Int(part) ?? Self.numberWords[part.lowercased()]
    }
    guard parts.count == 2, numbers.count == 2, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    rest = rest[rest.index(after: end)...]
    return ResultsIndexPath(section: numbers[0], row: numbers[1])
  }

  private mutating func takeNumber() -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    let after = rest.dropFirst(digits.count).first
    guard let number = Int(digits), after.map(Self.isPartOfWord) != true else { return nil }
    rest = rest.dropFirst(digits.count)
    return number
  }

  private static let quotes: [Character: Character] = ["\"": "\"", "“": "”", "'": "'", "‘": "’"]

  /// Reads a quoted text, in which `\` escapes a character.
  private mutating func takeText() -> String? {
    guard let open = rest.first, let close = Self.quotes[open] else { return nil }
    var text = ""
    var index = rest.index(after: rest.startIndex)
    while index < rest.endIndex, rest[index] != close {
      if rest[index] == "\\", rest.index(after: index) < rest.endIndex {
        index = rest.index(after: index)
      }
      text.append(rest[index])
      index = rest.index(after: index)
    }
    guard index < rest.endIndex else { return nil }
    rest = rest[rest.index(after: index)...]
    return text
  }

  /// Makes index paths of `section 0 row 1` and `row 1 in section 0`.
  private mutating func joinRowsAndSections() {
    var index = 0
    while index + 3 < all.count {
      if let first = number(after: ["section"], at: index),
        let second = number(after: ["row", "item"], at: index + 2)
      {
        all[index...(index + 3)] = [.path(ResultsIndexPath(section: first, row: second))]
      } else if let first = number(after: ["row", "item"], at: index) {
        let isLinked = isWord(["in", "of"], at: index + 2)
        let next = index + (isLinked ? 3 : 2)
        if let second = number(after: ["section"], at: next) {
          all[index...(next + 1)] = [.path(ResultsIndexPath(section: second, row: first))]
        }
      }
      index += 1
    }
  }

  private func isWord(_ words: [String], at index: Int) -> Bool {
    guard all.indices.contains(index) else { return false }
    switch all[index] {
    case .word(let word): return words.contains(word.lowercased())
    case .number, .text, .path, .arrow: return false
    }
  }

  private func number(after words: [String], at index: Int) -> Int? {
    guard isWord(words, at: index), all.indices.contains(index + 1) else { return nil }
    switch all[index + 1] {
    case .number(let number): return number
    case .word, .text, .path, .arrow: return nil
    }
  }
}
