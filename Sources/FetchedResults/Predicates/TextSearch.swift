package import PredicateSyntax

/// A string operator with its right side, in a form that a store can check.
package struct TextSearch: Hashable, Sendable {
  package let operation: Operation
  package let options: Options
  package let pattern: String

  package typealias Operation = PredicateTree.Comparator.TextOperation

  /// The options that change how strings are compared.
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
}

extension TextTest {
  package convenience init(_ search: TextSearch, locale: String) {
    self.init(
      search.operation, PredicateOptions(rawValue: search.options.rawValue),
      pattern: search.pattern, locale: locale)
  }
}
