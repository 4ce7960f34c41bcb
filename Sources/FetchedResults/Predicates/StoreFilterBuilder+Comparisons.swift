import PredicateSyntax

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
