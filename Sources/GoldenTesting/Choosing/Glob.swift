/// A pattern for paths: `*` and `?` stand for text and a character within one
/// folder, `**` for any folders, `[a-c]` for one character of a set.
///
/// A pattern may match from any folder on: `cache/*` matches `t/cache/a.frc`.
package struct Glob: Hashable, Sendable {
  private enum Part: Hashable {
    case character(Character)
    /// One character but `/`.
    case one
    case set(Set<Character>, isNegated: Bool)
    /// Any characters but `/`.
    case text
    /// Any characters.
    case anything
    /// Any folders, each with its `/`; also none.
    case folders
  }

  private let parts: [Part]

  package init(_ pattern: String) {
    var parts: [Part] = pattern.hasPrefix("/") ? [] : [.folders]
    var rest = Substring(pattern)
    while let character = rest.popFirst() {
      switch character {
      case "*" where rest.hasPrefix("*/"):
        rest.removeFirst(2)
        parts.append(.folders)
      case "*" where rest.hasPrefix("*"):
        rest.removeFirst()
        parts.append(.anything)
      case "*": parts.append(.text)
      case "?": parts.append(.one)
      case "[":
        guard let end = rest.dropFirst().firstIndex(of: "]") else {
          parts.append(.character(character))
          continue
        }
        parts.append(Self.set(rest[..<end]))
        rest = rest[rest.index(after: end)...]
      default: parts.append(.character(character))
      }
    }
    self.parts = parts
  }

  /// Whether a text has a character that means something in a pattern.
  package static func isPattern(_ text: String) -> Bool {
    text.contains { "*?[".contains($0) }
  }

  private static func set(_ text: Substring) -> Part {
    var rest = text
    let isNegated = rest.first == "!" || rest.first == "^"
    if isNegated { rest.removeFirst() }
    var characters: Set<Character> = []
    while let first = rest.popFirst() {
      if rest.first == "-", let last = rest.dropFirst().first, let from = first.asciiValue,
        let to = last.asciiValue, from <= to
      {
        rest.removeFirst(2)
        for value in from...to { characters.insert(Character(Unicode.Scalar(value))) }
      } else {
        characters.insert(first)
      }
    }
    return .set(characters, isNegated: isNegated)
  }

  /// Whether a path is as the pattern says.
  ///
  /// - Complexity: O(*n* · *m*) for a path of *n* characters and a pattern of *m*.
  package func matches(_ path: String) -> Bool {
    var places = reached(from: [0])
    for character in path {
      var next: Set<Int> = []
      for place in places where place < parts.count {
        switch parts[place] {
        case .character(let expected): if character == expected { next.insert(place + 1) }
        case .one: if character != "/" { next.insert(place + 1) }
        case .set(let set, let isNegated):
          if character != "/", set.contains(character) != isNegated { next.insert(place + 1) }
        case .text: if character != "/" { next.insert(place) }
        case .anything: next.insert(place)
        case .folders:
          // Within a folder's name only the end of the name leads on.
          next.insert(place)
          if character == "/" { next.insert(place + 1) }
        }
      }
      places = reached(from: next, isAtStart: character == "/")
      if places.isEmpty { return false }
    }
    return places.contains(parts.count)
  }

  /// The places with those that are reached without a character.
  private func reached(from places: Set<Int>, isAtStart: Bool = true) -> Set<Int> {
    var found = places
    var open = Array(places)
    while let place = open.popLast() {
      guard place < parts.count else { continue }
      let skips =
        switch parts[place] {
        case .text, .anything: true
        case .folders: isAtStart
        case .character, .one, .set: false
        }
      if skips, found.insert(place + 1).inserted { open.append(place + 1) }
    }
    return found
  }
}

/// Chooses paths by texts and patterns; one that begins with `!` leaves paths
/// out.
package struct PathFilter: Sendable {
  private enum Test {
    /// The path has the text in it.
    case text(String)
    case glob(Glob)

    init(_ pattern: some StringProtocol) {
      let pattern = String(pattern)
      self = Glob.isPattern(pattern) ? .glob(Glob(pattern)) : .text(pattern)
    }

    func matches(_ path: String) -> Bool {
      switch self {
      // Every path has the empty text in it.
      case .text(let text): text.isEmpty || path.contains(text)
      case .glob(let glob): glob.matches(path)
      }
    }
  }

  private let wanted: [Test]
  private let unwanted: [Test]

  package init(_ patterns: [String]) {
    wanted = patterns.filter { !$0.hasPrefix("!") }.map { Test($0) }
    unwanted = patterns.filter { $0.hasPrefix("!") }.map { Test($0.dropFirst()) }
  }

  /// Whether a path is one of those that are wanted, and none of the others.
  package func accepts(_ path: String) -> Bool {
    (wanted.isEmpty || wanted.contains { $0.matches(path) })
      && !unwanted.contains { $0.matches(path) }
  }
}
