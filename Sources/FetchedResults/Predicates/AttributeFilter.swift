import PredicateSyntax

/// What a predicate asks of an object's own attributes, in terms that mean the
/// same to a database.
///
/// It comes from the beginning of an AND: a part further on is not asked before
/// one that could raise, so that what raises in memory raises in a store.
package struct AttributeFilter {
  /// What is asked.
  package let test: Test
  /// Whether there is nothing else to the predicate.
  package let isWhole: Bool

  /// A question about attributes, which stand for their places in a snapshot.
  ///
  /// Null matches `isNull`, `notEqual` and what is inverted, and nothing else.
  package indirect enum Test {
    case all([Test])
    case any([Test])
    case not(Test)
    case isNull(Int)
    /// Whether an integer or a Boolean is in a range, or outside it.
    case integer(Int, from: Int64, to: Int64, isInverted: Bool)
    case real(Int, Comparison, Double)
    /// Strings compare by their Unicode scalars.
    case text(Int, Comparison, String)
  }

  /// How a value compares; `notEqual` matches null too.
  package enum Comparison: Sendable {
    case equal
    case notEqual
    case less
    case lessOrEqual
    case greater
    case greaterOrEqual
  }

  /// - Returns: Nil where not even the first part is such a question.
  init?(_ node: PredicateNode) {
    guard case .all(let parts) = node else {
      guard let test = Test(node) else { return nil }
      self.init(test: test, isWhole: true)
      return
    }
    var tests: [Test] = []
    for part in parts {
      guard let test = Test(part) else { break }
      tests.append(test)
    }
    if tests.isEmpty { return nil }
    self.init(test: .all(tests), isWhole: tests.count == parts.count)
  }

  private init(test: Test, isWhole: Bool) {
    self.test = test
    self.isWhole = isWhole
  }
}

extension AttributeFilter.Test {
  /// - Returns: Nil where some part of the predicate is no such question.
  fileprivate init?(_ node: PredicateNode) {
    switch node {
    case .all(let parts):
      guard let tests = Self.tests(parts) else { return nil }
      self = .all(tests)
    case .any(let parts):
      guard let tests = Self.tests(parts) else { return nil }
      self = .any(tests)
    case .not(let part):
      guard let test = Self(part) else { return nil }
      self = .not(test)
    case .null(let attribute): self = .isNull(attribute)
    case .integer(let attribute, let test, _):
      self = .integer(attribute, from: test.lower, to: test.upper, isInverted: test.isInverted)
    case .real(let attribute, let test, _):
      if test.comparator == .between {
        self = .all([
          .real(attribute, .greaterOrEqual, test.lower), .real(attribute, .lessOrEqual, test.upper),
        ])
        return
      }
      guard let comparison = AttributeFilter.Comparison(test.comparator) else { return nil }
      self = .real(attribute, comparison, test.lower)
    case .text(let attribute, let test, _, let general):
      guard general.rule.options.isEmpty,
        let comparison = AttributeFilter.Comparison(test.comparator)
      else { return nil }
      self = .text(attribute, comparison, test.pattern)
    case .constant, .membership, .object, .related, .comparison: return nil
    }
  }

  private static func tests(_ nodes: [PredicateNode]) -> [Self]? {
    let tests = nodes.compactMap { Self($0) }
    return tests.count == nodes.count && !tests.isEmpty ? tests : nil
  }
}

extension AttributeFilter.Comparison {
  fileprivate init?(_ comparator: PredicateTree.Comparator) {
    switch comparator {
    case .equal: self = .equal
    case .notEqual: self = .notEqual
    case .less: self = .less
    case .lessOrEqual: self = .lessOrEqual
    case .greater: self = .greater
    case .greaterOrEqual: self = .greaterOrEqual
    case .between, .in, .contains, .beginsWith, .endsWith, .like, .matches: return nil
    }
  }
}
