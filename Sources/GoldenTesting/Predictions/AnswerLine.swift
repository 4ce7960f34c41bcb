import Basics
import FetchedResults

/// A line of an answer, as a person types it: a callback in any of many wordings, `nothing`, or
/// another line that a script prints.
///
/// The same grammar reads the answers of lessons, the predictions at the prompt, and `#?` lines.
/// It is open in how a callback is said, and strict in what is said: `Book/1 moves from [0, 0] to
/// [0, 2]` is `move Book/1 [0, 0] -> [0, 2]`, and a word too many makes a line unreadable.
struct AnswerLine {
  enum Meaning: Equatable {
    case nothing
    case callback(AnsweredCallback)
    /// The line is not a callback, for the given reason; the example is one that frc can read.
    case other(UnreadableLine)
  }

  /// The line as it was typed, with each run of blanks replaced by one.
  let text: String
  let meaning: Meaning
  /// The words without quotes, brackets and commas.
  let words: [String]

  init(_ line: String) {
    text = Self.normalized(line)
    words = Self.words(of: text)
    if Self.isNothing(words) {
      meaning = .nothing
      return
    }
    var parts = CallbackParts()
    for token in AnswerTokens(Self.withoutMarker(text)).all where parts.problem == nil {
      parts.take(token)
    }
    switch parts.callback {
    case .success(let callback): meaning = .callback(callback)
    case .failure(let problem): meaning = .other(problem)
    }
  }

  var callback: AnsweredCallback? {
    switch meaning {
    case .callback(let callback): callback
    case .nothing, .other: nil
    }
  }

  /// Whether the line says what a script printed, apart from quotes, brackets and commas, and with
  /// numbers as words.
  func says(_ printed: [String]) -> Bool {
    guard !printed.isEmpty else { return false }
    let said = Array(words.drop { ["it", "prints", "print"].contains($0.lowercased()) })
    let numbers = said.map { AnswerTokens.numberWords[$0.lowercased()].map(String.init) ?? $0 }
    return [words, said, numbers].contains(printed)
  }

  /// Returns a line with each run of blanks replaced by one.
  static func normalized(_ line: String) -> String {
    line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Returns the words of a line, without a period at its end.
  static func words(of line: String) -> [String] {
    let ignored: Set<Character> = [
      "\"", "“", "”", ",", ":", ";", "=", "(", ")", "[", "]", "{", "}",
    ]
    var words = withoutMarker(line).split { $0.isWhitespace || ignored.contains($0) }.map(
      String.init)
    if let last = words.last, last.hasSuffix(".") {
      words[words.count - 1] = String(last.dropLast())
      if last == "." { words.removeLast() }
    }
    return words
  }

  /// Returns a line without a bullet or a number such as `2.` in front.
  private static func withoutMarker(_ line: String) -> Substring {
    guard let space = line.firstIndex(of: " ") else { return line[...] }
    let first = line[..<space]
    let isNumber = first.dropLast().allSatisfy(\.isNumber) && first.count > 1
    let isMarker =
      ["-", "*", "•"].contains(first)
      || isNumber && [".", ")"].contains(String(first.suffix(1)))
    return isMarker ? line[line.index(after: space)...] : line[...]
  }

  /// Whether a line says that nothing is sent: `nothing`, `no callbacks are sent`.
  private static func isNothing(_ words: [String]) -> Bool {
    let words = words.map { $0.lowercased() }
    guard let first = words.first(where: { ["nothing", "none", "no"].contains($0) }) else {
      return false
    }
    let sent = ["callback", "callbacks", "call", "calls", "message", "messages"]
    let others =
      sent + [
        "nothing", "none", "no", "is", "are", "was", "were", "will", "be", "gets", "sent",
        "called", "happens", "changes", "printed", "at", "all", "the", "a", "controller",
        "delegate", "receives",
      ]
    return words.allSatisfy(others.contains)
      && (first != "no" || words.contains(where: sent.contains))
  }
}

/// A callback as a person said it.
struct AnsweredCallback: Hashable, Sendable {
  /// The controller's name; nil if the line leaves it out.
  var controller: String?
  var kind: Kind

  enum Kind: Hashable, Sendable {
    case willChangeContent
    case didChangeContent
    /// A change of an object, which is named by its ID, by its shown text, or by both.
    case object(
      FetchedResultsChangeType, id: String?, name: String?, old: ResultsIndexPath?,
      new: ResultsIndexPath?)
    /// A change of a section, which is named by its index, by its name, or by both.
    case section(FetchedResultsChangeType, index: Int?, name: String?)
  }

  /// Whether it is one of the two callbacks around each batch.
  var isFrame: Bool {
    switch kind {
    case .willChangeContent, .didChangeContent: true
    case .object, .section: false
    }
  }
}

/// The reason why a line is not a callback.
struct UnreadableLine: Error, Equatable {
  var reason: String
  /// A line that frc can read, and that no lesson has as an answer.
  var example = "update Book/7 [0, 4]"
}

/// The parts of a callback, collected from a line's tokens in any order.
private struct CallbackParts {
  private enum Role { case old, new }

  private(set) var problem: UnreadableLine?
  private var lead: String?
  private var isFirst = true
  private var type: FetchedResultsChangeType?
  private var frame: AnsweredCallback.Kind?
  private var isSection = false
  private var id: String?
  private var name: String?
  private var numbers: [Int] = []
  private var paths: [(role: Role?, path: ResultsIndexPath?)] = []
  private var role: Role?

  private static let sectionExample = "section insert 5 \"X\""

  private mutating func refuse(_ reason: String, _ example: String? = nil) {
    guard problem == nil else { return }
    problem = UnreadableLine(reason: reason)
    if let example { problem?.example = example }
  }

  mutating func take(_ token: AnswerToken) {
    defer { isFirst = false }
    switch token {
    case .word(let word): take(word)
    case .number(let number): numbers.append(number)
    case .text(let text):
      if name == nil { name = text } else { refuse("a line has one name") }
      role = nil
    case .path(let path):
      paths.append((role, path))
      role = nil
    case .arrow: role = .new
    }
  }

  private mutating func take(_ word: String) {
    if word.contains("/") {
      if id == nil { id = word } else { refuse("a line is about one object") }
      role = nil
      return
    }
    switch AnswerWord.all[word.lowercased()] {
    // A section or a row may have this name.
    case .filler? where word == "A" && !isFirst: takeUnknown(word)
    case .filler?: break
    case .old?: role = .old
    case .new?: role = .new
    case .noPath?:
      paths.append((role, nil))
      role = nil
    case .section?:
      isSection = true
      role = nil
    case .frame(let kind)?:
      if frame == nil { frame = kind } else { refuse("write each callback in a line of its own") }
    case .change(let change, let ofSection)?:
      if let type, type != change {
        refuse("'\(type)' and '\(change)' are two changes; write a line for each")
      }
      type = change
      isSection = isSection || ofSection
      role = nil
    case .negation?: refuse("write only what is sent")
    case nil: takeUnknown(word)
    }
  }

  /// Takes a controller's name in front, or a name without quotes.
  private mutating func takeUnknown(_ word: String) {
    if isFirst {
      lead = word
    } else if name == nil, id == nil, type != nil || isSection {
      name = word
    } else {
      let near = nearestName(to: word, among: AnswerWord.suggested)
      refuse(
        "the word '\(word)' has no meaning here"
          + (near.map { "; did you mean '\($0)'?" } ?? ""))
    }
  }

  // MARK: The callback

  var callback: Result<AnsweredCallback, UnreadableLine> {
    var parts = self
    let kind = parts.kind()
    if let problem = parts.problem { return .failure(problem) }
    guard let kind else { return .failure(UnreadableLine(reason: "this is not a callback")) }
    return .success(AnsweredCallback(controller: parts.lead, kind: kind))
  }

  private mutating func kind() -> AnsweredCallback.Kind? {
    if let frame {
      if type != nil || isSection || id != nil || name != nil || !numbers.isEmpty || !paths.isEmpty
      {
        refuse("a callback around a batch has no object and no index path")
      }
      return frame
    }
    guard let type else {
      let near = lead.flatMap { nearestName(to: $0, among: AnswerWord.suggested) }
      refuse(
        near.map { "the word '\(lead ?? "")' has no meaning here; did you mean '\($0)'?" }
          ?? "the change is missing: insert, delete, update or move")
      return nil
    }
    return isSection ? section(type) : object(type)
  }

  private mutating func section(_ type: FetchedResultsChangeType) -> AnsweredCallback.Kind? {
    switch type {
    case .insert, .delete: break
    case .update, .move: refuse("sections are only inserted or deleted", Self.sectionExample)
    }
    if id != nil || !paths.isEmpty || numbers.count > 1 {
      refuse("a section has one index and a name", Self.sectionExample)
    }
    if numbers.isEmpty, name == nil {
      refuse("the section's index or name is missing", Self.sectionExample)
    }
    return .section(type, index: numbers.first, name: name)
  }

  private mutating func object(_ type: FetchedResultsChangeType) -> AnsweredCallback.Kind? {
    // An unquoted name in front is the object if the line has no other.
    if id == nil, name == nil { (name, lead) = (lead, nil) }
    if id == nil, name == nil { refuse("the object is missing") }
    if numbers.count == 1 {
      refuse("an index path has a section and a row, as in [0, 4]")
    } else if !numbers.isEmpty {
      if !paths.isEmpty || numbers.count % 2 != 0 {
        refuse("write each index path in brackets, as in [0, 4]")
      }
      for index in stride(from: 0, to: numbers.count - 1, by: 2) {
        paths.append((nil, ResultsIndexPath(section: numbers[index], row: numbers[index + 1])))
      }
    }
    guard let (old, new) = oldAndNew(type) else { return nil }
    return .object(type, id: id, name: name, old: old, new: new)
  }

  /// Returns the old and the new index path; a path that only one word or the order makes the old
  /// or the new one is that.
  private mutating func oldAndNew(
    _ type: FetchedResultsChangeType
  ) -> (ResultsIndexPath?, ResultsIndexPath?)? {
    switch paths.count {
    case 0: return (nil, nil)
    case 1:
      let path = paths[0].path
      switch (type, paths[0].role) {
      case (.insert, nil), (_, .new): return (nil, path)
      case (.update, nil), (.update, .old): return (path, path)
      case (.delete, nil), (.move, nil), (_, .old): return (path, nil)
      }
    case 2:
      let isTurned = paths[0].role == .new && paths[1].role != .new || paths[1].role == .old
      if paths[0].role != nil, paths[0].role == paths[1].role {
        refuse("two index paths are both the \(paths[0].role == .new ? "new" : "old") one")
      }
      return isTurned ? (paths[1].path, paths[0].path) : (paths[0].path, paths[1].path)
    default:
      refuse("a callback has at most two index paths")
      return nil
    }
  }
}

/// A word with a meaning in an answer.
private enum AnswerWord {
  case filler
  case old
  case new
  case noPath
  case section
  case frame(AnsweredCallback.Kind)
  case change(FetchedResultsChangeType, ofSection: Bool)
  case negation

  /// The words, in lower case.
  static let all: [String: AnswerWord] = {
    var words: [String: AnswerWord] = [:]
    func add(_ texts: String, _ word: AnswerWord) {
      for text in texts.split(separator: " ") { words[String(text)] = word }
    }
    add(
      "the a an is are was were gets has been row object callback with index path at atindexpath "
        + "indexpath nsindexpath item for in of now it controller _ didchange didchangeobject "
        + "anobject forchangetype changetype type and then",
      .filler)
    add("from old", .old)
    add("to into new newindexpath", .new)
    add("nil null", .noPath)
    add("section sections didchangesection atsectionindex sectioninfo atindex", .section)
    add("willchangecontent controllerwillchangecontent will", .frame(.willChangeContent))
    add("didchangecontent controllerdidchangecontent did", .frame(.didChangeContent))
    add("not never no isn't without", .negation)
    let changes: [(FetchedResultsChangeType, String)] = [
      (.insert, "insert inserts inserted inserting insertion"),
      (.delete, "delete deletes deleted deleting deletion"),
      (.update, "update updates updated updating"), (.move, "move moves moved moving"),
    ]
    for (type, texts) in changes {
      add(texts + " nsfetchedresultschange\(type)", .change(type, ofSection: false))
      add("section\(type)", .change(type, ofSection: true))
    }
    return words
  }()

  /// The words that are suggested for a misspelled one.
  static let suggested = [
    "insert", "delete", "update", "move", "section", "willChangeContent", "didChangeContent",
    "from", "to", "nothing", "didChange",
  ]
}

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
