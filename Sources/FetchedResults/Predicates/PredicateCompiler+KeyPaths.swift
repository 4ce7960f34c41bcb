import PredicateSyntax

/// Resolves keys to indices if the entity is known, and throws if the entity does not have a key.
extension PredicateCompiler {
  func compilePath(
    _ kind: OperandTree.Kind, range: Range<Int>
  ) throws(InvalidPredicateError) -> OperandNode {
    switch kind {
    case .key(let name, let base): return try compileKey(name, of: base, range: range)
    case .collectionOperator(let name, let base, let right):
      guard let function = CollectionOperator(rawValue: name) else {
        throw InvalidPredicateError.notCodingCompliant("@" + name)
      }
      let base = try compileBase(base)
      try check(right, after: function, of: base, range: range)
      return .collectionOperator(function, of: base, right: right)
    case .variable(let name):
      if bound[name] != nil { return .variable(name, range: range) }
      return .constant(try variable(name, range: range))
    case .variableKeyPath(let name, let base):
      guard bound[name] == nil else {
        return .variableKey(name, of: try compile(base), range: range)
      }
      let key = try variable(name, range: range)
      return try compileKey(key.description, of: base, range: range)
    // It was replaced by keys when the predicate was created.
    case .argumentKeyPath: throw InvalidPredicateError.insufficientArguments
    case .null, .boolean, .integer, .real, .string, .aggregate, .evaluatedObject, .anyKey,
      .argument, .negation, .arithmetic, .setOperation, .index, .function, .call, .subquery, .cast,
      .ternary, .assignment:
      return .constant(.null)
    }
  }

  private func variable(
    _ name: String, range: Range<Int>
  ) throws(InvalidPredicateError) -> PredicateValue {
    guard let value = variables[name] else {
      throw InvalidPredicateError.unboundVariable(name, range: range)
    }
    return value
  }

  private func compileBase(_ base: OperandTree?) throws(InvalidPredicateError) -> OperandNode {
    guard let base else { return .evaluatedObject }
    return try compile(base)
  }

  private func compileKey(
    _ name: String, of base: OperandTree?, range: Range<Int>
  ) throws(InvalidPredicateError) -> OperandNode {
    let base = try compileBase(base)
    guard let owner = entity(of: base) else {
      if let type = attributeType(of: base) { try check(name, of: type, range: range) }
      return .key(name, of: base)
    }
    guard let index = owner.propertyIndex(named: name) else {
      if name == "self" { return base }
      guard name == "objectID" else { throw unknownKey(name, of: base, owner, range) }
      return .key(name, of: base)
    }
    if !readsTransient, owner.isTransient(at: index) {
      throw unknownKey(name, of: base, owner, range)
    }
    guard index < owner.attributes.count else {
      // Finds a relationship without a valid destination before any object is evaluated.
      do throws(ModelError) {
        _ = try owner.link(at: index - owner.attributes.count)
      } catch {
        throw InvalidPredicateError(message: error.description, range: range)
      }
      return .key(name, of: base)
    }
    // The value may have to be computed.
    if owner.attributes[index].isTransient { return .key(name, of: base) }
    let type = owner.attributes[index].type
    if case .evaluatedObject = base { return .attribute(index) }
    guard let steps = toOneSteps(to: base) else { return .key(name, of: base) }
    return .related(steps, attribute: index, type)
  }

  /// Returns the ordinals of the to-one relationships from the evaluated object to another; nil if
  /// the expression is not such a path.
  func toOneSteps(to node: OperandNode) -> [Int]? {
    switch node {
    case .evaluatedObject: return []
    case .key(let name, let base):
      guard let owner = entity(of: base), let ordinal = owner.relationshipOrdinal(named: name),
        !owner.relationships[ordinal].isToMany, let steps = toOneSteps(to: base)
      else { return nil }
      return steps + [ordinal]
    case .constant, .attribute, .related, .variable, .variableKey, .collectionOperator, .aggregate,
      .negation, .arithmetic, .setOperation, .first, .last, .size, .element, .function, .call,
      .subquery, .cast, .ternary:
      return nil
    }
  }

  // MARK: Checks

  /// Checks the keys that a collection operator reads from each element.
  private func check(
    _ right: [String], after function: CollectionOperator, of base: OperandNode,
    range: Range<Int>
  ) throws(InvalidPredicateError) {
    guard function != .count else { return }
    guard !right.isEmpty else {
      throw InvalidPredicateError.needsKey("@" + function.rawValue).located(at: range)
    }
    var node = base
    for key in right {
      // The entity of an operator's result is unknown.
      guard !key.hasPrefix("@"), let owner = entity(of: node) else { return }
      guard let index = owner.propertyIndex(named: key) else {
        if key == "self" { continue }
        guard key == "objectID" else { throw unknownKey(key, of: node, owner, range) }
        return
      }
      if !readsTransient, owner.isTransient(at: index) {
        throw unknownKey(key, of: node, owner, range)
      }
      node = .key(key, of: node)
    }
  }

  /// Checks that an expression that is followed by `[0]`, `[FIRST]`, `[LAST]` or `[SIZE]` gives a
  /// list, as far as that is known.
  func checkHasElements(
    _ base: OperandNode, for index: OperandTree.Index, range: Range<Int>
  ) throws(InvalidPredicateError) {
    guard !isToMany(base), let path = path(of: base) else { return }
    if let type = attributeType(of: base) {
      throw InvalidPredicateError.hasNoElements(path, type, for: index).located(at: range)
    }
    if case .key(let name, let owner) = base,
      entity(of: owner)?.relationshipOrdinal(named: name) != nil,
      let destination = entity(of: base)?.name
    {
      throw InvalidPredicateError.hasNoElements(path, destination, for: index).located(at: range)
    }
  }

  /// The keys of a path from the evaluated object; nil for another expression.
  private func path(of node: OperandNode) -> String? {
    switch node {
    case .key(let name, .evaluatedObject): return name
    case .key(let name, let base): return path(of: base).map { "\($0).\(name)" }
    case .attribute(let index): return entity?.attributes[index].name
    case .related(let steps, let index, _):
      var names: [String] = []
      var owner = entity
      for step in steps {
        guard let relationship = owner?.relationships[step] else { return nil }
        names.append(relationship.name)
        owner = owner?.destination(ofRelationship: relationship.name)
      }
      guard let attribute = owner?.attributes[index] else { return nil }
      return (names + [attribute.name]).joined(separator: ".")
    case .constant, .evaluatedObject, .variable, .variableKey, .collectionOperator, .aggregate,
      .negation, .arithmetic, .setOperation, .first, .last, .size, .element, .function, .call,
      .subquery, .cast, .ternary:
      return nil
    }
  }

  /// Checks a key of an attribute's value, such as the `length` of a string.
  private func check(
    _ key: String, of type: AttributeType, range: Range<Int>
  ) throws(InvalidPredicateError) {
    let keys = KeyValueCoding.keys(of: type)
    guard key != "self", !keys.contains(key) else { return }
    throw InvalidPredicateError.notCodingCompliant(key, candidates: keys).located(at: range)
  }

  private func unknownKey(
    _ name: String, of base: OperandNode, _ owner: EntityDescription, _ range: Range<Int>
  ) -> InvalidPredicateError {
    var path = [name]
    var node = base
    while case .key(let key, let outer) = node {
      path.insert(key, at: 0)
      node = outer
    }
    // A name without its `@` is most similar to the operator with it.
    let operators = isToMany(base) ? CollectionOperator.allCases.map { "@" + $0.rawValue } : []
    if case .evaluatedObject = node, let entity {
      return .unknownKey(
        name, path: path.joined(separator: "."), of: owner, in: entity, operators: operators,
        range: range)
    }
    return .unknownKey(
      name, path: name, of: owner, in: owner, operators: operators, range: range)
  }

  // MARK: What is known of an expression

  /// Returns the entity of the object or objects that an expression gives, if it is known.
  func entity(of node: OperandNode) -> EntityDescription? {
    switch node {
    case .evaluatedObject: entity
    case .key(let name, let base): entity(of: base)?.destination(ofRelationship: name)
    case .variable(let name, _): bound[name] ?? nil
    case .constant(.value(.object(let id))): id.entity
    case .first(let base), .last(let base), .element(let base, _), .subquery(let base, _, _):
      entity(of: base)
    case .constant, .attribute, .related, .variableKey, .collectionOperator, .aggregate, .negation,
      .arithmetic, .setOperation, .size, .function, .call, .cast, .ternary:
      nil
    }
  }

  /// Returns the type of the attribute whose value or values an expression gives, if it is known.
  func attributeType(of node: OperandNode) -> AttributeType? {
    switch node {
    case .attribute(let index): return entity?.attributes[index].type
    case .related(_, _, let type): return type
    case .key(let name, let base):
      guard let owner = entity(of: base), let index = owner.attributeIndex(named: name) else {
        return nil
      }
      return owner.attributes[index].type
    case .constant, .evaluatedObject, .variable, .variableKey, .collectionOperator, .aggregate,
      .negation, .arithmetic, .setOperation, .first, .last, .size, .element, .function, .call,
      .subquery, .cast, .ternary:
      return nil
    }
  }

  /// Returns whether a side gives many values although the operator takes one.
  func hasStrayToMany(
    _ left: OperandNode, _ comparator: PredicateTree.Comparator, _ right: OperandNode
  ) -> Bool {
    switch comparator.family {
    case .membership: isToMany(left)
    case .containment: isToMany(right)
    case .relation(.equal), .relation(.notEqual):
      isToMany(left) && right.isScalar || left.isScalar && isToMany(right)
    case .relation, .between, .text:
      isToMany(left) || isToMany(right)
    }
  }

  /// Whether an expression is a path with a to-many relationship, so that it gives many values.
  private func isToMany(_ node: OperandNode) -> Bool {
    guard case .key(let name, let base) = node else { return false }
    guard let owner = entity(of: base), let ordinal = owner.relationshipOrdinal(named: name) else {
      return isToMany(base)
    }
    return owner.relationships[ordinal].isToMany || isToMany(base)
  }
}

extension OperandNode {
  /// Whether the expression always gives exactly one value that is not nil.
  fileprivate var isScalar: Bool {
    switch self {
    case .attribute, .related: true
    case .constant(.value(let value)): !value.isNull
    case .constant, .evaluatedObject, .key, .variable, .variableKey, .collectionOperator,
      .aggregate, .negation, .arithmetic, .setOperation, .first, .last, .size, .element, .function,
      .call, .subquery, .cast, .ternary:
      false
    }
  }
}
