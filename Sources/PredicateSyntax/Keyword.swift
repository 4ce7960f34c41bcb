/// A reserved word.
///
/// The raw value is its upper-case form.
enum Keyword: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  case anyOf = "ANY"
  case someOf = "SOME"
  case allOf = "ALL"
  case noneOf = "NONE"
  case between = "BETWEEN"
  case `in` = "IN"
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"
  case union = "UNION"
  case intersect = "INTERSECT"
  case minus = "MINUS"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case null = "NULL"
  case `nil` = "NIL"
  case `true` = "TRUE"
  case yes = "YES"
  case `false` = "FALSE"
  case no = "NO"
  case evaluatedObject = "SELF"
  case anyKey = "ANYKEY"
  case first = "FIRST"
  case last = "LAST"
  case size = "SIZE"
  case subquery = "SUBQUERY"
  case cast = "CAST"
  case ternary = "TERNARY"
  case function = "FUNCTION"
  case caseInsensitive = "CASEINSENSITIVE"
  case ci = "CI"
  case fetch = "FETCH"

  /// Reads a word in any case.
  init?(_ word: String) {
    guard word.utf8.count <= 15, let keyword = Self(rawValue: word.uppercased()) else {
      return nil
    }
    self = keyword
  }

  /// The operator that the word stands for, if there is one.
  var comparator: PredicateTree.Comparator? {
    PredicateTree.Comparator(rawValue: rawValue)
  }

  /// Whether the word on its own is a key.
  ///
  /// Models have attributes with such names, and the word has no other meaning there.
  var mayBeKey: Bool {
    switch self {
    case .first, .last, .size, .union, .intersect, .minus, .ternary, .function: true
    default: false
    }
  }

  /// Whether Apple reserves the word, so that a key with that name is printed with `#`.
  var isReserved: Bool {
    switch self {
    case .union, .intersect, .minus, .ternary, .function: false
    default: true
    }
  }
}
