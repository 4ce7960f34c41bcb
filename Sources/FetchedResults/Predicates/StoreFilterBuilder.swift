import PredicateSyntax

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
