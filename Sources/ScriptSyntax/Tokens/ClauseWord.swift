/// The words of a request's clauses; the raw values are their spelling.
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

  /// Whether the clause has an effect only on a controller.
  var isOfControllers: Bool {
    ControllerOption(rawValue: rawValue) != nil || self == .section || self == .cache
  }
}

/// The clauses that a statement may continue with on lines of their own.
enum ClauseWords {
  /// None: the statement is not a request.
  case none
  /// The clauses that apply to a fetch.
  case ofFetches
  /// The clauses of a fetch, and those that only apply to a controller.
  case all

  func contain(_ word: ClauseWord) -> Bool {
    switch self {
    case .none: false
    case .ofFetches: !word.isOfControllers
    case .all: true
    }
  }
}
