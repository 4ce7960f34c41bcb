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

/// Conditions on the object itself, on two attributes, and on to-many relationships.
extension StoreFilterBuilder {
  func comparison(_ node: ComparisonNode) -> Test? {
    if let modifier = node.modifier { return quantified(node, modifier) }
    switch (node.left, node.right) {
    case (.attribute(let left), .attribute(let right)):
      return attributes(left, node.rule, right)
    case (.attribute(let index), .constant(let known)):
      return StoreFilterBuilder.Constants(attribute: index, entity.attributes[index].type)
        .test(node.rule, known)
    case (.related(let steps, let index, let type), .constant(let known)):
      return related(by: steps[...]) { _ in
        StoreFilterBuilder.Constants(attribute: index, type).test(node.rule, known)
      }
    case (.evaluatedObject, .constant(let known)):
      return identity(node.rule.comparator, known)
    case (.collectionOperator(.count, let base, right: _), .constant(.value(.int(let bound)))):
      return count(of: base, node.rule.comparator, bound)
    case (let path, .constant(let known)) where node.rule.comparator == .contains:
      return containing(path, known, node)
    case (.constant(let known), let path) where node.rule.comparator == .in:
      return containing(path, known, node)
    default: return nil
    }
  }

  /// Compares two attributes of the same kind, without options.
  private func attributes(_ left: Int, _ rule: ComparisonRule, _ right: Int) -> Test? {
    guard rule.options.isEmpty, let comparison = rule.comparator.relation,
      let kind = entity.attributes[left].type.orderedKind,
      kind == entity.attributes[right].type.orderedKind
    else { return nil }
    return .attributes(left, comparison, right)
  }

  // MARK: The object itself

  private func identity(
    _ comparator: PredicateTree.Comparator, _ known: PredicateValue
  ) -> Test? {
    switch (comparator, known) {
    case (.equal, .value(.object(let id))), (.notEqual, .value(.object(let id))):
      return .identity(
        Self.numbers([id], of: entity), isInverted: comparator == .notEqual)
    case (.in, .list(let members)):
      var objects: [ObjectID] = []
      for member in members {
        guard case .value(.object(let id)) = member else { return nil }
        objects.append(id)
      }
      return .identity(Self.numbers(objects, of: entity), isInverted: false)
    default: return nil
    }
  }

  // MARK: To-many relationships

  /// A path that contains one to-many relationship.
  private struct ManyPath {
    /// The to-one relationships before the to-many one.
    var steps: [Int] = []
    var toMany: Int
    /// The expression that is evaluated on each member.
    var member: OperandNode
  }

  /// Converts ANY and ALL.
  private func quantified(_ node: ComparisonNode, _ modifier: PredicateTree.Modifier) -> Test? {
    guard case .constant = node.right else { return nil }
    guard let path = manyPath(node.left) else { return single(node, modifier) }
    let member = ComparisonNode(
      modifier: nil, left: path.member, rule: node.rule, right: node.right, range: node.range)
    return ask(path) { builder in
      guard let test = builder.test(builder.shortcut(member)) else { return nil }
      return switch modifier {
      case .any: .member(path.toMany, test)
      case .all: .not(.member(path.toMany, .not(test)))
      }
    }
  }

  /// Converts ANY of a single value, such as `ANY parent IN parents`.
  ///
  /// A statement compares the value, although such a predicate is an error in memory.
  ///
  /// - Returns: Nil for ALL, and if the left side is not one value of a column.
  private func single(_ node: ComparisonNode, _ modifier: PredicateTree.Modifier) -> Test? {
    guard modifier == .any, isSingle(node.left) else { return nil }
    let plain = ComparisonNode(
      modifier: nil, left: node.left, rule: node.rule, right: node.right, range: node.range)
    return test(shortcut(plain))
  }

  /// Whether an expression is the object, an attribute, or a to-one relationship.
  private func isSingle(_ node: OperandNode) -> Bool {
    switch node {
    case .evaluatedObject, .attribute, .related: true
    case .key: toOnePath(node) != nil
    case .constant, .variable, .variableKey, .collectionOperator, .aggregate, .negation,
      .arithmetic, .setOperation, .first, .last, .size, .element, .function, .call, .subquery,
      .cast, .ternary:
      false
    }
  }

  /// Converts `tags CONTAINS tag` and `tag IN tags`.
  private func containing(
    _ node: OperandNode, _ known: PredicateValue, _ general: ComparisonNode
  ) -> Test? {
    guard case .value = known, let path = manyPath(node) else { return nil }
    let member = ComparisonNode(
      modifier: nil, left: path.member,
      rule: ComparisonRule(.equal, general.rule.options, locale: general.rule.locale),
      right: .constant(known), range: general.range)
    return ask(path) { builder in
      builder.test(builder.shortcut(member)).map { .member(path.toMany, $0) }
    }
  }

  /// Converts `tags.@count` and `SUBQUERY(tags, $t, …).@count`.
  private func count(
    of node: OperandNode, _ comparator: PredicateTree.Comparator, _ bound: Int64
  ) -> Test? {
    guard
      let range = IntegerTest(comparator, bound)
        .map({ StoreFilter.IntegerRange($0, comparator) })
    else { return nil }
    if case .subquery(let collection, let variable, let predicate) = node {
      guard let path = manyPath(collection), case .evaluatedObject = path.member else {
        return nil
      }
      return ask(path) { builder in
        builder.member(predicate, variable).map { .memberCount(path.toMany, $0, range) }
      }
    }
    guard let path = manyPath(node), case .evaluatedObject = path.member else { return nil }
    return related(by: path.steps[...]) { owner in
      // A list that was read still has the objects that a batch request deleted since.
      path.steps.isEmpty || owner.destination(of: path.toMany) != nil
        ? .memberCount(path.toMany, nil, range) : nil
    }
  }

  /// Builds a condition on the members at the end of a path, and returns it as one on their owner.
  private func ask(_ path: ManyPath, _ ask: (Self) -> Test?) -> Test? {
    related(by: path.steps[...]) { owner in owner.destination(of: path.toMany).flatMap(ask) }
  }

  private func shortcut(_ node: ComparisonNode) -> PredicateNode {
    PredicateCompiler(
      entity: entity, arguments: [], variables: [:],
      environment: EvaluationEnvironment(locale: node.rule.locale)
    ).shortcut(for: node, entity: entity)
  }

  // MARK: Paths

  private func manyPath(_ node: OperandNode) -> ManyPath? {
    guard case .key(let name, let base) = node else { return nil }
    if var path = manyPath(base) {
      guard let member = member(name, of: path.member, path) else { return nil }
      path.member = member
      return path
    }
    guard let (steps, owner) = toOnePath(base),
      let ordinal = owner.relationshipOrdinal(named: name), owner.relationships[ordinal].isToMany
    else { return nil }
    return ManyPath(steps: steps, toMany: ordinal, member: .evaluatedObject)
  }

  /// Returns the to-one relationships that lead to an object, and the object's entity.
  private func toOnePath(_ node: OperandNode) -> ([Int], EntityDescription)? {
    guard case .key(let name, let base) = node else {
      if case .evaluatedObject = node { return ([], entity) }
      return nil
    }
    guard let (steps, owner) = toOnePath(base),
      let ordinal = owner.relationshipOrdinal(named: name), !owner.relationships[ordinal].isToMany,
      let next = try? owner.link(at: ordinal).destination
    else { return nil }
    return (steps + [ordinal], next)
  }

  /// Appends a key to the members' expression; nil if that leads to many values again.
  private func member(
    _ name: String, of operand: OperandNode, _ path: ManyPath
  ) -> OperandNode? {
    var owner: EntityDescription? = entity
    for step in path.steps + [path.toMany] {
      owner = owner.flatMap { try? $0.link(at: step).destination }
    }
    guard let owner else { return nil }
    return Self(entity: owner, isSaved: isSaved).key(name, of: operand)
  }

  /// Returns a key of the object, or of one at the end of a to-one path.
  private func key(_ name: String, of base: OperandNode) -> OperandNode? {
    guard let (steps, owner) = toOnePath(base) else { return nil }
    if let index = owner.attributeIndex(named: name) {
      return steps.isEmpty
        ? .attribute(index)
        : .related(steps, attribute: index, owner.attributes[index].type)
    }
    guard let ordinal = owner.relationshipOrdinal(named: name),
      !owner.relationships[ordinal].isToMany
    else { return nil }
    return .key(name, of: base)
  }

  // MARK: SUBQUERY

  /// Returns a SUBQUERY's predicate as a condition on one member; nil if it reads anything else.
  private func member(_ node: PredicateNode, _ variable: String) -> Test? {
    switch node {
    case .constant(let value): return .constant(value)
    case .all(let parts): return members(parts, variable).map(Test.all)
    case .any(let parts): return members(parts, variable).map(Test.any)
    case .not(let part): return member(part, variable).map(Test.not)
    case .comparison(let node):
      guard node.modifier == nil, let left = rebased(node.left, variable),
        let right = rebased(node.right, variable)
      else { return nil }
      let rebased = ComparisonNode(
        modifier: nil, left: left, rule: node.rule, right: right, range: node.range)
      return test(shortcut(rebased))
    case .integer, .real, .text, .null, .membership, .object, .related: return nil
    }
  }

  private func members(_ nodes: [PredicateNode], _ variable: String) -> [Test]? {
    let tests = nodes.compactMap { member($0, variable) }
    return tests.count == nodes.count && !tests.isEmpty ? tests : nil
  }

  private func rebased(_ node: OperandNode, _ variable: String) -> OperandNode? {
    switch node {
    case .constant: return node
    case .variable(variable, range: _): return .evaluatedObject
    case .key(let name, let base):
      return rebased(base, variable).flatMap { key(name, of: $0) }
    case .attribute, .related, .evaluatedObject, .variable, .variableKey, .collectionOperator,
      .aggregate, .negation, .arithmetic, .setOperation, .first, .last, .size, .element, .function,
      .call, .subquery, .cast, .ternary:
      return nil
    }
  }
}

extension AttributeType {
  /// The common type of two attribute types that a database orders in the same way as memory; nil
  /// if there is none.
  fileprivate var orderedKind: AttributeType? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .integer64
    case .double, .float: .double
    case .date, .string, .uuid, .binaryData: self
    // A NaN is not equal to another in memory, and is text in a file.
    case .decimal: nil
    // A store may have the text of a URL that is read back as another one.
    case .uri: nil
    }
  }
}
