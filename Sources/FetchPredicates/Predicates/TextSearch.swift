import PredicateSyntax

/// A string operator with what stands on its right, for a store to ask.
package struct TextSearch: Hashable, Sendable {
  package let operation: Operation
  package let options: Options
  package let pattern: String

  /// What is asked of a string.
  package enum Operation: Hashable, Sendable {
    case contains
    case beginsWith
    case endsWith
    case like
    case matches
    case compares(StoreFilter.Comparison)
  }

  /// What makes no difference, and whose rules hold.
  package struct Options: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let caseInsensitive = Options(.caseInsensitive)
    package static let diacriticInsensitive = Options(.diacriticInsensitive)
    package static let normalized = Options(.normalized)
    package static let locale = Options(.locale)

    init(_ options: PredicateOptions) { rawValue = options.rawValue }
  }

  package init(_ operation: Operation, _ options: Options, pattern: String) {
    self.operation = operation
    self.options = options
    self.pattern = pattern
  }

  /// - Returns: Nil where the operator is none of strings.
  init?(_ test: TextTest, _ options: PredicateOptions) {
    guard let operation = Operation(test.comparator) else { return nil }
    self.init(operation, Options(options), pattern: test.pattern)
  }
}

extension TextSearch.Operation {
  fileprivate init?(_ comparator: PredicateTree.Comparator) {
    switch comparator {
    case .contains: self = .contains
    case .beginsWith: self = .beginsWith
    case .endsWith: self = .endsWith
    case .like: self = .like
    case .matches: self = .matches
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in:
      guard let comparison = StoreFilter.Comparison(comparator) else { return nil }
      self = .compares(comparison)
    }
  }

  fileprivate var comparator: PredicateTree.Comparator {
    switch self {
    case .contains: .contains
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .matches: .matches
    case .compares(let comparison): comparison.comparator
    }
  }
}

extension TextTest {
  package convenience init(_ search: TextSearch, locale: String) {
    self.init(
      search.operation.comparator, PredicateOptions(rawValue: search.options.rawValue),
      pattern: search.pattern, locale: locale)
  }
}
