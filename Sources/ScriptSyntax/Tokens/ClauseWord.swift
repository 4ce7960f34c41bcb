/// The words of a request's clauses; raw values are how they are written.
enum ClauseWord: String, CaseIterable {
  case `where`
  case sort = "sort by"
  case section = "section by"
  case limit
  case offset
  case batch
  case cache
  case keep = "keep limit"
  case track = "track related"
  case prefetch
  case includesPendingChanges
  case returnsObjectsAsFaults
  case shouldRefreshRefetchedObjects
  case values
  case group = "group by"
  case having
  case distinct
  case returning

  init?(firstWord: String) {
    switch firstWord {
    case "sort": self = .sort
    case "section": self = .section
    case "group": self = .group
    case "keep": self = .keep
    case "track": self = .track
    default: self.init(rawValue: firstWord)
    }
  }

  /// The length of the longest of the words.
  static let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0

  /// The second word; nil for a clause of one word.
  var secondWord: String? {
    rawValue.firstIndex(of: " ").map { String(rawValue[$0...].dropFirst()) }
  }

  /// Whether only a controller heeds the clause.
  var isOfControllers: Bool {
    ControllerOption(rawValue: rawValue) != nil || self == .section || self == .cache
  }
}

/// The clauses that a statement may have on lines of their own.
enum ClauseWords {
  /// None: the statement is not a request.
  case none
  /// Those that a fetch heeds.
  case ofFetches
  /// Those of a fetch, and what makes a controller of it.
  case all

  func contain(_ word: ClauseWord) -> Bool {
    switch self {
    case .none: false
    case .ofFetches: !word.isOfControllers
    case .all: true
    }
  }
}
