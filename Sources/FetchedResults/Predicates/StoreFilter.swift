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

/// Converts a compiled predicate's nodes to conditions that a store can check.
struct StoreFilterBuilder {
  typealias Test = StoreFilter.Test

  /// The entity of the object that the condition is about.
  let entity: EntityDescription
  /// Returns whether the store has the current values of all objects of a root entity.
  let isSaved: (EntityDescription) -> Bool

  /// - Returns: Nil if a store cannot check some part of the predicate.
  func test(_ node: PredicateNode) -> Test? {
    switch node {
    case .constant(let value): return .constant(value)
    case .all(let parts): return tests(parts).map(Test.all)
    case .any(let parts): return tests(parts).map(Test.any)
    case .not(let part): return test(part).map(Test.not)
    case .null(let attribute): return .isNull(attribute)
    case .integer(let attribute, let test, let general):
      return .integer(attribute, StoreFilter.IntegerRange(test, general.rule.comparator))
    case .real(let attribute, let test, _): return real(attribute, test)
    case .text(let attribute, let test, _, let general): return text(attribute, test, general)
    case .membership(let attribute, let test, _): return membership(attribute, test)
    case .object(let ordinal, let test): return reference(ordinal, test)
    case .related(let steps, let part, _): return related(by: steps[...]) { $0.test(part) }
    case .comparison(let comparison): return self.comparison(comparison)
    }
  }

  private func tests(_ nodes: [PredicateNode]) -> [Test]? {
    let tests = nodes.compactMap(test)
    return tests.count == nodes.count && !tests.isEmpty ? tests : nil
  }

  // MARK: Attributes

  private func real(_ attribute: Int, _ test: RealTest) -> Test? {
    if let relation = test.relation { return .real(attribute, relation, test.lower) }
    return .all([
      .real(attribute, .greaterOrEqual, test.lower), .real(attribute, .lessOrEqual, test.upper),
    ])
  }

  private func text(_ attribute: Int, _ test: TextTest, _ general: ComparisonNode) -> Test? {
    if general.rule.options.isEmpty, case .relation(let relation) = test.operation {
      return .text(attribute, relation, test.pattern)
    }
    // A bad pattern raises, and a store could not report that.
    guard test.isSound else { return nil }
    return .search(
      attribute,
      TextSearch(test.operation, TextSearch.Options(general.rule.options), pattern: test.pattern))
  }

  private func membership(_ attribute: Int, _ test: MembershipTest) -> Test {
    if entity.attributes[attribute].type == .string {
      return .strings(attribute, test.strings.map(\.string).sorted(), hasNull: test.hasNull)
    }
    return .integers(attribute, test.integers.sorted(), hasNull: test.hasNull)
  }

  // MARK: Relationships

  private func reference(_ ordinal: Int, _ test: ObjectTest) -> Test? {
    guard let destination = try? entity.link(at: ordinal).destination else { return nil }
    return .reference(
      ordinal, Self.numbers(test.objects, of: destination), hasNull: test.hasNull,
      isInverted: test.isInverted)
  }

  /// Returns the numbers of the objects that can belong to an entity.
  static func numbers(
    _ objects: some Sequence<ObjectID>, of entity: EntityDescription
  ) -> [Int64] {
    objects.filter { $0.entity.root === entity.root }.map(\.number).sorted()
  }

  /// Builds a condition on the object at the end of to-one relationships.
  func related(by steps: ArraySlice<Int>, _ ask: (Self) -> Test?) -> Test? {
    guard let step = steps.first else { return ask(self) }
    guard let next = destination(of: step),
      let test = next.related(by: steps.dropFirst(), ask)
    else { return nil }
    return .related(step, test)
  }

  /// Returns the builder for a relationship's destination; nil if the store may not have its
  /// values.
  func destination(of ordinal: Int) -> Self? {
    guard let destination = try? entity.link(at: ordinal).destination, isSaved(destination.root)
    else { return nil }
    return Self(entity: destination, isSaved: isSaved)
  }
}

extension StoreFilterBuilder {
  /// Conditions on one attribute that memory has no fast tests for: decimals, UUIDs and data, and
  /// integers compared with floating-point numbers.
  struct Constants {
    private let attribute: Int
    private let type: AttributeType

    init(attribute: Int, _ type: AttributeType) {
      self.attribute = attribute
      self.type = type
    }

    /// - Returns: Nil if the comparison may raise, or if a store's result may differ.
    func test(_ rule: ComparisonRule, _ known: PredicateValue) -> Test? {
      guard rule.options.isEmpty else { return nil }
      switch (rule.comparator, known) {
      case (.in, .list(let members)):
        let tests = members.compactMap(isEqual)
        guard tests.count == members.count else { return nil }
        return tests.isEmpty ? .constant(false) : .any(tests)
      case (.between, .list(let bounds)) where bounds.count == 2:
        guard let lower = test(.greaterOrEqual, bounds[0]),
          let upper = test(.lessOrEqual, bounds[1])
        else { return nil }
        return .all([lower, upper])
      default:
        return rule.comparator.relation.flatMap { test($0, known) }
      }
    }

    private func isEqual(_ known: PredicateValue) -> Test? {
      known.isNull ? .isNull(attribute) : test(.equal, known)
    }

    private func test(_ comparison: StoreFilter.Comparison, _ known: PredicateValue) -> Test? {
      guard case .value(let value) = known else { return nil }
      switch (type, value) {
      case (.uuid, .uuid(let uuid)):
        return .bytes(attribute, comparison, withUnsafeBytes(of: uuid.uuid) { Data($0) })
      case (.binaryData, .data(let data)): return .bytes(attribute, comparison, data)
      case (.decimal, .double(let number)) where !number.isNaN:
        return .real(attribute, comparison, number)
      case (.decimal, .decimal(let number)): return stored(number, comparison)
      case (.decimal, .int(let number)): return stored(Decimal(number), comparison)
      case (.integer16, .double(let number)), (.integer32, .double(let number)),
        (.integer64, .double(let number)), (.boolean, .double(let number)):
        return exact(number, comparison)
      // The integer is in a list that also has floating-point numbers.
      case (.integer16, .int(let number)), (.integer32, .int(let number)),
        (.integer64, .int(let number)), (.boolean, .int(let number)):
        return exact(Double(number), comparison)
      default: return nil
      }
    }

    /// Returns the comparison of an integer with a floating-point number, if rounding in memory
    /// never moves an integer across the number.
    private func exact(_ number: Double, _ comparison: StoreFilter.Comparison) -> Test? {
      abs(number) < 0x1p53 ? .real(attribute, comparison, number) : nil
    }

    /// Returns the comparison of a decimal as the floating-point number that a store has for it, if
    /// no other decimal has the same one.
    private func stored(_ number: Decimal, _ comparison: StoreFilter.Comparison) -> Test? {
      let real = number.nearestDouble
      guard abs(real) < 0x1p53, Decimal(wholeText: real.description) == number else { return nil }
      return .real(attribute, comparison, real)
    }
  }
}
