package import PredicateSyntax

/// A predicate whose keys are resolved to indices in an entity's snapshots.
///
/// It is a class, because a copy of a weak reference costs more than most evaluations.
package final class CompiledPredicate {
  private let root: PredicateNode
  /// The entity of the objects; nil if the objects' values are read by key.
  private let entity: EntityDescription?
  private let isThreeValued: Bool
  private weak var graph: (any ObjectGraph)?
  /// Whether the predicate reads more than the object's own values.
  package let crossesRelationships: Bool

  init(
    _ root: PredicateNode, entity: EntityDescription?, graph: (any ObjectGraph)?,
    isThreeValued: Bool
  ) {
    self.root = root
    self.entity = entity
    self.isThreeValued = isThreeValued
    self.graph = graph
    crossesRelationships = root.crossesRelationships
  }

  /// The condition that a store can check before, or instead of, the predicate.
  ///
  /// It does not cover related objects whose values in the graph may differ from the store's.
  package var filter: StoreFilter? {
    guard let entity else { return nil }
    return StoreFilter(root, entity: entity, isThreeValued: isThreeValued) { [graph] root in
      graph.map { !$0.knowsUnsavedObjects(of: root) } ?? false
    }
  }

  /// Returns whether an object with these values matches.
  ///
  /// - Throws: ``InvalidPredicateError`` if the evaluation raises.
  package func matches(_ snapshot: ObjectSnapshot, of object: ObjectID)
    throws(InvalidPredicateError) -> Bool
  {
    // Loading a weak reference costs more than most comparisons.
    let graph = crossesRelationships ? graph : nil
    return try root.matches(
      PredicateScope(snapshot: snapshot, object: object, subject: nil, graph: graph))
  }

  /// Returns whether an object matches whose values are read by key.
  ///
  /// The predicate must have been compiled without an entity.
  ///
  /// - Throws: ``InvalidPredicateError`` if the evaluation raises.
  package func matches(_ subject: PredicateValue) throws(InvalidPredicateError) -> Bool {
    try root.matches(PredicateScope(snapshot: ObjectSnapshot([]), object: nil, subject: subject))
  }
}

/// An object of an entity whose values are known.
struct SnapshotSubject: PredicateSubject {
  let values: ObjectValues

  var identity: PropertyValue { .object(values.objectID) }

  func value(forKey key: String) throws(InvalidPredicateError) -> PredicateValue {
    guard let value = values.value(forKey: key) else {
      guard key == "objectID" else { throw InvalidPredicateError.notCodingCompliant(key) }
      return .value(identity)
    }
    return PredicateValue(value, in: values.graph)
  }
}

/// A related object, whose values are looked up when they are needed.
///
/// If the object no longer exists, every value is null.
private struct RelatedSubject: PredicateSubject {
  let objectID: ObjectID
  let graph: any ObjectGraph

  var identity: PropertyValue { .object(objectID) }

  func value(forKey key: String) throws(InvalidPredicateError) -> PredicateValue {
    guard let snapshot = graph.currentSnapshot(of: objectID) else { return .null }
    let values = ObjectValues(objectID: objectID, snapshot: snapshot, graph: graph)
    return try SnapshotSubject(values: values).value(forKey: key)
  }
}

extension PredicateValue {
  /// Returns the value, with its objects as subjects that can be asked for keys.
  func askable(in graph: (any ObjectGraph)?) -> PredicateValue {
    switch self {
    case .value(let value): PredicateValue(value, in: graph)
    case .list(let elements): .list(elements.map { $0.askable(in: graph) })
    case .set(let elements): .set(elements.map { $0.askable(in: graph) })
    case .dictionary, .subject: self
    }
  }

  /// Converts objects to subjects that can be asked for keys.
  init(_ value: PropertyValue, in graph: (any ObjectGraph)?) {
    switch value {
    case .object(let id):
      self = graph.map { .subject(RelatedSubject(objectID: id, graph: $0)) } ?? .value(value)
    case .list(let elements): self = .list(elements.map { PredicateValue($0, in: graph) })
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data:
      self = .value(value)
    }
  }
}

/// The result of one part of a predicate for one object, with the values that led to it.
package struct PredicateEvidence {
  /// How many parts enclose this one.
  package let depth: Int
  /// The part: the whole predicate, an operand of AND, OR or NOT, or a comparison.
  package let part: PredicateTree
  package let outcome: Result<Bool, InvalidPredicateError>
  /// The values on both sides of a comparison, except literals.
  package let operands: [Operand]
  /// The element of the collection on the left that decided an ANY or ALL.
  package let decider: PredicateValue?

  /// An expression and its value.
  package struct Operand {
    package let expression: OperandTree
    package let value: PredicateValue
    /// The elements that a SUBQUERY looked at.
    package let collection: PredicateValue?
  }
}

extension FetchPredicate {
  /// Evaluates a predicate part by part.
  ///
  /// The whole predicate comes first, and each part before the parts inside it. Parts are evaluated
  /// even if another part already decides the result. If a part raises, the error is its result.
  ///
  /// - Throws: ``InvalidPredicateError`` if the entity does not have a key.
  /// - Complexity: O(*n* *d*) evaluations of comparisons, where *n* is their number and *d* the
  ///   depth of the tree.
  package func evidence(
    for object: ObjectValues, environment: EvaluationEnvironment
  ) throws(InvalidPredicateError) -> [PredicateEvidence] {
    var compiler = compiler(for: object.objectID.entity, environment: environment)
    compiler.readsTransient = true
    _ = try compiler.compile(tree)
    var witness = EvidenceWalk(
      compiler: compiler,
      scope: PredicateScope(
        snapshot: object.snapshot, object: object.objectID, subject: nil, graph: object.graph))
    witness.walk(tree, depth: 0)
    return witness.found
  }
}

/// Walks through a tree and records the result of each part.
private struct EvidenceWalk {
  let compiler: PredicateCompiler
  let scope: PredicateScope
  private(set) var found: [PredicateEvidence] = []

  mutating func walk(_ part: PredicateTree, depth: Int) {
    let outcome = Result { () throws(InvalidPredicateError) -> Bool in
      try compiler.compile(part).matches(scope)
    }
    var operands: [PredicateEvidence.Operand] = []
    var decider: PredicateValue?
    if case .comparison(let comparison) = part {
      operands = self.operands(of: comparison.left) + self.operands(of: comparison.right)
      decider = self.decider(of: part)
    }
    found.append(
      PredicateEvidence(
        depth: depth, part: part, outcome: outcome, operands: operands, decider: decider))
    switch part {
    case .constant, .comparison: break
    case .and(let parts), .or(let parts): for part in parts { walk(part, depth: depth + 1) }
    case .not(let part): walk(part, depth: depth + 1)
    }
  }

  private func decider(of part: PredicateTree) -> PredicateValue? {
    guard case .comparison(let node)? = try? compiler.compile(part) else { return nil }
    return try? node.decider(in: scope)
  }

  /// Returns the values of an expression and of the SUBQUERYs in it.
  ///
  /// If the expression raises, returns the values of its parts.
  private func operands(of expression: OperandTree) -> [PredicateEvidence.Operand] {
    guard !expression.isLiteral else { return [] }
    guard let value = value(of: expression) else {
      return expression.parts.flatMap(operands)
    }
    if case .subquery(let collection, _, _) = expression.kind {
      return [
        PredicateEvidence.Operand(
          expression: expression, value: value, collection: self.value(of: collection))
      ]
    }
    return [PredicateEvidence.Operand(expression: expression, value: value, collection: nil)]
      + subqueries(in: expression)
  }

  private func subqueries(in expression: OperandTree) -> [PredicateEvidence.Operand] {
    expression.parts.flatMap { part in
      if case .subquery = part.kind { operands(of: part) } else { subqueries(in: part) }
    }
  }

  private func value(of expression: OperandTree) -> PredicateValue? {
    try? compiler.compile(expression).value(in: scope)
  }
}
