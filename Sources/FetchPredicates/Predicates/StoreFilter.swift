package import Foundation
package import PredicateSyntax

/// What a predicate asks in terms that mean the same to a database.
///
/// It comes from the beginning of an AND: a part further on is not asked before
/// one that could raise, so that what raises in memory raises in a store.
package struct StoreFilter {
  /// What is asked.
  package let test: Test
  /// Whether there is nothing else to the predicate.
  package let isWhole: Bool
  /// Whether nil is in no relation to anything but nil, as in SQL by itself and
  /// therefore on Apple's systems.
  package let isThreeValued: Bool

  /// A question about an object.
  ///
  /// Attributes represent their places in a snapshot, relationships for their ordinals. Null
  /// matches `isNull`, `notEqual`, lists with null in them and what is inverted, and nothing else.
  package indirect enum Test {
    case constant(Bool)
    case all([Test])
    case any([Test])
    case not(Test)
    case isNull(Int)
    /// Whether an integer or a Boolean is in a range, or outside it.
    case integer(Int, IntegerRange)
    /// A decimal counts as the floating-point number that is stored for it, an
    /// integer as itself.
    case real(Int, Comparison, Double)
    /// Strings compare by their Unicode scalars.
    case text(Int, Comparison, String)
    /// UUIDs and data compare byte by byte, a prefix first.
    case bytes(Int, Comparison, Data)
    /// How two attributes of one kind compare; null is equal to null.
    case attributes(Int, Comparison, Int)
    /// A string operator, or a comparison with options.
    case search(Int, TextSearch)
    case integers(Int, [Int64], hasNull: Bool)
    case strings(Int, [String], hasNull: Bool)
    /// Whether a to-one relationship leads to one of some objects.
    case reference(Int, [Int64], hasNull: Bool, isInverted: Bool)
    /// Whether the object is one of some.
    case identity([Int64], isInverted: Bool)
    /// What is asked of the object that a to-one relationship leads to; if there is none, of null.
    case related(Int, Test)
    /// Whether a to-many relationship leads to an object that matches.
    case member(Int, Test)
    /// How many objects, that match, a to-many relationship leads to.
    case memberCount(Int, Test?, IntegerRange)
  }

  /// A range of integers, bounds included, or what is outside it.
  package struct IntegerRange: Sendable {
    package let lower: Int64
    package let upper: Int64
    package let isInverted: Bool
    /// Whether it was written by an operator that leaves its bound out.
    package let isStrict: Bool

    init(_ test: IntegerTest, _ comparator: PredicateTree.Comparator) {
      isStrict = comparator == .less || comparator == .greater
      lower = test.lower
      upper = test.upper
      isInverted = test.isInverted
    }
  }

  /// How a value compares; `notEqual` matches null too.
  package typealias Comparison = PredicateTree.Comparator.Relation

  /// - Parameters:
  ///   - entity: The entity of the objects.
  ///   - isThreeValued: Whether SQL's own rules for null hold.
  ///   - isSaved: Tells of a root entity whether the store has the values of
  ///     all its objects.
  /// - Returns: Nil if not even the first part is such a question.
  init?(
    _ node: PredicateNode, entity: EntityDescription, isThreeValued: Bool,
    isSaved: @escaping (EntityDescription) -> Bool
  ) {
    self.isThreeValued = isThreeValued
    let parts: [PredicateNode]
    if case .all(let all) = node { parts = all } else { parts = [node] }
    var tests: [Test] = []
    for part in parts {
      guard let test = StoreFilterBuilder(entity: entity, isSaved: isSaved).test(part) else {
        break
      }
      tests.append(test)
    }
    if tests.isEmpty { return nil }
    test = parts.count == 1 ? tests[0] : .all(tests)
    isWhole = tests.count == parts.count
  }
}
