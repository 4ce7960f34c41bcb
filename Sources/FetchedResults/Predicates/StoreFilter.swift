package import Foundation
package import PredicateSyntax

/// The part of a predicate that a database can check with the same result.
///
/// It is the beginning of an AND. A later part is never checked before one that could raise, so a
/// predicate that raises in memory also raises with a store.
package struct StoreFilter {
  /// The condition to check.
  package let test: Test
  /// Whether this covers the whole predicate.
  package let isWhole: Bool
  /// Whether a comparison with nil is neither true nor false, as in SQL and therefore on Apple's
  /// systems.
  package let isThreeValued: Bool

  /// A condition on an object.
  ///
  /// Attributes are given by their index in a snapshot, relationships by their ordinal. Null
  /// matches only `isNull`, `notEqual`, lists that contain null, and inverted tests.
  package indirect enum Test {
    case constant(Bool)
    case all([Test])
    case any([Test])
    case not(Test)
    case isNull(Int)
    /// Whether an integer or a Boolean is in a range, or outside it.
    case integer(Int, IntegerRange)
    /// A decimal counts as the floating-point number that a store has for it. An integer stays
    /// exact.
    case real(Int, Comparison, Double)
    /// Strings compare by their Unicode scalars.
    case text(Int, Comparison, String)
    /// UUIDs and data compare byte by byte, with a prefix before longer values.
    case bytes(Int, Comparison, Data)
    /// A comparison of two attributes of the same kind; null is equal to null.
    case attributes(Int, Comparison, Int)
    /// A string operator, or a comparison with options.
    case search(Int, TextSearch)
    case integers(Int, [Int64], hasNull: Bool)
    case strings(Int, [String], hasNull: Bool)
    /// Whether a to-one relationship leads to one of the given objects.
    case reference(Int, [Int64], hasNull: Bool, isInverted: Bool)
    /// Whether the object is one of the given objects.
    case identity([Int64], isInverted: Bool)
    /// A condition on the object of a to-one relationship; if there is none, its values count as
    /// null.
    case related(Int, Test)
    /// Whether a to-many relationship leads to an object that matches.
    case member(Int, Test)
    /// How many objects that match are in a to-many relationship.
    case memberCount(Int, Test?, IntegerRange)
  }

  /// A range of integers with its bounds, or everything outside it.
  package struct IntegerRange: Sendable {
    package let lower: Int64
    package let upper: Int64
    package let isInverted: Bool
    /// Whether it was written with an operator that excludes its bound.
    package let isStrict: Bool

    init(_ test: IntegerTest, _ comparator: PredicateTree.Comparator) {
      isStrict = comparator == .less || comparator == .greater
      lower = test.lower
      upper = test.upper
      isInverted = test.isInverted
    }
  }

  /// A relation between values; `notEqual` also matches null.
  package typealias Comparison = PredicateTree.Comparator.Relation

  /// Creates the condition for a predicate.
  ///
  /// - Parameters:
  ///   - entity: The entity of the objects.
  ///   - isThreeValued: Whether null follows SQL's own rules.
  ///   - isSaved: Returns whether the store has the current values of all objects of a root entity.
  /// - Returns: Nil if a store cannot check even the first part.
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
